import { access, constants, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '../../errors.ts';
import { giveToDirectoryOwner, replaceFile } from './owner.ts';
import { absentAsUndefined, hasCode } from './system-error.ts';

const SQLITE_BUSY = 5;
const PID_TIMEOUT_MS = 1_000;
const PID_POLL_MS = 20;

/** Another process has the right to use the data directory. */
export class DirectoryInUseError extends OperatorError {}

/** The right to use a data directory, which no other process, and no second caller in this one, has meanwhile. */
export interface DirectoryLock {
  /** Gives the right back. The end of the process does so too, however it ends. */
  release(): Promise<void>;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
};

/** The process that holds the lock, once it has written its id, which it does right after it got the lock. */
const findHolder = async (pidFile: string): Promise<number | undefined> => {
  for (const deadline = performance.now() + PID_TIMEOUT_MS; performance.now() < deadline; await delay(PID_POLL_MS)) {
    const pid = Number(await readFile(pidFile, 'utf8').catch(absentAsUndefined));
    if (pid > 0 && isAlive(pid)) return pid;
  }
  return undefined;
};

/**
 * Takes the lock of a data directory. Node has no file lock of its own; SQLite, which comes with it, takes one in the
 * kernel for an exclusive transaction. The kernel frees it when the process dies, so no lock is ever stale and nothing
 * has to be guessed from process ids, which are reused. The file stays empty, and is never deleted: whoever had it open
 * would lock a file that nobody else sees.
 * @throws DirectoryInUseError when another process has it, naming that process.
 */
export const lockDirectory = async (dataDir: string): Promise<DirectoryLock> => {
  const lockFile = join(dataDir, 'gateway.lock');
  const pidFile = join(dataDir, 'gateway.pid');
  await access(dataDir, constants.W_OK);
  const database = new DatabaseSync(lockFile);
  try {
    await giveToDirectoryOwner(lockFile);
    // SQLite opens a file that it may not write read-only, and locks nothing then.
    await access(lockFile, constants.W_OK);
    // Nothing is ever committed; a journal in a file would only be left there when the process is killed.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    await replaceFile(pidFile, `${process.pid}\n`, 0o644);
  } catch (error) {
    database.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error;
    const pid = await findHolder(pidFile);
    throw new DirectoryInUseError(
      `Another Vitrine is already running on ${dataDir}${pid === undefined ? '' : ` (process ${pid})`}. Stop it first, or give this one its own DATA_DIR.`,
    );
  }
  // Held here too, for what nobody refers to is collected, and a connection that is collected closes.
  const close = () => database.close();
  process.once('exit', close);
  return {
    release: async () => {
      await rm(pidFile, { force: true });
      process.off('exit', close);
      close();
    },
  };
};
