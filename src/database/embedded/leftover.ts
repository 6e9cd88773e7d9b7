import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { replaceFile } from './owner.ts';
import { shutDown } from './shutdown.ts';
import { absentAsUndefined } from './system-error.ts';

/** The command line of a process, its parts separated by one blank; empty when there is none (any more). */
const commandLine = async (pid: number): Promise<string> => {
  try {
    if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    return (await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)])).stdout;
  } catch {
    return '';
  }
};

/**
 * Clears what a gateway that was killed, or a machine that went down, left of the last server. Call it with the lock of
 * the data directory held: a server that still runs there has lost its gateway, and is shut down.
 */
export const clearLeftover = async (cluster: string, log: (line: string) => void): Promise<void> => {
  const pidFile = join(cluster, 'postmaster.pid');
  const pid = Math.abs(Number.parseInt((await readFile(pidFile, 'utf8').catch(absentAsUndefined)) ?? '', 10));
  // The id may have gone to another process since.
  const isRunning = async () => (await commandLine(pid)).includes(` -D ${cluster} `);
  if (await isRunning()) {
    log(`Stopping the PostgreSQL (process ${pid}) that an earlier Vitrine left running`);
    await shutDown(pid, isRunning);
  }
  const [, ...shared] = (await readFile(pidFile, 'utf8').catch(absentAsUndefined))?.split('\n') ?? [];
  // PostgreSQL refuses to start while any process has the id that the file names, but takes the file for stale when it
  // names its own parent (CreateLockFile in miscinit.c). Without the file it would not see backends that outlived
  // their server: it finds them by the shared memory that the further lines name.
  if (shared.length > 0) await replaceFile(pidFile, [process.pid, ...shared].join('\n'), 0o600);
};
