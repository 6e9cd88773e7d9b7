import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Pool } from 'pg';
import { OperatorError } from '../errors.ts';
import { type DatabaseClient, oneRow, withConnection } from './client.ts';
import { connectionConfig } from './connection.ts';
import { hasCode, isDatabaseUnavailable, messageOf } from './failures.ts';

/**
 * The pooler between a connection and the server: `none`; one that gives the connection a session of its own for as long as it is open; or one that gives
 * each transaction any session, so that nothing of a session can be relied on (`LISTEN`, advisory locks, named statements, settings).
 */
export type Pooling = 'none' | 'session' | 'transaction';

const ROUNDS = 3;

// Statement pooling: https://www.pgbouncer.org/features.html
const NO_TRANSACTIONS = /transaction blocks not allowed/;

/** The first connection has the only session of a pool: the driver gives up before PgBouncer does, or after. */
const NO_SESSION_LEFT = /^(Query read timeout|query_wait_timeout)/;

/**
 * Finds out by the sessions that two connections get, because no pooler reports its mode.
 * @param client connected, and with no transaction open
 * @throws where the database stops answering, or takes no second connection
 */
export const findPooling = async (client: DatabaseClient): Promise<Pooling> => {
  const pid = await pidOf(client);
  // The server names the process when a session begins. A pooler has begun it before, and names something of its own.
  if (pid === client.namedPid) return 'none';
  try {
    return await withConnection(client.config, undefined, async (other) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        // Where sessions are given in turn, two queries get different ones.
        if ((await pidOf(client)) !== pid || (await pidOf(client)) !== pid) return 'transaction';
        // Else the last one given back is given next: two connections share it, or the first has lost its own to the second.
        await other.query('begin');
        if ((await pidOf(other)) === pid || (await pidOf(client)) !== pid) return 'transaction';
        await other.query('rollback');
      }
      return 'session';
    });
  } catch (error) {
    const message = messageOf(error);
    if (NO_TRANSACTIONS.test(message)) return 'transaction';
    if (isDatabaseUnavailable(error) && !NO_SESSION_LEFT.test(message)) throw error;
    return (await pidOf(client)) === pid ? 'session' : 'transaction';
  }
};

/**
 * Whether a pooler in transaction mode makes prepared statements work in every session (PgBouncer since 1.21, with `max_prepared_statements`).
 * @param client connected, and with no transaction open
 */
const keepsStatements = async (client: DatabaseClient): Promise<boolean> => {
  const statement = { name: 'vitrine_probe', text: 'select pg_backend_pid() as pid' };
  try {
    return await withConnection(client.config, undefined, async (other) => {
      // The pooler gives the session that was used last: there the other connection finds the name taken.
      for (const each of [client, other, client, other]) await each.query(statement);
      return true;
    });
  } catch (error) {
    if (hasCode(error, NO_SUCH_STATEMENT, STATEMENT_EXISTS)) return false;
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
  try {
    if ((await findPooling(client)) !== 'transaction') return;
  } catch (error) {
    // A pool that is full says nothing of its mode.
    if (isDatabaseUnavailable(error)) return;
    throw error;
  }
  throw new OperatorError(
    `${what} a session, and there is a pooler in transaction mode before the database: set DATABASE_DIRECT_URL to the database itself, or to a pool in session mode${instead}.`,
  );
};

const pidOf = async (client: DatabaseClient): Promise<number> =>
  (await oneRow<{ pid: number }>(client, 'select pg_backend_pid() as pid')).pid;

interface PoolerOptions {
  readonly preparedStatements: 'auto' | 'on' | 'off';
  readonly log: { warn(text: string): void };
}

/**
 * Finds out which pooler is before the database, and how to work with it.
 * @param client connected, and with no transaction open
 * @returns `isPrepared`: whether statements are prepared once a connection
 * @throws OperatorError when the database cannot be used through it
 */
export const poolerModeOf = async (
  client: DatabaseClient,
  { preparedStatements, log }: PoolerOptions,
): Promise<{ readonly pooling: Pooling; readonly isPrepared: boolean }> => {
  const pooling = await findPooling(client);
  const lost = pooling === 'none' ? [] : await findLostSettings(client);
  if (lost.length > 0) throw new OperatorError(lostSettings(lost));
  if (pooling !== 'transaction') return { pooling, isPrepared: preparedStatements !== 'off' };

  if (preparedStatements === 'on' && !(await keepsStatements(client))) throw new OperatorError(STATEMENTS_ARE_LOST);
  const { hasTimeout, compiles } = await oneRow<{ hasTimeout: boolean; compiles: boolean }>(
    client,
    `select current_setting('statement_timeout') <> '0' as "hasTimeout", pg_jit_available() as compiles`,
  );
  if (!hasTimeout) log.warn(NO_STATEMENT_TIMEOUT);
  if (compiles) log.warn(STATEMENTS_ARE_COMPILED);
  return { pooling, isPrepared: preparedStatements === 'on' };
};

/** Of the settings that a session was to begin with, those that a pooler has dropped, as `TimeZone = UTC`. */
const findLostSettings = async (client: DatabaseClient): Promise<string[]> => {
  const lost: string[] = [];
  for (const [name, value] of Object.entries(client.config.startup ?? {})) {
    const { setting } = await oneRow<{ setting: string }>(client, 'select current_setting($1) as setting', [name]);
    // DateStyle has a second half, and a search path may have more schemas.
    if (!`${setting},`.startsWith(`${value},`)) lost.push(`${name} = ${value}`);
  }
  return lost;
};

const lostSettings = (lost: readonly string[]): string =>
  `A pooler before the database drops settings of the session: ${lost.join(', ')}. Set them for the role: ${lost.map((setting) => `"alter role … set ${setting}"`).join(', ')}.`;

const STATEMENTS_ARE_LOST =
  'PREPARED_STATEMENTS=on, and the pooler in transaction mode before the database loses prepared statements: leave PREPARED_STATEMENTS out, or set max_prepared_statements in PgBouncer 1.21 or newer.';

/** The server itself ends no statement that the gateway no longer waits for. */
const NO_STATEMENT_TIMEOUT =
  'the pooler in transaction mode before the database begins sessions without a statement_timeout: statements that the gateway no longer waits for go on; set it for the role: "alter role … set statement_timeout = …" (DATABASE_TIMEOUT_MS)';

const STATEMENTS_ARE_COMPILED =
  'the pooler in transaction mode before the database begins sessions in which PostgreSQL compiles statements, for half a second each; set it for the role: "alter role … set jit = off"';

const NOTIFICATION_TIMEOUT_MS = 2000;

/**
 * Listens at one URL for a notification that is sent elsewhere, on a channel that no gateway uses.
 * @param notify runs the statement that sends it
 * @returns how long it took, in milliseconds; undefined where it did not arrive within {@link NOTIFICATION_TIMEOUT_MS}
 */
export const tripOfNotification = (
  listenUrl: string,
  notify: (sql: string, values: string[]) => Promise<unknown>,
): Promise<number | undefined> =>
  withConnection(connectionConfig(listenUrl), NOTIFICATION_TIMEOUT_MS, async (listener) => {
    const channel = `vitrine_probe_${randomUUID().replaceAll('-', '')}`;
    const arrived = once(listener, 'notification', { signal: AbortSignal.timeout(NOTIFICATION_TIMEOUT_MS) }).then(
      () => performance.now() - startMs,
      () => undefined,
    );
    await listener.query(`listen ${channel}`);
    const startMs = performance.now();
    await notify('select pg_notify($1, $2)', [channel, 'hello']);
    return arrived;
  });

/** @throws OperatorError where a notification from the pool does not arrive at the other URL */
export const assertSameDatabase = async (pool: Pool, directUrl: string): Promise<void> => {
  const tripMs = await tripOfNotification(directUrl, (sql, values) => pool.query(sql, values));
  if (tripMs === undefined) {
    throw new OperatorError(
      'A notification sent through DATABASE_URL did not arrive at DATABASE_DIRECT_URL: let both lead to the same database.',
    );
  }
};
