import pg from 'pg';
import { OperatorError } from '../errors.ts';
import { type MigrationConnection, messageOf } from './migration-connection.ts';
import type { MigrationFile } from './migration-files.ts';
import type { MigrationStatus } from './migrations.ts';
import { openSchemaEngine } from './schema-engine.ts';

export interface MigrationRun extends MigrationConnection {
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
export const runMigrations = async (run: MigrationRun): Promise<string[]> => {
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

  const ours = tables.filter((table) => ['category', 'product', 'notice'].includes(table));
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
