import { closeSync, lstatSync, openSync, type Stats } from 'node:fs';
import { access, constants, type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../errors.ts';
import { hasCode } from '../failures.ts';

const SQLITE_BUSY = 5;

/** Another process has the right to use the data directory. */
export class DirectoryInUseError extends OperatorError {}

/** SQLite would refuse both of two that ask at the same moment, because each is in the way of the other. So they try again for this long. */
const LOCK_TIMEOUT_MS = 100;

/**
 * Takes the lock of a data directory: meanwhile no other process has it, and no second caller in this one. SQLite, which comes with Node,
 * takes a lock in the kernel for an exclusive transaction; the kernel frees it when the process dies. The file stays empty, and is never
 * deleted: a process that had it open would lock a file that no other process sees. (SQLite opens by path only: the owner of the directory,
 * who swaps the file after our checks, could have it lock another file, which is then neither written nor given to anybody.)
 * @returns `release` gives it back, as the end of the process does
 * @throws DirectoryInUseError when another process has it
 * @throws OperatorError when the file is not one that an earlier call has made
 */
export const lockDirectory = async (dataDir: string): Promise<{ readonly release: () => Promise<void> }> => {
  const lockFile = join(dataDir, 'gateway.lock');
  await access(dataDir, constants.W_OK);
  makeLockFile(lockFile);
  const found = lstatSync(lockFile);
  assertPlainFile(lockFile, found);
  // By what is written in its files, SQLite would restore a database.
  if (found.size !== 0)
    throw new OperatorError(`${lockFile} is not empty. Remove it, or give Vitrine another DATA_DIR.`);
  const database = new DatabaseSync(lockFile);
  let handle: FileHandle | undefined;
  // In this order: the kernel gives up the lock of a process as soon as the process closes any descriptor of the file.
  const close = async () => {
    database.close();
    await handle?.close();
  };
  try {
    // SQLite opens a file that it may not write read-only, and locks nothing then.
    await access(lockFile, constants.W_OK);
    // Nothing is ever committed; a journal in a file would only be left there when the process is killed.
    database.exec(`PRAGMA journal_mode = MEMORY; PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}; BEGIN EXCLUSIVE`);
    // From here on nobody else in this process opens the file, so that nobody else closes it.
    handle = await openPlainFile(lockFile);
    const { dev, ino } = await handle.stat();
    if (dev !== found.dev || ino !== found.ino) throw new OperatorError(`${lockFile} was replaced during the start.`);
    await giveToDirectoryOwner(handle, lockFile);
  } catch (error) {
    await close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error;
    throw new DirectoryInUseError(
      `Another Vitrine is already running on ${dataDir}. Stop it first, or give this one its own DATA_DIR.`,
    );
  }
  // Referenced here too: a connection that is garbage collected closes, and the lock with it.
  const closeAtExit = () => void close();
  process.once('exit', closeAtExit);
  return {
    release: async () => {
      process.off('exit', closeAtExit);
      await close();
    },
  };
};

/** Without waiting for anything in between: nobody in this process can have locked the file before its descriptor is closed. */
const makeLockFile = (lockFile: string): void => {
  try {
    closeSync(openSync(lockFile, 'wx'));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
};

// Root may run Vitrine in a data directory that another user owns, and who can put a link there must not gain what root may do. So files are
// opened without following a link, and checked and given away by descriptor, never by path.

const notPlain = (path: string): OperatorError =>
  new OperatorError(`${path} is a link, or no file. Remove it, or give Vitrine another DATA_DIR.`);

/** @throws OperatorError when this is no regular file, or has a second name elsewhere */
const assertPlainFile = (path: string, stats: Stats): void => {
  // A file that was replaced just now has no name left.
  if (!stats.isFile() || stats.nlink > 1) throw notPlain(path);
};

/** Opens a file for reading. @throws OperatorError as {@link assertPlainFile} */
const openPlainFile = async (path: string): Promise<FileHandle> => {
  // A pipe that nobody writes to must not block.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch((error: unknown) => {
    throw hasCode(error, 'ELOOP') ? notPlain(path) : error;
  });
  try {
    assertPlainFile(path, await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** Reads a whole file; undefined where there is none. @throws OperatorError as {@link assertPlainFile} */
export const readPlainFile = async (path: string): Promise<string | undefined> => {
  await using handle = await openPlainFile(path).catch(absentAsUndefined);
  return await handle?.readFile('utf8');
};

/** Writes a whole file in one step: a reader, or the next start after a crash, finds the old content or the new. */
export const replaceFile = async (path: string, content: string, mode: number): Promise<void> => {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  {
    await using handle = await open(draft, 'wx', mode);
    await handle.writeFile(content);
    await giveToDirectoryOwner(handle, draft);
  }
  await rename(draft, path);
};

/** A user and a group, by number. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Whether this process runs as root. */
export const isRoot = (): boolean => process.geteuid?.() === 0;

/** Whose a file or directory is. */
export const readOwner = async (path: string): Promise<Owner> => {
  const { uid, gid } = await stat(path);
  return { uid, gid };
};

/** Gives what root made to the owner of its directory, who could not start Vitrine there otherwise. */
const giveToDirectoryOwner = async (handle: FileHandle, path: string): Promise<void> => {
  if (!isRoot()) return;
  const { uid, gid } = await readOwner(dirname(path));
  await handle.chown(uid, gid);
};

/** For `catch`: of a file that is not there, undefined; any other failure goes on. */
export const absentAsUndefined = (error: unknown): undefined => {
  if (!hasCode(error, 'ENOENT')) throw error;
};
