import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../errors.ts';

/** The advisory lock of Prisma's own engine, so that `prisma migrate` waits for us and we for it. */
export const MIGRATION_LOCK = 72_707_369;

const MINIMUM_VERSION = { number: 150_000, name: '15' };
const LOCK_POLL_MS = 100;

/** What each connection sets, over what the role or the database has set. */
const SESSION = {
  // Prisma reads and writes the text of timestamps as if it were UTC.
  TimeZone: 'UTC',
  // A migration that waits for a table makes everyone else wait behind it: better to fail and be run again.
  lock_timeout: '10s',
  statement_timeout: '0',
};

export interface MigrationConnection {
  /** A pool of one connection, which holds {@link MIGRATION_LOCK} for as long as it lives. The caller ends it. */
  readonly pool: pg.Pool;
  /** The PostgreSQL schema that migrations work in. It may not exist yet. */
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
  const { url, schema, label } = readUrl(options.url);
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'vitrine migrate',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    max: 1,
    idleTimeoutMillis: 0,
    // Here and not once at the start, so that a connection that replaces a lost one cannot go on without the lock.
    onConnect: async (client) => {
      await refuseOldServer(client);
      await takeLock(client, options);
    },
  });
  pool.on('error', () => {}); // A connection lost while idle is noticed by the next query.

  try {
    const { rows } = await pool.query<{ schema: string | null }>('select current_schema() as schema');
    return { pool, schema: schema ?? rows[0]?.schema ?? 'public' };
  } catch (error) {
    await pool.end();
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`cannot connect to the database ${label}: ${messageOf(error)}`, { cause: error });
  }
};

/** The message of an error; of those that Node gathers when a host has several addresses, the first. */
export const messageOf = (error: unknown): string => {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first instanceof Error ? first.message : String(first);
};

const readUrl = (text: string) => {
  const url = URL.parse(text);
  if (!url) throw new OperatorError('DATABASE_URL is not a URL');

  const schema = url.searchParams.get('schema');
  if (schema !== null && !/^[a-z_][a-z0-9_]*$/.test(schema)) {
    throw new OperatorError(
      `the schema in DATABASE_URL must be a plain lower-case name, not ${JSON.stringify(schema)}`,
    );
  }

  const settings = Object.entries({ ...SESSION, ...(schema !== null && { search_path: schema }) });
  const flags = settings.map(([name, value]) => `-c ${name}=${value}`);
  url.searchParams.set('options', [url.searchParams.get('options') ?? '', ...flags].join(' ').trim());
  return { url: url.href, schema, label: `${url.pathname.slice(1)} at ${url.host || 'localhost'}` };
};

const refuseOldServer = async (client: pg.ClientBase): Promise<void> => {
  const { rows } = await client.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
  );
  const [version] = rows;
  if (version && version.number < MINIMUM_VERSION.number) {
    throw new OperatorError(
      `PostgreSQL ${MINIMUM_VERSION.name} or newer is needed, and this server is ${version.name}`,
    );
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
