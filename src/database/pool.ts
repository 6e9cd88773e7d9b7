import { hash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import pg, { type Pool } from 'pg';
import type { Logger } from 'pino';
import {
  type ConnectionConfig,
  DatabaseClient,
  oneRow,
  type Pooling,
  SESSION_SETTINGS,
  SET_SESSION,
} from './connection.ts';
import { exactJson } from './exact-json.ts';
import { Prisma, PrismaClient } from './generated/client/client.ts';

interface Options {
  readonly connection: ConnectionConfig;
  readonly size: number;
  /** The longest that one statement may take, and that a connection may be waited for. */
  readonly timeoutMs: number;
  /** With `transaction`, statements that have a name are not prepared. @default 'none' */
  readonly pooling?: Pooling | undefined;
  readonly log: Logger;
  /** Called with each new connection. Where it throws, the connection is not used. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
  /** Is called with each statement of the pool. */
  readonly observer?: ObserveStatement;
}

/** Is called as a statement is sent, with its name if it has one and its text. Returns a function that is called at the statement's end. */
export type ObserveStatement = (name: string | undefined, text: string) => (error?: unknown) => void;

const CONNECT_TIMEOUT_MS = 1500;

/** The server ends a statement that takes too long, and the connection is kept; without an answer by then, the connection is closed. */
const SERVER_GRACE_MS = 100;

/** The connections that requests share. It connects when first asked, and loses a broken connection, never the process. */
export const createPool = (options: Options): pg.Pool => {
  const { connection, size, timeoutMs, pooling = 'none', log, onConnect, observer } = options;

  class ObservedClient extends DatabaseClient {
    /** Whether it was taken out of the pool for several statements, as for a transaction: those are not the pool's own. */
    isTaken = false;

    // One signature stands for the eight overloads that the driver declares; each of them ends in one statement sent.
    override query = ((...args: Parameters<pg.Client['query']>) => {
      const result = super.query(...withExactJson(pooling === 'transaction' ? unnamed(args) : args));
      return observer && this.isTaken ? observed(observer, args, result as unknown as Promise<unknown>) : result;
    }) as pg.Client['query'];
  }

  class ObservedPool extends pg.Pool {
    // As above. The wait for a connection is part of it.
    override query = ((...args: [string | pg.QueryConfig]) => {
      // Such a failure comes before anything is done, so that a statement that writes can be sent again too.
      const result = super.query(...args).catch((error: unknown) => {
        if (!isPlanOutdated(error)) throw error;
        return super.query(...unnamed(args));
      });
      return observer ? observed(observer, args, result) : result;
    }) as pg.Pool['query'];

    // Its own statements get their connection by a callback.
    override connect = ((callback?: Parameters<pg.Pool['connect']>[0]) =>
      callback
        ? super.connect(callback)
        : super.connect().then((client) => Object.assign(client, { isTaken: true }))) as pg.Pool['connect'];
  }

  const pool = new ObservedPool({
    ...connection,
    Client: ObservedClient,
    // PgBouncer lets no session begin with them. Where each transaction has another session, they are for the role to set.
    ...(pooling === 'none' && {
      startup: { ...connection.startup, ...SESSION_SETTINGS },
      statement_timeout: timeoutMs,
    }),
    onConnect: async (client) => {
      if (pooling === 'session') await client.query(`set statement_timeout = ${timeoutMs}; ${SET_SESSION}`);
      await onConnect?.(client);
    },
    types: TYPES,
    query_timeout: timeoutMs + SERVER_GRACE_MS,
    max: size,
    connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
  });
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection broke'));
  pool.on('release', (_error, client) => Object.assign(client, { isTaken: false }));
  // Without a listener of its own, a connection in use that breaks would take the process down.
  pool.on('connect', (client) =>
    client.on('error', (error) => log.warn({ err: error }, 'a database connection broke')),
  );
  return pool;
};

const observed = <Result extends Promise<unknown>>(
  observer: ObserveStatement,
  [config]: readonly unknown[],
  result: Result,
): Result => {
  const { name, text } = typeof config === 'string' ? { name: undefined, text: config } : (config as pg.QueryConfig);
  const end = observer(name, text);
  result.then(() => end(), end);
  return result;
};

const { builtins } = pg.types;

const PARSERS = new Map<number, (text: string) => unknown>([
  [builtins.INT8, BigInt],
  [builtins.NUMERIC, (text) => new Prisma.Decimal(text)],
  [builtins.JSONB, (text) => JSON.parse(exactJson(text))],
]);

/** How our own SQL reads the types that differ from what `pg` makes of them, so that a row is what Prisma makes of it. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((typeOid: number) =>
    PARSERS.get(typeOid) ?? pg.types.getTypeParser(typeOid, 'text')) as typeof pg.types.getTypeParser,
};

/** Prisma has parsers of its own, which leave the text of JSON as it is. */
const withExactJson = <Args extends readonly unknown[]>(args: Args): Args => {
  const [query, ...rest] = args as unknown as [string | pg.QueryConfig];
  if (typeof query === 'string' || query.types === undefined) return args;
  const { types } = query;
  const getTypeParser = ((oid, format) =>
    oid === builtins.JSONB ? exactJson : types.getTypeParser(oid, format)) as typeof types.getTypeParser;
  return [{ ...query, types: { getTypeParser } }, ...rest] as unknown as Args;
};

/** The type of a column has changed since the statement was prepared: "cached plan must not change result type". */
const isPlanOutdated = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';

const unnamed = <Args extends readonly unknown[]>(args: Args): Args => {
  const [query, ...rest] = args as unknown as [string | pg.QueryConfig];
  if (typeof query === 'string' || query.name === undefined) return args;
  const { name: _, ...config } = query;
  return [config, ...rest] as unknown as Args;
};

// Prepared once a connection. Lists have few lengths (`inList`), each of which is a statement of its own.
const statementNameGenerator = ({ sql }: { sql: string }): string => `prisma_${hash('sha1', sql, 'base64url')}`;

/** Where each statement of a pool without connections of its own goes. */
export type Query = (config: pg.QueryConfig) => Promise<pg.QueryResult>;

/** A pool for Prisma's adapter, which takes nothing less. */
export const poolOf = (query: Query): pg.Pool => {
  class QueryPool extends pg.Pool {
    // One signature stands for the overloads that the driver declares, of which Prisma's adapter uses this one.
    override query = query as pg.Pool['query'];
  }
  return new QueryPool();
};

/** Prisma on one connection, inside the transaction that is open there. Nothing is prepared: a pooler may give the session to others. */
export const createPrismaOn = (client: pg.ClientBase): Promise<PrismaClient> =>
  createPrisma(poolOf(({ name: _, ...config }) => client.query(config)));

/** Prisma on connections that it does not own: closing them is the pool's business. */
export const createPrisma = async (pool: Pool): Promise<PrismaClient> => prismaIn(await currentSchema(pool), pool);

/** Prisma qualifies every table, by default with `public`; our own SQL follows the search path. */
export const currentSchema = async (pool: Pool): Promise<string> =>
  (await oneRow<{ schema: string | null }>(pool, 'select current_schema() as schema')).schema ?? 'public';

/** As {@link createPrisma}, for the tables of one schema. */
export const prismaIn = (schema: string, pool: Pool): PrismaClient =>
  new PrismaClient({ adapter: new PrismaPg(pool, { schema: schema.replaceAll('"', '""'), statementNameGenerator }) });
