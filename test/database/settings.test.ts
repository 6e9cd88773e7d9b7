import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';

// A role or a database may have any setting: writers' triggers and the gateway do the same with each.

const database = await shared(createTestDatabase());
const [{ name = '' } = {}] = await database.sql<{ name: string }>('select current_database() as name');
await database.sql(`
  insert into category (id, name, slug) values (1, 'Tea', 'tea');
  insert into product (id, category_id, name, slug, price, brand, attributes, published_at) values
    (1, 1, '緑茶の急須', 'pot', 10.5, E'O''Neil\\\\Sons', '{"Weight": 1e-7, "Length": 12345678901234567890.5}', '2020-01-01 00:00:00.123457Z'),
    (2, 1, 'Later', 'later', 1, null, '{}', '2999-01-01 00:00:00.5Z');
  insert into product (id, category_id, name, slug, price) select n, 1, 'Mug', 'mug-' || n, 1 from generate_series(1000, 4000) n;
  select gin_clean_pending_list('product_words_idx');
  insert into notice (id, title, content, starts_at) values (1, E'Größe \\\\ 100%', '…', '2020-01-01Z'); analyze`);

const WRITES = [
  `insert into category (id, name, slug) values (9, 'Books', 'books')`,
  `insert into product (id, category_id, name, slug, price, option_names, tags, description, published_at)
   values (101, 9, '日本 Größe 7E2B', 'p-101', 1, '{Size}', '{緑茶}', '<b>bold</b> &amp; more', '2030-01-01 00:00:00.123457Z')`,
  `insert into product (id, category_id, name, slug, price, published_at)
   values (102, 9, '赤い靴', 'p-102', 1, '2031-01-01Z'), (103, 9, '赤', 'p-103', 1, '2031-01-01Z')`,
  `update product set name = '日本 茶碗' where id = 101`,
  `update product set subtitle = 'サブ', published_at = '2031-01-01 00:00:00.123457Z' where id > 101 and id < 104`,
  `insert into product_variant (id, product_id, option_values, price, list_price, stock) values (50, 101, '{M}', 5.5, 6, 7), (51, 101, '{L}', 4.5, null, 1)`,
  `update product_variant set stock = 9 where id = 50`,
  `insert into notice (id, title, content) values (70, 'a', 'b')`,
  `update notice set title = 'b' where id = 70`,
];

const UNDO =
  'delete from product where id between 101 and 103; delete from category where id = 9; delete from notice where id = 70';

/** What a writer's session leaves behind: words, prices, and what is notified. */
const write = async (): Promise<unknown[]> => {
  const heard: string[] = [];
  const client = new pg.Client(database.url);
  client.on('notification', ({ payload = '' }) => void heard.push(payload));
  await client.connect();
  await client.query('listen vitrine');
  try {
    for (const statement of WRITES) await client.query(statement);
  } finally {
    await client.end();
  }
  const rows = await database.sql(
    `select p.id, price::text, list_price::text, stock, words::text from product p join product_words on product_id = id where id between 101 and 103 order by 1`,
  );
  await database.sql(UNDO);
  return [...rows, ...heard];
};

const FACETS =
  'facets { brands { value count } price { min max bands { min max count } } attributes { name min max values { value count } } }';

/** What a gateway answers. */
const ask = async (): Promise<unknown[]> => {
  await using gateway = await createTestGateway(database, { BROWSE_INDEX_MAX_MB: '0' });
  const { data, errors } = await gateway.graphql(`{
    product(id: 1) { name brand price { amount } publishedAt attributes { name values } related(limit: 1) { __typename } }
    newProducts(limit: 1) { __typename }
    search: productSearch(search: "緑茶") { nodes { id } edges { highlight { name { text isMatch } } } }
    mugs: productSearch(search: "mug") { totalCount }
    brand: productSearch(filter: { brands: ["O'Neil\\\\Sons"] }) { totalCount }
    light: productSearch(filter: { attributes: [{ name: "Weight", max: "0.0000001" }] }) { totalCount ${FACETS} }
    searchSuggestions(prefix: "緑") { text }
    noticePage(keyword: "größe \\\\") { total }
    notice(id: 1) { title startsAt inEffect }
  }`);
  // Its header says that it knows the database's clock, and when products next change.
  const { headers } = await gateway.get('/api/product/new?limit=1');
  expect(errors).toBeUndefined();
  return [data, headers['cache-control']];
};

const expected = { written: await write(), answered: await ask() };

const whileSet = async (settings: Readonly<Record<string, string>>, act: () => Promise<unknown>): Promise<void> => {
  for (const [setting, value] of Object.entries(settings))
    await database.sql(`alter database ${name} set ${setting} = ${value}`);
  try {
    await act();
  } finally {
    await database.sql(`alter database ${name} reset all; ${UNDO}`);
  }
};

test.for<Record<string, string>>([
  { standard_conforming_strings: 'off' },
  { extra_float_digits: '-15' },
  { gin_fuzzy_search_limit: '1', enable_seqscan: 'off' },
  // All that changed nothing when it was tried by itself.
  {
    ...{ DateStyle: `'German'`, TimeZone: `'Asia/Kolkata'`, IntervalStyle: 'sql_standard', bytea_output: `'escape'` },
    ...{ array_nulls: 'off', backslash_quote: 'off', transform_null_equals: 'on', quote_all_identifiers: 'on' },
    ...{ lc_messages: `'C'`, lc_monetary: `'C'`, lc_numeric: `'C'`, lc_time: `'C'`, xmloption: 'document' },
    ...{ default_text_search_config: `'pg_catalog.german'`, search_path: '"$user", public, pg_catalog' },
    ...{ row_security: 'off', check_function_bodies: 'off', default_transaction_isolation: `'repeatable read'` },
    ...{ enable_hashjoin: 'off', enable_mergejoin: 'off', enable_nestloop: 'off', enable_indexscan: 'off' },
    ...{ enable_seqscan: 'off', enable_sort: 'off', plan_cache_mode: 'force_generic_plan', statement_timeout: `'30s'` },
    ...{ 'plpgsql.variable_conflict': 'use_column', 'plpgsql.extra_errors': `'all'`, from_collapse_limit: '1' },
  },
])('a database with %j keeps words, prices and notifications, and a gateway answers the same', (settings) =>
  whileSet(settings, async () => {
    expect(await write()).toEqual(expected.written);
    expect(await ask()).toEqual(expected.answered);
  }),
);
