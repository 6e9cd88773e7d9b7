import type pg from 'pg';
import { MIGRATIONS_DIRECTORY, type MigrationFile, readMigrationFiles } from './status.ts';

const TABLE = /^create table (\w+)/gm;

/**
 * Gathers statistics of the tables that migrations made. PostgreSQL does so by itself only for tables of which 50 rows have changed: of a small table it knows nothing,
 * and takes it for a large one. A table that another session analyses at the moment is left out, and one of another owner too.
 * @param files the migrations. @default the project's own
 */
export const analyzeTables = async (client: pg.ClientBase, files?: readonly MigrationFile[]): Promise<void> => {
  const scripts = files ?? (await readMigrationFiles(MIGRATIONS_DIRECTORY));
  const names = scripts.flatMap(({ script }) => [...script.matchAll(TABLE)].map(([, name]) => name));
  const { rows } = await client.query<{ tables: string | null }>(
    `select string_agg(quote_ident(name), ', ') as tables from unnest($1::text[]) as name where to_regclass(quote_ident(name)) is not null`,
    [names],
  );
  if (rows[0]?.tables) await client.query(`analyze (skip_locked) ${rows[0].tables}`);
};
