import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { OperatorError } from '../../errors.ts';
import { oneRow } from '../connection.ts';
import { hasCode, INSUFFICIENT_PRIVILEGE, throwUnreachable } from '../failures.ts';

/**
 * Compares a folder of migrations with what `_prisma_migrations` says of it. Each list of names has the oldest first.
 * @throws {OperatorError} where the role may not read the table, or the database is of an earlier history. Other failures come as they are.
 */
export const readMigrationStatus = async (client: pg.ClientBase | pg.Pool, directory = MIGRATIONS_DIRECTORY) => {
  const files = await readMigrationFiles(directory);
  const recordOf = new Map((await readMigrationRecords(client)).map((record) => [record.name, record]));
  const known = new Set(files.map(({ name }) => name));
  const all = [...recordOf.values()];
  const applied = files.filter(({ name }) => recordOf.get(name)?.finished);
  const names = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name).sort();
  assertOwnHistory(names(all.filter(({ name }) => !known.has(name) && name < (files[0]?.name ?? ''))));
  return {
    /** Those of the folder. */
    files,
    /** Done, and known to this version. */
    applied: names(applied),
    /** What `applyMigrations` would do: those not applied, the failed ones among them. */
    pending: names(files.filter((file) => !applied.includes(file))),
    /** Begun and not finished, by `prisma migrate`: another process is at it, or was killed. */
    failed: names(all.filter(({ finished }) => !finished)),
    /** Applied, and not in the folder: a newer version has migrated this database. */
    unknown: names(all.filter((record) => record.finished && !known.has(record.name))),
    /** Applied from a script that is not the one in the folder. */
    edited: names(applied.filter(({ name, script }) => !hasChecksum(script, recordOf.get(name)?.checksum ?? ''))),
  };
};

/** @param former of a history that came before the folder's first one: nothing of the folder can be applied @throws OperatorError with what to do */
const assertOwnHistory = ([former]: readonly string[]): void => {
  if (former === undefined) return;
  throw new OperatorError(
    `this database was made by the migrations of an earlier history (${former} …): run "npx vitrine migrate" on a new one, then copy the rows: pg_dump --data-only --exclude-table=_prisma_migrations --exclude-table=product_words OLD | psql -1 NEW`,
  );
};

interface MigrationRecord {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

const UNDEFINED_TABLE = '42P01';

/** What `_prisma_migrations` has, but for what was rolled back. @throws {OperatorError} where the role may not read it */
const readMigrationRecords = async (client: pg.ClientBase | pg.Pool): Promise<MigrationRecord[]> => {
  try {
    const { rows } = await client.query<MigrationRecord>(
      `select migration_name as name, checksum, finished_at is not null as finished
       from _prisma_migrations where rolled_back_at is null`,
    );
    return rows;
  } catch (error) {
    const isAbsent = hasCode(error, UNDEFINED_TABLE);
    if (!isAbsent && !hasCode(error, INSUFFICIENT_PRIVILEGE)) throw error;
    const { role, schema } = await findRefusal(client);
    if (isAbsent && schema === null) return [];
    const [refused, right] = isAbsent
      ? [`use the schema ${schema}`, `usage on schema ${schema}`]
      : ['read the record of migrations', 'select on _prisma_migrations'];
    throw new OperatorError(
      `${role} may not ${refused}: let the owner of the tables run "npx vitrine migrate --grant-to ${role}", which gives all that serving needs, or "grant ${right} to ${role}"`,
    );
  }
};

/** The role, and a schema of its search path that it may not use: PostgreSQL passes over such a one, so that its tables seem not to be there. */
const findRefusal = (client: pg.ClientBase | pg.Pool) =>
  oneRow<{ role: string; schema: string | null }>(
    client,
    `select quote_ident(current_user) as role,
       (select quote_ident(nspname) from pg_namespace where not has_schema_privilege(oid, 'usage')
          and nspname = any (select btrim(part, ' "') from string_to_table(current_setting('search_path'), ',') part)
        limit 1) as schema`,
  );

/** The SQL that records a migration as applied. */
export const recordOf = ({ name, checksum }: MigrationFile): string => `
  insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
  values (gen_random_uuid()::text, '${checksum}', ${pg.escapeLiteral(name)}, clock_timestamp(), 1)`;

/** The advisory lock of Prisma's own engine, so that `prisma migrate` waits for us and we for it. */
export const MIGRATION_LOCK = 72_707_369;

/** Where the project's migrations are, whether it runs from its sources or compiled. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../../prisma/migrations/', import.meta.url));

export interface MigrationFile {
  /** The name of its folder, which begins with a timestamp. */
  readonly name: string;
  readonly script: string;
  /** What Prisma records of the script. */
  readonly checksum: string;
}

/** The migrations of a folder, oldest first. @throws where one has no migration.sql */
export const readMigrationFiles = async (directory = MIGRATIONS_DIRECTORY): Promise<MigrationFile[]> => {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names.sort().map(async (name) => {
      const script = await readFile(join(directory, name, 'migration.sql'), 'utf8');
      return { name, script, checksum: checksumOf(script) };
    }),
  );
};

const checksumOf = (script: string): string => createHash('sha256').update(script).digest('hex');

/** Whether this is the script that Prisma took the checksum of. As there, the kind of line ending does not count: Git may change it. */
const hasChecksum = (script: string, checksum: string): boolean => {
  const unix = script.replaceAll('\r\n', '\n');
  return [script, unix, unix.replaceAll('\n', '\r\n')].some((variant) => checksumOf(variant) === checksum);
};

/** @throws OperatorError that says what to run, unless the database is there and every migration of this version is applied */
export const assertMigrated = async (pool: pg.ClientBase | pg.Pool): Promise<void> => {
  const { pending } = await readMigrationStatus(pool).catch(throwUnreachable);
  if (pending.length === 0) return;
  throw new OperatorError(
    `The database lags behind this version. Run "npx vitrine migrate" first, as the role that owns the tables; it would apply:\n  ${pending.join('\n  ')}`,
  );
};
