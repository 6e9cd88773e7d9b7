import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../../errors.ts';
import { DatabaseClient } from '../client.ts';
import { connectionConfig } from '../connection.ts';
import { placeOf } from '../connection-url.ts';
import { assertOwnSession } from '../pooler.ts';
import { adoptReplaced } from './adopt.ts';
import {
  MIGRATIONS_DIRECTORY,
  type MigrationFile,
  type MigrationStatus,
  readMigrationFiles,
  readMigrationStatus,
} from './status.ts';

export interface ApplyMigrationsOptions {
  readonly url: string;
  /** Told each step as a line for the operator. */
  readonly log: (line: string) => void;
  /** @default the project's own prisma/migrations */
  readonly directory?: string;
  /** How long to wait for another run. @default 60000 */
  readonly lockWaitMs?: number;
}

/**
 * Applies what is pending, each migration in a transaction of its own, and returns the names. Any number of runs may meet:
 * an advisory lock lets one at a time through, and the others find nothing left to do.
 *
 * @throws {OperatorError} with the cause in the database's words; migrations applied before the one that failed stay
 */
export const applyMigrations = async (options: ApplyMigrationsOptions): Promise<string[]> => {
  const { url, log, directory = MIGRATIONS_DIRECTORY, lockWaitMs = 60_000 } = options;
  const files = await readMigrationFiles(directory);
  const connection = await openMigrationConnection({ url, log, lockWaitMs });
  try {
    const adopted = await adoptReplaced(connection.pool, files);
    if (adopted) log(`adopted a database of a version before 0.1.0: ${adopted} counts as applied`);
    const status = await readMigrationStatus(connection.pool, directory);
    if (status.edited.length > 0) {
      throw new OperatorError(
        `edited after being applied: ${status.edited.join(', ')}. Restore the file, and put the change into a new migration`,
      );
    }
    if (status.unknown.length > 0) {
      log(`this version does not know ${status.unknown.join(', ')}: a newer one has migrated the database`);
    }
    const applied =
      status.pending.length === 0 ? [] : await runMigrations({ ...connection, log, directory, files, status });
    return adopted ? [adopted, ...applied] : applied;
  } finally {
    await connection.pool.end();
  }
};

interface MigrationRun extends MigrationConnection {
  readonly log: (line: string) => void;
  readonly directory: string;
  readonly files: readonly MigrationFile[];
  readonly status: MigrationStatus;
}

// The engine notes the end of a migration in a statement of its own. Noted within the script's transaction as well, a process
// killed between the two leaves no migration that is applied and said to have failed. The run's is the only unfinished row.
const FINISH =
  'update _prisma_migrations set finished_at = clock_timestamp() where finished_at is null and rolled_back_at is null';

/** These statements refuse to run in a transaction, so a script with one must be that single statement. */
const isAtomic = (script: string): boolean => !/\bconcurrently\b/i.test(script);

/**
 * Applies the pending migrations over a connection that holds the lock.
 *
 * @throws {OperatorError} for the first that fails, once it is marked as rolled back and so pending again
 */
const runMigrations = async (run: MigrationRun): Promise<string[]> => {
  const { pool, schema, log, files, status } = run;
  const filters = { externalTables: await readOtherTables(run), externalEnums: [] };

  let scriptError: unknown;
  const runScript = async (script: string): Promise<void> => {
    const client = await pool.connect();
    client.on('error', ignore); // The query tells it too.
    try {
      // One simple query is one transaction (PostgreSQL, "Multiple Statements in a Simple Query").
      await client.query(isAtomic(script) ? `${script}\n;${FINISH}` : script);
    } catch (error) {
      scriptError = error;
      throw error;
    } finally {
      client.off('error', ignore);
      client.release(); // Without the error, as `pool.query` would have it: with the connection the lock would go.
    }
  };

  // 5 MB of WebAssembly, which is compiled when it is imported.
  const { openSchemaEngine } = await import('./schema-engine.ts');
  using engine = await openSchemaEngine({ pool, schema, runScript });
  for (const migrationName of status.failed) {
    log(`${migrationName} was left unfinished by an earlier run`);
    await engine.markMigrationRolledBack({ migrationName });
  }

  const applied: string[] = [];
  for (const [index, file] of files.entries()) {
    if (!status.pending.includes(file.name)) continue;
    const startMs = performance.now();
    try {
      // One at a time, so that it is known which one a failure belongs to.
      await engine.applyMigrations({ migrationsList: toEngineList(run.directory, files.slice(0, index + 1)), filters });
    } catch (error) {
      // Where this fails too (the connection is gone), the next run does it.
      await engine.markMigrationRolledBack({ migrationName: file.name }).catch(ignore);
      throw describeFailure(file, scriptError ?? error);
    }
    log(`applied ${file.name} in ${Math.round(performance.now() - startMs)} ms`);
    applied.push(file.name);
  }
  return applied;
};

/** The tables that a first migration is to leave alone, qualified: the engine would take them for a reason to refuse (P3005). */
const readOtherTables = async ({ pool, schema, files }: MigrationRun): Promise<string[]> => {
  const { rows } = await pool.query<{ role: string; mayCreate: boolean; tables: string[] }>(
    `select current_user as role,
       coalesce(has_schema_privilege(to_regnamespace(quote_ident($1))::oid, 'CREATE'), true) as "mayCreate",
       array(select tablename::text from pg_tables where schemaname = $1 order by tablename) as tables`,
    [schema],
  );
  const { role = '', mayCreate = true, tables = [] } = rows[0] ?? {};
  if (!mayCreate) {
    throw new OperatorError(
      `${role} may not create tables: let the owner run "grant create on schema ${schema} to ${role}"`,
    );
  }
  if (tables.includes('_prisma_migrations')) return [];

  const made = new Set(
    files.flatMap(({ script }) => [...script.matchAll(/^create table "?(\w+)/gim)].map(([, table]) => table)),
  );
  const ours = tables.filter((table) => made.has(table));
  if (ours.length > 0) {
    throw new OperatorError(
      `no migration has made the tables that are there: ${ours.join(', ')}. If they are exactly those of ${files[0]?.name}, ` +
        `run "npx prisma migrate resolve --applied ${files[0]?.name}" and then this again; if not, use another database or schema`,
    );
  }
  return tables.map((table) => `${schema}.${table}`);
};

const toEngineList = (directory: string, files: readonly MigrationFile[]) => ({
  baseDir: directory,
  lockfile: { path: 'migration_lock.toml', content: null },
  shadowDbInitScript: '',
  migrationDirectories: files.map(({ name, script }) => ({
    path: name,
    migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: script } },
  })),
});

const ignore = (): void => {};

const describeFailure = ({ name, script }: MigrationFile, cause: unknown): OperatorError => {
  if (!(cause instanceof pg.DatabaseError)) {
    const [reason] = messageOf(cause).split('\n   0: '); // The engine adds a trace of its own calls.
    return new OperatorError(`migration ${name} failed: ${reason}`, { cause });
  }
  const { message, detail, hint, position } = cause;
  const line = position && ` at line ${script.slice(0, Number(position)).split('\n').length}`;
  const reason = [message, detail, hint].filter(Boolean).join('. ');
  const outcome = isAtomic(script) ? 'It was rolled back' : 'It may have left something behind';
  return new OperatorError(`migration ${name} failed${line ?? ''}: ${reason}. ${outcome}; mend it and run this again`, {
    cause,
  });
};

/** The advisory lock of Prisma's own engine, so that `prisma migrate` waits for us and we for it. */
export const MIGRATION_LOCK = 72_707_369;

const MINIMUM_VERSION = 15;
const LOCK_POLL_MS = 100;

// A migration that waits for a table makes everyone who comes later wait behind it: better to fail and be run again. Once it has the
// table it may take its time, whatever the role's own limit is.
const SESSION = `set lock_timeout = '10s'; set statement_timeout = 0`;

interface MigrationConnection {
  /** A pool of one connection, which holds {@link MIGRATION_LOCK} for as long as it lives. The caller ends it. */
  readonly pool: pg.Pool;
  /** The PostgreSQL schema that the session creates tables in. */
  readonly schema: string;
}

interface MigrationConnectionOptions {
  readonly url: string;
  readonly log: (line: string) => void;
  /** How long to wait for another run to finish. */
  readonly lockWaitMs: number;
}

/** @throws {OperatorError} where the database cannot be reached, is too old, or another run keeps the lock */
const openMigrationConnection = async (options: MigrationConnectionOptions): Promise<MigrationConnection> => {
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
