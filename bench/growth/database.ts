import pg from 'pg';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import { type Catalogue, catalogueOf, fillStatements } from '../database/catalogue.ts';

/** Notices that are over: what a shop has told in years, beside the few hundred in effect. */
const PAST_NOTICES = 95_000;

const ROWS_AT_ONCE = 500_000;

const PAST = `
  insert into notice (id, title, summary, content, starts_at, ends_at, created_at, updated_at)
  select 1000000 + i, 'Past notice ' || i, 'What was to be known', repeat('The shop told its customers what changed, and from when on. ', 6),
    starts_at, starts_at + interval '7 days', starts_at, starts_at
  from (select i, timestamptz '2015-01-01Z' + i * interval '1 hour' as starts_at from generate_series(1, ${PAST_NOTICES}) i) numbered`;

export interface GrowthDatabase extends AsyncDisposable {
  readonly url: string;
  readonly catalogue: Catalogue;
  readonly client: pg.Client;
  readonly bytes: number;
}

const databaseOn = (serverUrl: string, name: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
};

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
};

/** A database with so many products on this server: the one that an earlier run has left there, or a new one. */
export const openGrowthDatabase = async (
  serverUrl: string,
  products: number,
  log: (line: string) => void,
): Promise<GrowthDatabase> => {
  const name = `vitrine_growth_${products}`;
  const url = databaseOn(serverUrl, name);
  const catalogue = catalogueOf(products);
  const server = await connect(serverUrl);
  try {
    const { rowCount } = await server.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      // Under another name until it is whole.
      const unfinished = `${name}_unfinished`;
      await server.query(`drop database if exists ${unfinished} with (force)`);
      await server.query(`create database ${unfinished}`);
      const startedMs = performance.now();
      await fill(databaseOn(serverUrl, unfinished), catalogue);
      await server.query(`alter database ${unfinished} rename to ${name}`);
      log(`${products} products loaded in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
    }
  } finally {
    await server.end();
  }
  const client = await connect(url);
  const { rows } = await client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return {
    url,
    catalogue,
    client,
    bytes: Number(rows[0]?.bytes),
    [Symbol.asyncDispose]: () => client.end(),
  };
};

/** Indexes last, for that is how ten million rows are loaded. */
const fill = async (url: string, catalogue: Catalogue): Promise<void> => {
  await applyMigrations({ url, log: () => {} });
  const client = await connect(url);
  try {
    await client.query(
      `set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '512MB'`,
    );
    const { rows: indexes } = await client.query<{ name: string; text: string }>(
      `select indexname as name, indexdef as text from pg_indexes where tablename = 'product' and indexname <> 'product_pkey'`,
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    const [categories = '', products = '', notices = ''] = fillStatements(catalogue);
    for (const statement of [categories, notices, PAST]) await client.query(statement);
    const all = /generate_series\(1, (\d+)\)/.exec(products);
    for (let from = 1; from <= Number(all?.[1]); from += ROWS_AT_ONCE) {
      const to = Math.min(from + ROWS_AT_ONCE - 1, Number(all?.[1]));
      await client.query(products.replace(all?.[0] ?? '', `generate_series(${from}, ${to})`));
    }
    for (const { text } of indexes) await client.query(text);
    await client.query('vacuum (analyze) category, product, notice');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
};
