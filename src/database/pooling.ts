import pg from 'pg';
import { OperatorError } from '../errors.ts';
import { type DatabaseClient, useBriefly } from './client.ts';

/**
 * What stands between a connection and the server: `none`; a pooler that gives it a session of its own for as long as it is open; or one that gives
 * each transaction any session, so that nothing of a session can be relied on (`LISTEN`, advisory locks, named statements, settings).
 */
export type Pooling = 'none' | 'session' | 'transaction';

const TRIES = 3;

// Statement pooling: https://www.pgbouncer.org/features.html
const NO_TRANSACTIONS = /transaction blocks not allowed/;

/**
 * Finds out by what the connection meets, for no pooler says it of itself. It asks one more connection to hold a session for a moment.
 * @param client connected, and with no transaction open
 */
export const findPooling = async (client: DatabaseClient): Promise<Pooling> => {
  const pid = await pidOf(client);
  // The server names the process when a session begins. A pooler has begun it before, and names something of its own.
  if (pid === client.namedPid) return 'none';
  try {
    return await useBriefly(client.another(), async (other) => {
      for (let tries = 0; tries < TRIES; tries += 1) {
        if ((await pidOf(client)) !== pid) return 'transaction';
        // Two connections that are open at once have one session between them; or the first has lost its own to the second.
        if ((await pidOf(other, 'begin')) === pid || (await pidOf(client)) !== pid) return 'transaction';
        await other.query('rollback');
      }
      return 'session';
    });
  } catch (error) {
    return error instanceof pg.DatabaseError && NO_TRANSACTIONS.test(error.message) ? 'transaction' : 'session';
  }
};

/**
 * Whether a pooler in transaction mode knows statements by name in whatever session it gives (PgBouncer since 1.21, with `max_prepared_statements`).
 * @param client connected, and with no transaction open
 */
export const keepsStatements = async (client: DatabaseClient): Promise<boolean> => {
  const statement = { name: 'vitrine_probe', text: 'select pg_backend_pid() as pid' };
  try {
    return await useBriefly(client.another(), async (other) => {
      // The session that was used last is the next to be given: there the other finds its name taken.
      for (const each of [client, other, client, other]) await each.query(statement);
      return true;
    });
  } catch (error) {
    if (error instanceof pg.DatabaseError && (error.code === NO_SUCH_STATEMENT || error.code === STATEMENT_EXISTS))
      return false;
    throw error;
  }
};

const NO_SUCH_STATEMENT = '26000';
const STATEMENT_EXISTS = '42P05';

/**
 * @param what needs the session: `Migrations need`
 * @param instead what can be done without one
 * @throws OperatorError where each transaction may have another one
 */
export const assertOwnSession = async (client: DatabaseClient, what: string, instead = ''): Promise<void> => {
  if ((await findPooling(client)) !== 'transaction') return;
  throw new OperatorError(
    `${what} a session, and there is a pooler in transaction mode before the database: let DATABASE_DIRECT_URL lead to the database itself, or to a pool in session mode${instead}.`,
  );
};

const pidOf = async (client: DatabaseClient, begin?: string): Promise<number | undefined> => {
  if (begin) await client.query(begin);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
};
