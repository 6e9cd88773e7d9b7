import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { openSession } from '../support/session.ts';
import { shared } from '../support/shared.ts';

// The triggers of 20261127000000_product_words: what a product is found by is what it says now, whoever wrote it.

const database = await shared(createTestDatabase());
await database.sql(`insert into category (name, slug) values ('Tea', 'tea')`);

const FRESH = `select id, vitrine_search(name, brand, tags, subtitle, description)::text as words from product order by id`;
const KEPT = 'select product_id as id, words::text from product_words order by product_id';
const INSERT = 'insert into product (category_id, name, slug, price)';

const expectFresh = async (): Promise<void> => expect(await database.sql(KEPT)).toEqual(await database.sql(FRESH));

test('the words of products are kept through every kind of write', async () => {
  for (const statement of [
    `${INSERT} select 1, 'Crème brûlée ' || n, 'p' || n, n from generate_series(1, 20) n`,
    `update product set name = 'Kettle' where id = 1`,
    `update product set brand = 'Tern' where id = 2`,
    `update product set tags = '{緑茶,red tea}' where id < 4`,
    `update product set subtitle = 'for two' where id = 5`,
    `update product set description = '<p>Fine</p>' where id = 5`,
    `update product set status = 'OFF_SALE' where id = 6`,
    `update product set brand = null, tags = '{}'`,
    'update product set id = id + 100 where id = 7',
    `insert into product (id, category_id, name, slug, price) values (1, 1, 'Cup', 'cup', 1) on conflict (id) do update set name = excluded.name`,
    `merge into product p using (values (2), (500)) as s (id) on p.id = s.id when matched then update set name = 'Merged'
       when not matched then insert (id, category_id, name, slug, price) values (s.id, 1, 'New', 'new', 1)`,
    'delete from product where id in (3, 4)',
  ]) {
    await database.sql(statement);
    await expectFresh();
  }
  await expect(database.sql(`begin; update product set name = 'Never'; select 1 / 0; commit`)).rejects.toThrow('zero');
  await expectFresh();
  await database.sql('truncate product');
  expect(await database.sql(KEPT)).toEqual([]);
});

test('a new price, stock or state writes no words', async () => {
  await database.sql(`${INSERT} values (1, 'Kettle', 'kettle', 1)`);
  const version = () => database.sql('select xmin, ctid from product_words');
  const before = await version();
  await database.sql(`update product set price = 2, stock = 3, status = 'OFF_SALE', name = 'Kettle'`);
  expect(await version()).toEqual(before);
  await database.sql(`update product set name = 'Teapot'`);
  expect(await version()).not.toEqual(before);
});

test('a writer needs no rights on the words, and a table of its own by that name changes nothing', async () => {
  const role = `role_${randomUUID().replaceAll('-', '')}`;
  await database.sql(`create role ${role}; grant select, insert, update, delete, truncate on product to ${role}`);
  try {
    await using session = await openSession(database);
    await session.query(
      `set role ${role}; create temporary table product_words (product_id int primary key, words tsvector)`,
    );
    await session.query(
      `truncate product; ${INSERT} values (1, 'Kettle', 'kettle', 1); update product set name = 'Teapot'`,
    );
    expect(await session.query('select from pg_temp.product_words')).toMatchObject({ rowCount: 0 });
    await expect(session.query('select from public.product_words')).rejects.toThrow('permission denied');
    await expectFresh();
  } finally {
    await database.sql(`drop owned by ${role}; drop role ${role}`);
  }
});
