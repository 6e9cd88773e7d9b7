import pg from 'pg';
import { applyMigrations } from '../../src/database/migrations/apply.ts';

export const CATEGORIES = 200;
export const BRANDS = 2000;
export const TAGS = 5000;
/** Different words; the one of rank r is used as often as 1/r says (Zipf). */
const WORDS = 40_000;

const ROWS_AT_ONCE = 20_000;

const SYLLABLES = 'ka lo mi ren sto vel ba du fin gra hes jo ken lum nar pos qui ros tam wen'.split(' ');

/** The word of a rank from 1: frequent words are short. */
export const wordOf = (rank: number): string => {
  let text = '';
  for (let rest = rank; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    text += SYLLABLES[rest % SYLLABLES.length];
  return text;
};

// Ranks whose logarithms are spread evenly are as frequent as 1/r.
const RANKS = (count: number): string => `
  (select string_agg(concat(s[1 + r % 20], case when r >= 20 then s[1 + r / 20 % 20] end, case when r >= 400 then s[1 + r / 400 % 20] end,
     case when r >= 8000 then s[1 + r / 8000 % 20] end), ' ')
   from (select exp(random() * ln(${WORDS}))::int as r from generate_series(1, ${count} + i * 0)) ranks)`;

const PRODUCTS = `
  insert into product (id, category_id, name, slug, subtitle, description, brand, tags, price, list_price, stock, sales, published_at)
  select i, 1 + floor(${CATEGORIES} * random() ^ 2)::int, ${RANKS(4)}, 'product-' || i, ${RANKS(6)}, ${RANKS(40)},
    'Brand ' || 1 + floor(${BRANDS} * random() ^ 2)::int,
    array(select 'tag ' || 1 + floor(${TAGS} * random() ^ 2)::int from generate_series(1, 3 + i * 0)),
    (100 + floor(exp(random() * 12))) / 100.0, case when random() < 0.2 then 3000 end, floor(random() * 10)::int, floor(1 / (random() + 0.00001))::int,
    timestamptz '2026-01-01Z' - random() * interval '1000 days'
  from (select array['${SYLLABLES.join("', '")}'] as s) syllables, generate_series($1::int, $2::int) i`;

export interface BrowseDatabase extends AsyncDisposable {
  readonly url: string;
  readonly products: number;
  readonly client: pg.Client;
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
export const openBrowseDatabase = async (
  serverUrl: string,
  products: number,
  log: (line: string) => void,
): Promise<BrowseDatabase> => {
  const name = `vitrine_browse_${products}`;
  const url = databaseOn(serverUrl, name);
  const server = await connect(serverUrl);
  try {
    const { rowCount } = await server.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      // Under another name until it is whole.
      const unfinished = `${name}_unfinished`;
      await server.query(`drop database if exists ${unfinished} with (force)`);
      await server.query(`create database ${unfinished}`);
      const startedMs = performance.now();
      await fill(databaseOn(serverUrl, unfinished), products);
      await server.query(`alter database ${unfinished} rename to ${name}`);
      log(`${products} products loaded in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
    }
  } finally {
    await server.end();
  }
  const client = await connect(url);
  return { url, products, client, [Symbol.asyncDispose]: () => client.end() };
};

/** Without triggers. */
const SETTINGS = `set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '512MB'`;

/** Indexes last, for that is how a million rows are loaded. */
const fill = async (url: string, products: number): Promise<void> => {
  await applyMigrations({ url, log: () => {} });
  const client = await connect(url);
  try {
    await client.query(SETTINGS);
    const { rows: indexes } = await client.query<{ name: string; text: string }>(
      `select indexname as name, indexdef as text from pg_indexes where tablename = 'product' and indexname <> 'product_pkey'`,
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await client.query(
      `insert into category (id, parent_id, name, slug) select n, case when n > 20 then 1 + n % 20 end, 'Category ' || n, 'category-' || n
       from generate_series(1, ${CATEGORIES}) n`,
    );
    const ranges = Array.from({ length: Math.ceil(products / ROWS_AT_ONCE) }, (_, n) => n * ROWS_AT_ONCE + 1).values();
    const insert = async (seed: number): Promise<void> => {
      const inserter = await connect(url);
      await inserter.query(`${SETTINGS}; select setseed(${seed})`);
      for (const from of ranges) await inserter.query(PRODUCTS, [from, Math.min(from + ROWS_AT_ONCE - 1, products)]);
      await inserter.end();
    };
    await Promise.all([insert(0.1), insert(0.2)]);
    await client.query(`select setval(pg_get_serial_sequence('product', 'id'), ${products})`);
    for (const { text } of indexes) await client.query(text);
    await client.query('vacuum (analyze) category, product');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
};
