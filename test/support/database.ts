import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Runs one statement as the back office would, on a connection of its own. */
  readonly sql: <Row extends pg.QueryResultRow = pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
}

/** Of a database on the server of the tests. */
export const urlOf = (name: string): string => {
  const url = new URL(inject('templateUrl'));
  url.pathname = `/${name}`;
  return url.href;
};

/** Runs one statement on the server, outside the databases of tests. */
export const administer = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};

/** The name of the database that is migrated, and has no row. */
export const emptyTemplate = (): string => new URL(inject('templateUrl')).pathname.slice(1);

/** A database of the caller's own, migrated and empty; with `migrated: false`, without even the tables; or a copy of another that is named. */
export const createTestDatabase = async ({
  migrated = true,
  template,
}: {
  readonly migrated?: boolean;
  readonly template?: string;
} = {}): Promise<TestDatabase> => {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copies files instead of logging every page, which takes a third of the time.
  await administer(
    `create database ${name} template ${template ?? (migrated ? emptyTemplate() : 'template0')} strategy file_copy`,
  );
  const pool = new pg.Pool({ connectionString: urlOf(name), max: 4 });
  pool.on('error', () => {});
  return {
    url: urlOf(name),
    sql: async (text, values) => (await pool.query(text, values)).rows,
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      await administer(`drop database ${name} with (force)`);
    },
  };
};

/**
 * Takes all rows out of tables, and begins their ids anew. `truncate … restart identity` makes each file of each index anew, and takes fifty times as long.
 * @param tables those that name others first. @default all of the catalogue
 */
export const emptyTables = async (
  { sql }: Pick<TestDatabase, 'sql'>,
  tables: readonly string[] = ['product_variant', 'product', 'category', 'notice', 'term_translation'],
): Promise<void> => {
  const deletions = tables.map(
    (table) => `delete from ${table};
      select setval(pg_get_serial_sequence('${table}', attname), 1, false) from pg_attribute
      where attrelid = '${table}'::regclass and attidentity <> ''`,
  );
  await sql(deletions.join(';'));
};
