import type { Logger } from 'pino';
import { OperatorError } from '../errors.ts';
import { type ConnectionConfig, DatabaseClient, useBriefly } from './client.ts';
import { findPooling, keepsStatements, type Pooling } from './pooling.ts';
import { isDatabaseUnavailable } from './unavailable.ts';

/** The way from here to the database. */
export interface Route {
  readonly pooling: Pooling;
  /** Whether statements are prepared once a connection. */
  readonly isPrepared: boolean;
}

interface Options {
  readonly connection: ConnectionConfig;
  readonly preparedStatements: 'auto' | 'on' | 'off';
  readonly log: Logger;
}

const TIMEOUT_MS = 3000;

/**
 * Looks at what stands between, and at what it does to a session.
 * @throws OperatorError when the database is not there, or cannot be used that way
 */
export const findRoute = async ({ connection, preparedStatements, log }: Options): Promise<Route> => {
  const client = new DatabaseClient({
    ...connection,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  try {
    return await useBriefly(client, async () => {
      const pooling = await findPooling(client);
      if (pooling === 'none') return { pooling, isPrepared: preparedStatements !== 'off' };

      const lost = await findLostSettings(client, connection);
      if (lost.length > 0) throw new OperatorError(lostSettings(lost));
      if (pooling === 'session') return { pooling, isPrepared: preparedStatements !== 'off' };

      if (preparedStatements === 'on' && !(await keepsStatements(client))) throw new OperatorError(STATEMENTS_ARE_LOST);
      if (!(await hasStatementTimeout(client))) log.warn(NO_STATEMENT_TIMEOUT);
      return { pooling, isPrepared: preparedStatements === 'on' };
    });
  } catch (error) {
    if (!(error instanceof Error) || !isDatabaseUnavailable(error)) throw error;
    throw new OperatorError(`The database cannot be reached: ${error.message || error.name}. Check DATABASE_URL.`);
  }
};

/** Of the settings that a session was to begin with, those that a pooler has dropped, as `TimeZone = UTC`. */
const findLostSettings = async (client: DatabaseClient, { startup = {} }: ConnectionConfig): Promise<string[]> => {
  const lost: string[] = [];
  for (const [name, value] of Object.entries(startup)) {
    const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [name]);
    // DateStyle has a second half.
    if (rows[0]?.value.split(',')[0] !== value) lost.push(`${name} = ${value}`);
  }
  return lost;
};

const lostSettings = (lost: readonly string[]): string =>
  `A pooler before the database drops what a session is to begin with: ${lost.join(', ')}. Let the role begin so: ${lost.map((setting) => `"alter role … set ${setting}"`).join(', ')}.`;

const STATEMENTS_ARE_LOST =
  'PREPARED_STATEMENTS=on, and the pooler in transaction mode before the database does not know statements by name in every session: leave it out, or set max_prepared_statements in PgBouncer 1.21 or newer.';

/** What a statement is cut off by that the gateway has given up. */
export const hasStatementTimeout = async (client: DatabaseClient): Promise<boolean> => {
  const { rows } = await client.query<{ value: string }>(`select current_setting('statement_timeout') as value`);
  return rows[0]?.value !== '0';
};

const NO_STATEMENT_TIMEOUT =
  'the pooler in transaction mode before the database begins sessions without a statement_timeout: statements that the gateway has given up go on; let the role set it: "alter role … set statement_timeout = …" (DATABASE_TIMEOUT_MS)';
