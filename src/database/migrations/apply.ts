import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../../errors.ts';
import { connectionConfig, DatabaseClient, hostsOf, oneRow, SET_SESSION } from '../connection.ts';
import { hasCode, INSUFFICIENT_PRIVILEGE, messageOf } from '../failures.ts';
import { TABLES } from '../generated/tables.ts';
import { MIGRATION_LOCK, type MigrationFile, readMigrationStatus, recordOf } from './status.ts';

interface ApplyMigrationsOptions {
  readonly url: string;
  /** Is given each step as a line for the operator. */
  readonly log: (line: string) => void;
  /** @default the project's own prisma/migrations */
  readonly directory?: string;
  /** How long to wait for another run. @default 60000 */
  readonly lockWaitMs?: number;
}

/**
 * Applies the pending migrations and returns their names. Any number of runs may overlap: an advisory lock lets one at a time through, and
 * the others find nothing left to do.
 *
 * A migration and its row in `_prisma_migrations` are one transaction. Prisma's own engine writes the row in statements of its own, and a
 * process that is killed between them leaves a migration that is applied and recorded as failed. `prisma migrate` reads and continues the same table.
 * @throws {OperatorError} with the database's own message; migrations applied before the one that failed stay
 */
export const applyMigrations = async (options: ApplyMigrationsOptions): Promise<string[]> => {
  const { url, log, directory, lockWaitMs = 60_000 } = options;
  const limits = { application_name: 'vitrine migrate', connectionTimeoutMillis: 10_000 };
  const client = new DatabaseClient({ ...connectionConfig(url), ...limits });
  client.on('error', () => {}); // The statement under way fails with the same error.
  try {
    await client.connect().catch((cause: unknown) => {
      const database = `${client.database ?? ''} at ${hostsOf(url)}`;
      throw new OperatorError(`cannot connect to the database ${database}: ${messageOf(cause)}`, { cause });
    });
    await prepareSession(client);
    await takeLock(client, lockWaitMs, log);

    const { files, applied, pending, failed, unknown, edited } = await readMigrationStatus(client, directory);
    if (edited.length > 0) {
      throw new OperatorError(
        `edited after being applied: ${edited.join(', ')}. Restore the file, and put the change into a new migration`,
      );
    }
    if (unknown.length > 0) {
      log(`this version does not know ${unknown.join(', ')}: a newer one has migrated the database`);
    }
    for (const name of failed) log(`${name} was left unfinished by an earlier run`);
    if (failed.length > 0) await client.query(FORGET_UNFINISHED);
    if (applied.length + failed.length + unknown.length === 0) await createRecord(client);
    for (const file of files.filter(({ name }) => pending.includes(name))) {
      const startMs = performance.now();
      await applyMigration(client, file);
      log(`applied ${file.name} in ${Math.round(performance.now() - startMs)} ms`);
    }
    if (pending.length > 0) await analyzeTables(client);
    return pending;
  } finally {
    await client.end().catch(() => {});
  }
};

/** As Prisma creates it (schema-engine, `initialize_imperative_migrations_table`). */
const RECORD = `
  create table if not exists _prisma_migrations (
    id varchar(36) primary key not null,
    checksum varchar(64) not null,
    finished_at timestamptz,
    migration_name varchar(255) not null,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`;

const FORGET_UNFINISHED =
  'update _prisma_migrations set rolled_back_at = now() where finished_at is null and rolled_back_at is null';

const DUPLICATE_TABLE = '42P07';

const createRecord = async (client: DatabaseClient): Promise<void> => {
  try {
    await client.query(RECORD);
  } catch (error) {
    if (!hasCode(error, INSUFFICIENT_PRIVILEGE)) throw error;
    const grantSql = `select format('grant create on schema %I to %I', current_schema(), current_user) as grant`;
    const { grant } = await oneRow<{ grant: string }>(client, grantSql);
    throw new OperatorError(
      `${client.user} may not create tables: run this as the role that owns the database, or let that role run "${grant}"`,
    );
  }
};

/** PostgreSQL refuses `concurrently` in a transaction, so a script that has it must be a single statement. */
const isAtomic = (script: string): boolean => !/\bconcurrently\b/i.test(script);

const applyMigration = async (client: DatabaseClient, file: MigrationFile): Promise<void> => {
  const { script } = file;
  try {
    // Statements that are sent together are one transaction: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-MULTI-STATEMENT
    if (isAtomic(script)) await client.query(`${script}\n;${recordOf(file)}`);
    else {
      await client.query(script);
      await client.query(recordOf(file));
    }
  } catch (error) {
    throw describeFailure(file, error);
  }
};

const describeFailure = ({ name, script }: MigrationFile, cause: unknown): OperatorError => {
  if (!(cause instanceof pg.DatabaseError))
    return new OperatorError(`migration ${name} failed: ${messageOf(cause)}`, { cause });
  const { message, detail, hint, position, code } = cause;
  const line = position ? ` at line ${script.slice(0, Number(position)).split('\n').length}` : '';
  const reason = [message, detail, hint].filter(Boolean).join('. ');
  const outcome = isAtomic(script) ? 'It was rolled back' : 'It may have left something behind';
  const remedy =
    code === DUPLICATE_TABLE
      ? `if all tables are exactly as it makes them, run "npx prisma migrate resolve --applied ${name}" and then this again; if not, use another database or schema`
      : 'correct it and run this again';
  return new OperatorError(`migration ${name} failed${line}: ${reason}. ${outcome}; ${remedy}`, { cause });
};

/** The oldest major version of PostgreSQL that is supported. */
export const MINIMUM_VERSION = 15;

// A migration that waits for a table makes everyone who comes later wait behind it: better to fail and be run again. Once it has the
// table it may take its time, whatever the role's own limit is.
const SESSION = `set lock_timeout = '10s'; set statement_timeout = 0; ${SET_SESSION}`;

/** What the server of a connection is, and whether it can be written to. */
export const readServer = (client: pg.ClientBase) =>
  oneRow<
    Record<'version' | 'encoding', string> &
      Record<'isStandby' | 'isReadOnly', boolean> & { readonly major: number; readonly schema: string | null }
  >(
    client,
    `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as version,
       current_setting('server_encoding') as encoding, current_schema() as schema, pg_is_in_recovery() as "isStandby",
       current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  );

/** @throws {OperatorError} where the session cannot migrate */
const prepareSession = async (client: DatabaseClient): Promise<void> => {
  await client.query(SESSION);
  const server = await readServer(client);
  if (server.major < MINIMUM_VERSION)
    throw new OperatorError(`PostgreSQL ${MINIMUM_VERSION} or newer is needed, and this server is ${server.version}`);
  if (server.encoding !== 'UTF8')
    throw new OperatorError(
      `the database is ${server.encoding}, and has to be UTF8: create another with "create database … encoding 'UTF8' template template0"`,
    );
  if (!server.schema)
    throw new OperatorError('no schema of the search path exists: create the one that the tables shall be in');
};

const LOCK_POLL_MS = 100;
const TRY_LOCK = `select pg_try_advisory_lock(${MIGRATION_LOCK}) as locked`;

/**
 * Takes the lock until the session ends. It polls: a statement that blocks on the lock holds a snapshot, and `create index concurrently`
 * would wait for the end of that snapshot for ever.
 */
export const takeLock = async (client: DatabaseClient, waitMs: number, log: (line: string) => void): Promise<void> => {
  const deadlineMs = performance.now() + waitMs;
  for (let isWaiting = false; ; isWaiting = true) {
    const { locked } = await oneRow<{ locked: boolean }>(client, TRY_LOCK);
    if (locked) return;
    if (!isWaiting) log('another migration is running, waiting for it');
    if (performance.now() > deadlineMs) break;
    await setTimeout(LOCK_POLL_MS);
  }
  throw new OperatorError(
    `another migration still runs after ${waitMs / 1000} s: its session holds the advisory lock ${MIGRATION_LOCK} (see pg_locks)`,
  );
};

/**
 * Gathers statistics of our tables. PostgreSQL does so by itself only for tables of which 50 rows have changed: it knows nothing of a small table,
 * and takes it for a large one. A table that another session analyses at the moment is left out, and so is a table of another owner.
 */
export const analyzeTables = async (client: pg.ClientBase): Promise<void> => {
  const { tables } = await oneRow<{ tables: string | null }>(
    client,
    `select string_agg(quote_ident(name), ', ') as tables from unnest($1::text[]) as name where to_regclass(quote_ident(name)) is not null`,
    [Object.values(TABLES)],
  );
  if (tables) await client.query(`analyze (skip_locked) ${tables}`);
};
