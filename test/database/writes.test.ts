import pg from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { openSession } from '../support/session.ts';
import { shared } from '../support/shared.ts';

// What the tables cost those who write them; `npm run bench:writes` measures it.

const database = await shared(createTestDatabase());
await database.sql(`
  insert into category (name, slug) values ('Tea', 'tea');
  insert into product (category_id, name, slug, price) select 1, 'Kettle ' || n, 'kettle-' || n, n from generate_series(1, 3000) n`);

test('a new stock is an entry in no index: the page of its row has room', async () => {
  await using session = await openSession(database);
  await session.query('begin; update product set stock = stock + 1 where id = 17');
  expect(
    await session.query(`select pg_stat_get_xact_tuples_hot_updated('product'::regclass)::int as updates`),
  ).toMatchObject({ rows: [{ updates: 1 }] });
});

test('the rows of an update of products are kept for one trigger alone', async () => {
  expect(
    await database.sql(
      `select tgname as name from pg_trigger where tgrelid = 'product'::regclass and not tgisinternal and tgtype & 16 > 0`,
    ),
  ).toEqual([{ name: 'vitrine_notify_update' }]);
});

test('of one product that is inserted, renamed or deleted, the words are kept by statements that are planned once a session', async () => {
  await using session = await openSession(database);
  const words = () => session.query('select words::text from product_words where product_id = 9000');
  await session.query('begin; alter function vitrine_make_words rename to planned_each_time');
  await session.query(`insert into product (id, category_id, name, slug, price) values (9000, 1, 'Pot', 'pot', 1)`);
  expect(await words()).toMatchObject({ rows: [{ words: `'pot':1A` }] });
  await session.query(`update product set name = 'Jug' where id = 9000`);
  expect(await words()).toMatchObject({ rows: [{ words: `'jug':1A` }] });
  await session.query('delete from product where id = 9000');
  expect(await words()).toMatchObject({ rowCount: 0 });
});

/** What is notified of statements, each in a transaction of its own: ids, ids of groups, next change, by table. */
const notifiedBy = async (...statements: readonly string[]): Promise<string[][]> => {
  const client = new pg.Client(database.url);
  await client.connect();
  const heard: string[][] = [];
  client.on('notification', ({ payload = '' }) => void heard.push(payload.split(' ')));
  await client.query('listen vitrine');
  for (const statement of statements) await client.query(statement);
  await client.end();
  return heard;
};

const PRODUCTS = `insert into product (id, category_id, name, slug, price, published_at)
  select n, 1, 'Many', 'many-' || n, 1, '2020-01-01Z' from generate_series(20001, 20450) n`;
const VARIANTS = `insert into product_variant (id, product_id, price) select id, id, 1 from product where id > 20000`;

test.for([
  ['product', 'inserted', PRODUCTS],
  ['product_variant', 'inserted', VARIANTS],
  // As it was and as it is.
  ['product', 'updated', 'update product set stock = 1 where id > 20000', 2],
  ['product_variant', 'updated', 'update product_variant set stock = 1 where id > 20000'],
  ['product_variant', 'deleted', 'delete from product_variant where id > 20000'],
  ['product', 'deleted', 'delete from product where id > 20000'],
] as const)(
  'each of 450 rows of %s that are %s by one statement is notified, whichever payload has it',
  async ([table, , statement, times = 1]) => {
    const heard = (await notifiedBy(statement)).filter(([name]) => name === table);
    expect(heard.length).toBeGreaterThan(2);
    const ids = heard.flatMap(([, list = '']) => list.split(',').map(Number));
    const once = Array.from({ length: 450 }, (_, index) => 20_001 + index);
    expect(ids.toSorted((a, b) => a - b)).toEqual(once.flatMap((id) => Array(times).fill(id)));
  },
);

test('a product that is published while its transaction runs is notified as one that is yet to be published, and an older one is not', async () => {
  const heard = await notifiedBy(
    `insert into product (id, category_id, name, slug, price) values (9001, 1, 'Cup', 'cup', 1)`,
    `update product set published_at = now() where id = 9001`,
    `update product set published_at = now() where id in (9001, 1)`,
    `begin; update product set published_at = clock_timestamp() where id = 9001; select pg_sleep(0.01); commit`,
    `update product set published_at = now() - interval '1 minute' where id = 9001`,
    `update product set published_at = now() - interval '1 minute' where id = 1`,
    `update product set published_at = now() - interval '1 minute' where id in (9001, 1)`,
  );
  const isToCome = heard.map(([, , , ms]) => Number(ms) < Number.POSITIVE_INFINITY);
  expect(isToCome).toEqual([true, true, true, true, false, false, false]);
  await database.sql('delete from product where id = 9001');
});

test('very many updates of one product each, in one transaction, are notified as one of all products', async () => {
  const client = new pg.Client(database.url);
  await client.connect();
  const heard: string[] = [];
  client.on('notification', ({ payload = '' }) => void heard.push(payload));
  await client.query('listen vitrine');
  // As if 35,000 rows had been notified before.
  await client.query(`do $$ begin
    perform set_config('vitrine.products_told', '35000', true);
    for n in 1 .. 6000 loop
      update product set price = price + 1 where id = 1 + n % 3000;
    end loop;
  end $$`);
  const { rows } = await client.query(`select 'product oid=' || 'product'::regclass::oid as all`);
  await client.end();
  expect(heard.at(-1)).toBe(rows[0].all);
});
