import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { OperatorError } from '../errors.ts';
import { connectionConfig, type DatabaseClient, hostsOf, oneRow, type Pooling, withConnection } from './connection.ts';
import { isDatabaseUnavailable, messageOf, UNSUPPORTED } from './failures.ts';

/** The database that the configuration names. */
export interface OpenDatabase {
  readonly url: string;
  readonly isEmbedded: boolean;
  /** Resolves when an embedded server ended and cannot be started again at its URL. */
  readonly exited: Promise<void>;
  /** Stops an embedded server; leaves the operator's own alone. */
  readonly close: () => Promise<void>;
}

export interface OpenOptions {
  /** Undefined: the embedded PostgreSQL in {@link dataDir}. */
  readonly databaseUrl: string | undefined;
  /** The same database without a pooler that changes sessions; undefined: {@link databaseUrl} has none. */
  readonly databaseDirectUrl: string | undefined;
  /** How long a database that cannot be reached yet is waited for. */
  readonly databaseWaitMs: number;
  readonly dataDir: string;
}

/** The configuration for what needs a session of its own: with the direct URL, where there is one. */
export const withDirectUrl = <Config extends Pick<OpenOptions, 'databaseUrl' | 'databaseDirectUrl'>>(
  config: Config,
): Config => ({ ...config, databaseUrl: config.databaseDirectUrl ?? config.databaseUrl });

const DIRECT_URL = 'DATABASE_DIRECT_URL';

/** @throws OperatorError when the embedded server cannot be started, or the operator's own does not come up */
export const openDatabase = async (options: OpenOptions, log: Logger): Promise<OpenDatabase> => {
  const { databaseUrl, databaseDirectUrl, dataDir } = options;
  if (databaseUrl !== undefined) {
    const isDirect = databaseUrl === databaseDirectUrl;
    // By a query: a pooler may take connections before the database does.
    const untilAnswering = (url: string, variable: string) =>
      awaitDatabase(url, variable, options, log, (client) => client.query('select 1'));
    await untilAnswering(databaseUrl, isDirect ? DIRECT_URL : 'DATABASE_URL');
    if (databaseDirectUrl !== undefined && !isDirect) await untilAnswering(databaseDirectUrl, DIRECT_URL);
    return runningElsewhere(databaseUrl, false);
  }
  const { keepEmbeddedDatabase } = await import('./embedded/server.ts');
  return { ...(await keepEmbeddedDatabase(dataDir, log)), isEmbedded: true };
};

/**
 * As {@link openDatabase}; where a gateway runs on the data directory, its embedded server is used, and left running.
 * @throws OperatorError as there, and when that server does not answer
 */
export const openOrJoinDatabase = async (options: OpenOptions, log: Logger): Promise<OpenDatabase> => {
  const { DirectoryInUseError } = await import('./embedded/data-directory.ts');
  try {
    return await openDatabase(options, log);
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw error;
    const url = (await readFile(join(options.dataDir, 'database-url'), 'utf8').catch(() => '')).trim();
    if (url === '' || !(await isAnswering(url))) throw error;
    return runningElsewhere(url, true);
  }
};

const runningElsewhere = (url: string, isEmbedded: boolean): OpenDatabase => ({
  url,
  isEmbedded,
  exited: new Promise(() => {}),
  close: async () => {},
});

/** The file may be one of an earlier server, while the next is about to start. */
const isAnswering = (url: string): Promise<boolean> =>
  withConnection(connectionConfig(url), CONNECT_TIMEOUT_MS, async () => true).catch(() => false);

const CONNECT_TIMEOUT_MS = 3000;
const RETRY_MS = 250;
const REMIND_MS = 5000;

/**
 * Asks the database, and waits for a server that comes up later than we do. A failure that no waiting cures (a wrong password, a database
 * that does not exist) is reported at once.
 * @param variable where the URL comes from
 * @param ask gets a new connection each time
 * @throws OperatorError, also that of `ask`
 */
export const awaitDatabase = async <Answer>(
  url: string,
  variable: string,
  { databaseWaitMs: waitMs }: Pick<OpenOptions, 'databaseWaitMs'>,
  log: Logger,
  ask: (client: DatabaseClient) => Promise<Answer>,
): Promise<Answer> => {
  const startedMs = performance.now();
  let remindedMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await withConnection(connectionConfig(url), CONNECT_TIMEOUT_MS, ask);
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      const message = messageOf(error);
      const waitedMs = performance.now() - startedMs;
      const [, parameter] = UNSUPPORTED.exec(message) ?? [];
      if (parameter)
        throw new OperatorError(
          `A pooler before the database lets no session begin with ${parameter}: leave it out of ${variable}, and let the role set it ("alter role … set ${parameter} = …").`,
        );
      if (!isPassing(error)) throw new OperatorError(`The database refuses: ${message}. Check ${variable}.`);
      if (waitedMs + RETRY_MS > waitMs) {
        const waited = waitMs === 0 ? '' : ` after ${(waitedMs / 1000).toFixed(1)} s (DATABASE_WAIT_MS)`;
        throw new OperatorError(`The database cannot be reached${waited}: ${message}. Check ${variable}.`);
      }
      if (performance.now() - remindedMs > REMIND_MS) {
        remindedMs = performance.now();
        log.warn(`waiting for the database at ${hostsOf(url)}: ${message}`);
      }
      await delay(RETRY_MS);
    }
  }
};

/** Class 28 is a refused user or password, 3D a database that does not exist. */
const PERMANENT = /^(28|3D)/;

const isPassing = (error: unknown): boolean =>
  isDatabaseUnavailable(error) && !PERMANENT.test(String((error as NodeJS.ErrnoException).code));

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
