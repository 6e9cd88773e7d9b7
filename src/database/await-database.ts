import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { OperatorError } from '../errors.ts';
import { DatabaseClient } from './client.ts';
import { connectionConfig } from './database.ts';
import { placeOf } from './database-url.ts';
import { messageOf } from './migration-connection.ts';
import { READ_ONLY } from './writable.ts';

interface Options {
  readonly url: string;
  /** Where it comes from. @default 'DATABASE_URL' */
  readonly variable?: string | undefined;
  /** How long to go on trying; 0: one try. */
  readonly waitMs: number;
  readonly log: Logger;
}

const CONNECT_TIMEOUT_MS = 2000;
const RETRY_MS = 250;
const REMIND_MS = 5000;

/**
 * Waits for a server that comes up later than we do. What no waiting mends (a wrong password, a database that does not exist) is told at once.
 * @throws OperatorError
 */
export const awaitDatabase = async ({ url, variable = 'DATABASE_URL', waitMs, log }: Options): Promise<void> => {
  const startedMs = performance.now();
  let toldMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const error = await tryToConnect(url);
    if (!error) return;
    const message = messageOf(error);
    const waitedMs = performance.now() - startedMs;
    const [, parameter] = /unsupported startup parameter: (\w+)/.exec(message) ?? [];
    if (parameter)
      throw new OperatorError(
        `A pooler before the database lets no session begin with ${parameter}: leave it out of ${variable}, and let the role set it ("alter role … set ${parameter} = …").`,
      );
    if (!isPassing(error)) throw new OperatorError(`The database refuses: ${message}. Check ${variable}.`);
    if (waitedMs + RETRY_MS > waitMs) {
      const waited = waitMs === 0 ? '' : ` after ${(waitedMs / 1000).toFixed(1)} s (DATABASE_WAIT_MS)`;
      throw new OperatorError(`The database cannot be reached${waited}: ${message}. Check ${variable}.`);
    }
    if (performance.now() - toldMs > REMIND_MS) {
      toldMs = performance.now();
      log.warn(`waiting for the database at ${placeOf(url)}: ${message}`);
    }
    await delay(RETRY_MS);
  }
};

/** What went wrong; undefined where nothing did. */
const tryToConnect = async (url: string): Promise<unknown> => {
  const client = new DatabaseClient({ ...connectionConfig(url), connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    // The server may no longer be there to say goodbye to.
    client.connection.stream.destroy();
  }
};

const PASSING_CODES = new Set([
  // Nobody listens yet, the name or the way is not known yet, the socket file is not there yet.
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  'ENOENT',
  // admin_shutdown, crash_shutdown, cannot_connect_now (starting up), too_many_connections, and a database that takes no connections:
  // https://www.postgresql.org/docs/current/errcodes-appendix.html
  ...['57P01', '57P02', '57P03', '53300', '55000'],
  // A standby, where the primary is looked for among several servers: it may be about to be promoted.
  READ_ONLY,
]);

const isPassing = (error: unknown): boolean => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  // `pg` gives no code to a connection that broke off, or that nobody answered.
  return PASSING_CODES.has(code) || /^(Connection terminated|timeout expired)/.test(message);
};
