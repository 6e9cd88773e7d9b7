import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Pool } from 'pg';
import { OperatorError } from '../errors.ts';
import { connectionConfig, type DatabaseClient, oneRow, withConnection } from './connection.ts';

/**
 * The pooler between a connection and the server: `none`; `session` gives the connection a session of its own for as long as it is open;
 * `transaction` gives each transaction any session, so that nothing of a session can be relied on (`LISTEN`, advisory locks, named
 * statements, settings).
 */
export const POOLERS = ['none', 'session', 'transaction'] as const;

export type Pooling = (typeof POOLERS)[number];

/**
 * @param client connected, and with no transaction open
 * @throws OperatorError where a pooler drops a setting that the session was to begin with
 * @returns what the sessions of a pooler in transaction mode lack
 */
export const checkSessions = async (client: DatabaseClient, pooling: Pooling): Promise<string[]> => {
  const lost = await findLostSettings(client);
  if (lost.length > 0) throw new OperatorError(lostSettings(lost));
  if (pooling !== 'transaction') return [];
  const { hasTimeout, compiles } = await oneRow<{ hasTimeout: boolean; compiles: boolean }>(
    client,
    `select current_setting('statement_timeout') <> '0' as "hasTimeout", pg_jit_available() as compiles`,
  );
  return [...(hasTimeout ? [] : [NO_STATEMENT_TIMEOUT]), ...(compiles ? [STATEMENTS_ARE_COMPILED] : [])];
};

/** Finds the settings that a session was to begin with and a pooler has dropped, as `TimeZone = UTC`. */
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
