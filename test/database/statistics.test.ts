import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { connectionConfig, withConnection } from '../../src/database/connection.ts';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import { seedDemoCatalogue } from '../../src/import/demo.ts';
import { runImport } from '../../src/import/import.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// What PostgreSQL knows of small tables, which it never analyses by itself.

const knownRows = async ({ sql }: TestDatabase): Promise<Record<string, number>> => {
  const rows = await sql<{ name: string; rows: number }>(
    `select relname as name, reltuples::int as rows from pg_class where relname in ('category', 'product', 'product_words', 'notice')`,
  );
  return Object.fromEntries(rows.map(({ name, rows: known }) => [name, known]));
};

test('the demo catalogue is analysed once it is there', async () => {
  await using database = await createTestDatabase();
  const counts = await withConnection(connectionConfig(database.url), undefined, (client) =>
    seedDemoCatalogue(client, IMPORT_KINDS),
  );
  expect(await knownRows(database)).toEqual({
    category: counts?.categories,
    product: counts?.products,
    product_words: counts?.products,
    notice: counts?.notices,
  });
});

test('an import is followed by an analysis, and one that changes nothing for good is not', async () => {
  await using database = await createTestDatabase();
  await using folder = await temporaryFolder();
  const file = await folder.write('categories.csv', 'name\nTea\nCoffee\nCups\n');
  const config = readConfig({ DATABASE_URL: database.url });
  const log = pino({ level: 'silent' });
  const options = { format: 'categories', currency: undefined, rejectsPath: '/dev/null' };
  const run = (isDryRun: boolean) =>
    runImport({ ...options, kinds: IMPORT_KINDS, paths: [file], config, log, isDryRun });
  await database.sql('update pg_class set reltuples = -1 where relname = $1', ['category']);
  await run(true);
  expect(await knownRows(database)).toMatchObject({ category: -1 });
  await run(false);
  expect(await knownRows(database)).toMatchObject({ category: 3, product: 0 });
});

test('a migration is followed by an analysis of all tables, also of those in a schema with capitals', async () => {
  await using database = await createTestDatabase({ migrated: false });
  const schema = 'MyShop';
  await database.sql(`create schema "${schema}"`);
  const run = { url: database.url, log: () => {} };
  await applyMigrations(run);
  expect(await knownRows(database)).toEqual({ category: 0, product: 0, product_words: 0, notice: 0 });
  await applyMigrations({ ...run, url: `${run.url}?schema=${schema}` });
  expect(
    await database.sql(
      `select relname from pg_class where relnamespace = '"${schema}"'::regnamespace and relkind = 'r' and reltuples < 0`,
    ),
  ).toEqual([{ relname: '_prisma_migrations' }]);
});
