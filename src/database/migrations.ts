import type pg from 'pg';
import { OperatorError } from '../errors.ts';
import { openMigrationConnection } from './migration-connection.ts';
import { hasChecksum, MIGRATIONS_DIRECTORY, type MigrationFile, readMigrationFiles } from './migration-files.ts';

/** What `_prisma_migrations` says of the migrations of this version. Each list holds names, oldest first. */
export interface MigrationStatus {
  /** Done, and known to this version. */
  readonly applied: readonly string[];
  /** What {@link applyMigrations} would do: those not applied, the failed ones among them. */
  readonly pending: readonly string[];
  /** Begun and not finished: another process is at it, or was killed. */
  readonly failed: readonly string[];
  /** Applied, and not in the folder: a newer version has migrated this database. */
  readonly unknown: readonly string[];
  /** Applied from a script that is not the one in the folder. */
  readonly edited: readonly string[];
}

interface MigrationRecord {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

/**
 * Compares the folder with the database without the engine: for every start.
 *
 * @throws {OperatorError} where the role may not read the table. Other failures of the query come as they are.
 */
export const readMigrationStatus = async (
  client: pg.ClientBase | pg.Pool,
  directory = MIGRATIONS_DIRECTORY,
): Promise<MigrationStatus> => compare(await readMigrationFiles(directory), await readRecords(client));

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
    const status = compare(files, await readRecords(connection.pool));
    if (status.edited.length > 0) {
      throw new OperatorError(
        `edited after being applied: ${status.edited.join(', ')}. Restore the file, and put the change into a new migration`,
      );
    }
    if (status.unknown.length > 0) {
      log(`this version does not know ${status.unknown.join(', ')}: a newer one has migrated the database`);
    }
    if (status.pending.length === 0) return [];

    const { runMigrations } = await import('./migration-run.ts');
    return await runMigrations({ ...connection, log, directory, files, status });
  } finally {
    await connection.pool.end();
  }
};

const readRecords = async (client: pg.ClientBase | pg.Pool): Promise<MigrationRecord[]> => {
  // Asked, not tried: a pool drops the connection of a query that fails, and with it the lock of a run.
  const table = await client.query<{ exists: boolean; readable: boolean }>(
    `select to_regclass('_prisma_migrations') is not null as exists,
       coalesce(has_table_privilege(to_regclass('_prisma_migrations'), 'select'), false) as readable`,
  );
  if (!table.rows[0]?.exists) return [];
  if (!table.rows[0].readable) {
    throw new OperatorError(
      'this role may not read the record of migrations: grant select on _prisma_migrations to it',
    );
  }

  const { rows } = await client.query<MigrationRecord>(
    `select migration_name as name, checksum, finished_at is not null as finished
     from _prisma_migrations where rolled_back_at is null`,
  );
  return rows;
};

const compare = (files: readonly MigrationFile[], records: readonly MigrationRecord[]): MigrationStatus => {
  const recordOf = new Map(records.map((record) => [record.name, record]));
  const known = new Set(files.map(({ name }) => name));
  const applied = files.filter(({ name }) => recordOf.get(name)?.finished);
  const all = [...recordOf.values()];
  const names = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name).sort();

  return {
    applied: names(applied),
    pending: names(files.filter((file) => !applied.includes(file))),
    failed: names(all.filter(({ finished }) => !finished)),
    unknown: names(all.filter(({ name, finished }) => finished && !known.has(name))),
    edited: names(applied.filter(({ name, script }) => !hasChecksum(script, recordOf.get(name)?.checksum ?? ''))),
  };
};
