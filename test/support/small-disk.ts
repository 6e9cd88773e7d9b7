import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** A disk of its own for the data of an embedded PostgreSQL, so small that a test can fill it. */
export interface SmallDisk extends AsyncDisposable {
  /** Where a process that was started by way of {@link launcher} finds it. */
  readonly path: string;
  /** The command that takes a program's command line as its arguments and runs it where the disk is; empty where it is everywhere. */
  readonly launcher: readonly string[];
  /** Where the test finds what the process of that id has at {@link path}. */
  readonly seenFrom: (pid: number) => string;
  /** Leaves no byte free. */
  readonly fill: (pid: number) => Promise<void>;
  /** What was filled is free again. */
  readonly free: (pid: number) => Promise<void>;
}

const run = promisify(execFile);

/**
 * A file system in memory. Root mounts it; anybody else has it in a namespace that the launched process is alone in, and is seen through
 * `/proc/<pid>/root`.
 */
export const createSmallDisk = async (mebibytes: number): Promise<SmallDisk> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'vitrine-disk-'));
  const options = `size=${mebibytes}m,mode=0755`;
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]);
  const asSelf = `--map-user=${process.geteuid?.()} --map-group=${process.getegid?.()}`;
  const script = `mount -t tmpfs -o ${options} tmpfs ${directory} && exec unshare --user ${asSelf} "$@"`;
  const seenFrom = (pid: number): string => `${isRoot ? '' : `/proc/${pid}/root`}${directory}`;
  const ballast = (pid: number): string => path.join(seenFrom(pid), 'ballast');
  return {
    path: directory,
    launcher: isRoot ? [] : ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh'],
    seenFrom,
    fill: async (pid) => {
      // More than there is room for: what fits is written.
      const everything = Buffer.alloc(mebibytes * 1_048_576);
      await writeFile(ballast(pid), everything).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC') throw error;
      });
    },
    free: (pid) => rm(ballast(pid)),
    [Symbol.asyncDispose]: async () => {
      if (isRoot) await run('umount', ['--lazy', directory]);
      await rm(directory, { recursive: true });
    },
  };
};
