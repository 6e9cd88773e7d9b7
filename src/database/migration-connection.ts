import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../errors.ts';
import { DatabaseClient } from './client.ts';
import { connectionConfig } from './database.ts';
import { placeOf } from './database-url.ts';
import { assertOwnSession } from './pooling.ts';

/** The advisory lock of Prisma's own engine, so that `prisma migrate` waits for us and we for it. */
export const MIGRATION_LOCK = 72_707_369;

const MINIMUM_VERSION = 15;
const LOCK_POLL_MS = 100;

// A migration that waits for a table makes everyone who comes later wait behind it: better to fail and be run again. Once it has the
// table it may take its time, whatever the role's own limit is.
const SESSION = `set lock_timeout = '10s'; set statement_timeout = 0`;

export interface MigrationConnection {
  /** A pool of one connection, which holds {@link MIGRATION_LOCK} for as long as it lives. The caller ends it. */
  readonly pool: pg.Pool;
  /** The PostgreSQL schema that the session creates tables in. */
  readonly schema: string;
}

export interface MigrationConnectionOptions {
  readonly url: string;
  readonly log: (line: string) => void;
  /** How long to wait for another run to finish. */
  readonly lockWaitMs: number;
}

/** @throws {OperatorError} where the database cannot be reached, is too old, or another run keeps the lock */
export const openMigrationConnection = async (options: MigrationConnectionOptions): Promise<MigrationConnection> => {
  const config = connectionConfig(options.url);
  const pool = new pg.Pool({
    ...config,
    Client: DatabaseClient,
    application_name: 'vitrine migrate',
    connectionTimeoutMillis: 10_000,
    max: 1,
    idleTimeoutMillis: 0,
    // Here and not once at the start, so that a connection that replaces a lost one cannot go on without the lock.
    onConnect: async (client) => {
      await client.query(SESSION);
      if (client instanceof DatabaseClient) await assertOwnSession(client, 'Migrations need');
      await refuseOldServer(client);
      await takeLock(client, options);
    },
  });
  pool.on('error', () => {}); // A connection lost while idle is noticed by the next query.

  try {
    const { rows } = await pool.query<{ schema: string | null }>('select current_schema() as schema');
    const schema = rows[0]?.schema;
    if (!schema)
      throw new OperatorError('no schema of the search path exists: create the one that the tables shall be in');
    return { pool, schema };
  } catch (error) {
    await pool.end();
    if (error instanceof OperatorError) throw error;
    const database = `${config.database ?? ''} at ${placeOf(options.url)}`;
    throw new OperatorError(`cannot connect to the database ${database}: ${messageOf(error)}`, { cause: error });
  }
};

/** The message of an error; of those that Node gathers when a host has several addresses, the first. */
export const messageOf = (error: unknown): string => {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error ? first.message : String(first);
};

const refuseOldServer = async (client: pg.ClientBase): Promise<void> => {
  const { rows } = await client.query<{ major: number; version: string }>(
    `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as version`,
  );
  if (rows[0] && rows[0].major < MINIMUM_VERSION) {
    throw new OperatorError(`PostgreSQL ${MINIMUM_VERSION} or newer is needed, and this server is ${rows[0].version}`);
  }
};

// By polling: a statement that blocks on the lock holds a snapshot, and `create index concurrently` would wait for that for ever.
const takeLock = async (client: pg.ClientBase, { log, lockWaitMs }: MigrationConnectionOptions): Promise<void> => {
  const tryLock = async (): Promise<boolean> => {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      MIGRATION_LOCK,
    ]);
    return rows[0]?.locked === true;
  };

  if (await tryLock()) return;
  log('another migration is running, waiting for it');
  const deadlineMs = performance.now() + lockWaitMs;
  while (performance.now() < deadlineMs) {
    await setTimeout(LOCK_POLL_MS);
    if (await tryLock()) return;
  }
  throw new OperatorError(
    `another migration still runs after ${lockWaitMs / 1000} s: its session holds the advisory lock ${MIGRATION_LOCK} (see pg_locks)`,
  );
};
