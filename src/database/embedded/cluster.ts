import { chown, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../errors.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { runProgram } from './program.ts';
import { absentAsUndefined } from './system-error.ts';

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
export const runOffline = async (
  account: Account,
  { postgres }: Binaries,
  cluster: string,
  sql: string,
): Promise<void> => {
  await runProgram(account, postgres, ['--single', '-D', cluster, '-c', 'exit_on_error=on', 'postgres'], `${sql}\n`);
};

/**
 * Whether there is a cluster that PostgreSQL of this major version can serve.
 * @throws OperatorError when there is one of another version.
 */
export const hasCluster = async (cluster: string, major: string): Promise<boolean> => {
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(absentAsUndefined))?.trim();
  if (version === undefined || version === major) return version === major;
  throw new OperatorError(
    `${cluster} was made by PostgreSQL ${version}, and this Vitrine brings PostgreSQL ${major}. Give it another DATA_DIR, or serve that data with PostgreSQL ${version} and set DATABASE_URL.`,
  );
};

/**
 * Makes a cluster with the database in it. It is made beside its place and moved there when it is whole, so that one
 * whose making was interrupted is never taken for a cluster.
 */
export const createCluster = async (account: Account, binaries: Binaries, cluster: string): Promise<void> => {
  const dataDir = dirname(cluster);
  for (const name of await readdir(dataDir)) {
    // An initdb whose gateway was killed may still be writing: deleting is repeated until it has noticed.
    if (name.startsWith(DRAFT_PREFIX)) await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 10 });
  }
  const draft = await mkdtemp(join(dataDir, DRAFT_PREFIX));
  try {
    if (account.owner !== undefined) await chown(draft, account.owner.uid, account.owner.gid);
    await runProgram(account, binaries.initdb, [...INITDB_OPTIONS, '-D', draft]);
    await runOffline(account, binaries, draft, `CREATE DATABASE ${VITRINE}`);
    await rename(draft, cluster);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
};
