import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import type { Logger } from 'pino';
import { type ConnectionConfig, DatabaseClient } from './client.ts';
import { urlsOf } from './database-url.ts';
import { createHosts, type Host } from './hosts.ts';
import type { Pooling } from './pooling.ts';
import { createSilence } from './silence.ts';
import { TYPES } from './types.ts';
import type { SessionAttributes } from './writable.ts';

interface Options {
  readonly connection: ConnectionConfig;
  readonly size: number;
  /** The longest that one statement may take, and that a connection may be waited for. */
  readonly timeoutMs: number;
  /** What stands between. @default 'none' */
  readonly pooling?: Pooling | undefined;
  /** Whether statements that have a name are prepared once a connection. @default true */
  readonly isPrepared?: boolean | undefined;
  readonly log: Logger;
  /** Called with each new connection; where it throws, nobody gets it. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
  /** Told of each statement of the pool. */
  readonly watch?: WatchStatement;
}

/** Told of a statement that is being sent, by its name if it has one and its text; and then, by what it gives back, of its end. */
export type WatchStatement = (name: string | undefined, text: string) => (error?: unknown) => void;

const CONNECT_TIMEOUT_MS = 1500;

/** A statement that takes too long is ended by the server, and its connection is kept, unless that says nothing. */
const SERVER_GRACE_MS = 100;

/**
 * What every connection of ours is opened with, from a URL of the operator's. Where that names several hosts, all connections that are opened with
 * one result of this are to the same of them.
 */
export const connectionConfig = (url: string): ConnectionConfig => {
  const [config = {}, ...others] = urlsOf(url).map(configOf);
  const { target_session_attrs: attributes, ...connection } = config;
  if (others.length === 0 && (attributes === undefined || attributes === 'any')) return connection;
  // libpq takes any server where nothing is said; here, one that takes no writes would be of no use.
  return { ...connection, hosts: createHosts(connection, [config, ...others].map(hostOf), attributes ?? 'read-write') };
};

type ParsedUrl = ConnectionConfig & { target_session_attrs?: SessionAttributes };

const configOf = (url: string): ParsedUrl => {
  // `?schema=shop` is how Prisma's URLs name a schema.
  const { schema, ...config }: ReturnType<typeof parseIntoClientConfig> & { schema?: string } =
    parseIntoClientConfig(url);
  return {
    ...config,
    application_name: config.application_name ?? 'vitrine',
    startup: {
      // Prisma's adapter writes and reads times without their zone and takes them for UTC, whatever the session's zone is.
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      ...(schema && { search_path: schema }),
    },
    keepAlive: true,
  };
};

const hostOf = ({ host = 'localhost', port = 5432 }: pg.ClientConfig): Host => ({ host, port });

/** The connections that requests share, and how many statements they have sent. */
export interface Database {
  readonly pool: pg.Pool;
  readonly statementCount: () => number;
}

/** Connects when first asked, and loses a broken connection, never the process. */
export const createDatabase = (options: Options): Database => {
  const { connection, size, timeoutMs, pooling = 'none', isPrepared = true, log, onConnect, watch } = options;
  let statements = 0;

  // The statement timeout is the server's, which is given the time to say so; this one is ours.
  const silence = createSilence(timeoutMs + SERVER_GRACE_MS);

  class CountingClient extends DatabaseClient {
    constructor(config?: ConnectionConfig) {
      super(config);
      silence.follow(this);
    }

    // One signature stands for the eight overloads that the driver declares; each of them ends in one statement sent.
    override query = ((...args: Parameters<pg.Client['query']>) => {
      statements += 1;
      silence.asked(this);
      return super.query(...(isPrepared ? args : unnamed(args)));
    }) as pg.Client['query'];
  }

  class WatchedPool extends pg.Pool {
    // As above. The wait for a connection is part of it.
    override query = ((...args: [string | pg.QueryConfig]) => {
      const result = super.query(...args);
      if (watch) {
        const [config] = args;
        const end = typeof config === 'string' ? watch(undefined, config) : watch(config.name, config.text);
        result.then(() => end(), end);
      }
      return result;
    }) as pg.Pool['query'];
  }

  const pool = new WatchedPool({
    ...connection,
    Client: CountingClient,
    ...(onConnect && { onConnect }),
    types: TYPES,
    max: size,
    connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    ...(pooling === 'none' && { statement_timeout: timeoutMs }),
    // PgBouncer lets no session begin with it. Where each transaction has another session, it is for the role to set.
    ...(pooling === 'session' && { onConnect: (client) => client.query(`set statement_timeout = ${timeoutMs}`) }),
  });
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection broke'));
  // Without a listener of its own, a connection in use that breaks would take the process down.
  pool.on('connect', (client) =>
    client.on('error', (error) => log.warn({ err: error }, 'a database connection broke')),
  );
  return { pool, statementCount: () => statements };
};

const unnamed = (args: Parameters<pg.Client['query']>): Parameters<pg.Client['query']> => {
  const [query, ...rest] = args as unknown as [string | pg.QueryConfig];
  if (typeof query === 'string' || query.name === undefined) return args;
  const { name: _, ...config } = query;
  return [config, ...rest] as unknown as typeof args;
};
