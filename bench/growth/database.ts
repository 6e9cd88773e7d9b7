import type pg from 'pg';
import { type Catalogue, catalogueOf, fillStatements } from '../database/catalogue.ts';
import { connect, type KeptDatabase, LOAD_SETTINGS, openKeptDatabase } from '../database/kept-database.ts';

/** Notices that are over: what a shop has told in years, beside the few hundred in effect. */
const PAST_NOTICES = 95_000;

const ROWS_AT_ONCE = 100_000;

const PAST = `
  insert into notice (id, title, summary, content, starts_at, ends_at, created_at, updated_at)
  select 1000000 + i, 'Past notice ' || i, 'What was to be known', repeat('The shop told its customers what changed, and from when on. ', 6),
    starts_at, starts_at + interval '7 days', starts_at, starts_at
  from (select i, timestamptz '2015-01-01Z' + i * interval '1 hour' as starts_at from generate_series(1, ${PAST_NOTICES}) i) numbered`;

export interface GrowthDatabase extends KeptDatabase {
  readonly catalogue: Catalogue;
  readonly bytes: number;
}

export const openGrowthDatabase = async (
  serverUrl: string,
  products: number,
  log: (line: string) => void,
): Promise<GrowthDatabase> => {
  const catalogue = catalogueOf(products);
  const name = `vitrine_growth_${products}`;
  const fill = (client: pg.Client, url: string): Promise<void> => fillWith(client, url, catalogue);
  const database = await openKeptDatabase({ serverUrl, name, products, fill, log });
  const { rows } = await database.client.query<{ bytes: string }>(
    'select pg_database_size(current_database()) as bytes',
  );
  return { ...database, catalogue, bytes: Number(rows[0]?.bytes) };
};

const fillWith = async (client: pg.Client, url: string, catalogue: Catalogue): Promise<void> => {
  await client.query(PAST);
  await fillCatalogue(client, url, catalogue);
};

/** Millions of products, by two connections. */
export const fillCatalogue = async (client: pg.Client, url: string, catalogue: Catalogue): Promise<void> => {
  const [categories = '', products = '', notices = ''] = fillStatements(catalogue);
  for (const statement of [categories, notices]) await client.query(statement);
  const [range = '', last] = /generate_series\(1, (\d+)\)/.exec(products) ?? [];
  const parts = Array.from({ length: Math.ceil(Number(last) / ROWS_AT_ONCE) }, (_, n) => n * ROWS_AT_ONCE + 1).values();
  const insert = async (): Promise<void> => {
    const inserter = await connect(url);
    try {
      await inserter.query(LOAD_SETTINGS);
      for (const from of parts) {
        const to = Math.min(from + ROWS_AT_ONCE - 1, Number(last));
        await inserter.query(products.replace(range, `generate_series(${from}, ${to})`));
      }
    } finally {
      await inserter.end();
    }
  };
  await Promise.all([insert(), insert()]);
};
