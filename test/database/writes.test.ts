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
