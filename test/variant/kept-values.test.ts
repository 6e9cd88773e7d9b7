import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, emptyTables } from '../support/database.ts';
import { openSession } from '../support/session.ts';
import { shared } from '../support/shared.ts';

// A product's price, list price and stock are those of its variants.

const database = await shared(createTestDatabase());

const INSERT = 'insert into product_variant (product_id, option_values, price, list_price, stock, position) values';

beforeEach(async () => {
  await emptyTables(database);
  await database.sql(`insert into category (name, slug) values ('Shirts', 'shirts')`);
  await database.sql(`
    insert into product (category_id, name, slug, price, list_price, stock, option_names)
    select 1, 'Shirt ' || n, 'shirt-' || n, 99, 199, 9, '{Size}' from generate_series(1, 3) n`);
});

/** What a query finds of products, as `price/list price/stock`. */
const KEPT = `select string_agg(concat_ws('/', price, coalesce(list_price::text, '-'), stock), ' ' order by id) as kept from product`;

const kept = async (): Promise<string | undefined> => (await database.sql<{ kept: string }>(KEPT))[0]?.kept;

const THREE = `${INSERT}
  (1, '{S}', 20, 25, 3, 2), (1, '{M}', 20, 30, 4, 1), (1, '{L}', 22, 90, 5, 0), (2, '{S}', 7, null, 0, 0)`;
const UNTOUCHED = '99.00/199.00/9';

describe('a product is as its variants are, after', () => {
  test.for<[string, string, string]>([
    ['an insert', THREE, `20.00/30.00/12 7.00/-/0 ${UNTOUCHED}`],
    ['an update', `${THREE}; update product_variant set price = 5 where id = 3`, `5.00/90.00/12 7.00/-/0 ${UNTOUCHED}`],
    ['a delete', `${THREE}; delete from product_variant where id in (1, 2)`, `22.00/90.00/5 7.00/-/0 ${UNTOUCHED}`],
    [
      'the last is deleted: it keeps its values',
      `${THREE}; delete from product_variant`,
      `20.00/30.00/12 7.00/-/0 ${UNTOUCHED}`,
    ],
    [
      'the only one of a product is deleted: it keeps its values',
      `${THREE}; delete from product_variant where product_id = 2`,
      `20.00/30.00/12 7.00/-/0 ${UNTOUCHED}`,
    ],
    [
      'all of one product are written by one statement',
      `${THREE}; update product_variant set price = price + 1, stock = 2 where product_id = 1`,
      `21.00/30.00/6 7.00/-/0 ${UNTOUCHED}`,
    ],
    [
      'a variant goes to another product',
      `${THREE}; update product_variant set product_id = 3 where id = 3`,
      '20.00/30.00/7 7.00/-/0 22.00/90.00/5',
    ],
    [
      'an upsert',
      `${THREE}; ${INSERT} (1, '{S}', 1, null, 1, 9), (3, '{S}', 2, null, 1, 0)
       on conflict (product_id, option_values) do update set price = excluded.price, list_price = excluded.list_price`,
      '1.00/-/12 7.00/-/0 2.00/-/1',
    ],
    [
      'more in stock than an integer holds: the largest',
      `${INSERT} (1, '{S}', 1, null, 2147483647, 0), (1, '{M}', 1, null, 2147483647, 0)`,
      `1.00/-/2147483647 ${UNTOUCHED} ${UNTOUCHED}`,
    ],
    ['a truncate: it keeps its values', `${THREE}; truncate product_variant`, `20.00/30.00/12 7.00/-/0 ${UNTOUCHED}`],
    ['it is deleted', `${THREE}; delete from product where id = 1`, `7.00/-/0 ${UNTOUCHED}`],
  ])('%s', async ([, statements, expected]) => {
    await database.sql(statements);
    expect(await kept()).toBe(expected);
  });

  test('each statement of a transaction, for the others once it commits', async () => {
    await using session = await openSession(database);
    await session.query(`begin; ${THREE}`);
    expect(await session.query(KEPT)).toMatchObject({ rows: [{ kept: `20.00/30.00/12 7.00/-/0 ${UNTOUCHED}` }] });
    expect(await kept()).toBe(`${UNTOUCHED} ${UNTOUCHED} ${UNTOUCHED}`);
    await session.query('commit');
    expect(await kept()).toBe(`20.00/30.00/12 7.00/-/0 ${UNTOUCHED}`);
  });

  test('two transactions that write different variants of it at once', async () => {
    await database.sql(THREE);
    await using one = await openSession(database);
    await using other = await openSession(database);
    await one.query('begin; update product_variant set price = 50, stock = 0 where id = 1');
    const waiting = other.query('update product_variant set price = 40, stock = 0 where id = 2');
    await untilWaiting();
    await one.query('commit');
    await waiting;
    expect(await kept()).toBe(`22.00/90.00/5 7.00/-/0 ${UNTOUCHED}`);
  });

  test('a transaction that reads as of its beginning, which fails where another was faster', async () => {
    await database.sql(THREE);
    await using session = await openSession(database);
    await session.query('begin isolation level repeatable read; select from product');
    await database.sql('update product_variant set price = 25 where id = 3');
    await expect(session.query('update product_variant set price = 30 where id in (1, 2)')).rejects.toThrow(
      'could not serialize access',
    );
  });
});

const untilWaiting = () =>
  vi.waitFor(
    async () => {
      const waiting = await database.sql(
        `select from pg_stat_activity where datname = current_database() and application_name = 'back office' and wait_event_type = 'Lock'`,
      );
      expect(waiting).toHaveLength(1);
    },
    { interval: 5, timeout: 30_000 },
  );

test('the variants of a shop are those of its schema, also after it got another name', async () => {
  for (const schema of ['blue', 'green']) {
    await database.sql(`create schema ${schema};
      create table ${schema}.product (like product including all);
      create table ${schema}.product_variant (like product_variant including all);
      create trigger keep after insert on ${schema}.product_variant referencing new table as new_rows
        for each statement execute function vitrine_keep_products();
      insert into ${schema}.product select * from product`);
  }
  await database.sql('alter schema blue rename to red');
  await database.sql(
    `set search_path = green; insert into red.product_variant (product_id, option_values, price) values (1, '{S}', 3); reset search_path`,
  );
  expect(await database.sql('select price, stock from red.product where id = 1')).toEqual([
    { price: '3.00', stock: 0 },
  ]);
  expect(await database.sql('select price from green.product where id = 1')).toEqual([{ price: '99.00' }]);
  await database.sql('drop schema red cascade; drop schema green cascade');
});

test('a writer of variants needs no right on products', async () => {
  const role = `role_${randomUUID().replaceAll('-', '')}`;
  await database.sql(`create role ${role}; grant select, insert on product_variant to ${role}`);
  try {
    await using session = await openSession(database);
    await session.query(`set role ${role}; ${INSERT} (1, '{S}', 4, null, 1, 0)`);
    await expect(session.query('select from product')).rejects.toThrow('permission denied');
    expect(await kept()).toBe(`4.00/-/1 ${UNTOUCHED} ${UNTOUCHED}`);
  } finally {
    await database.sql(`drop owned by ${role}; drop role ${role}`);
  }
});

describe('the database refuses', () => {
  test('a variant with more values than the product has options, or fewer', async () => {
    for (const values of ['{}', '{S,Blue}']) {
      for (const others of ['', `, (2, '{S}', 1, null, 1, 0)`]) {
        await expect(database.sql(`${INSERT} (1, '${values}', 1, null, 1, 0)${others}`)).rejects.toMatchObject({
          constraint: 'product_variant_option_values_check',
        });
      }
    }
    expect(await kept()).toBe(`${UNTOUCHED} ${UNTOUCHED} ${UNTOUCHED}`);
  });

  test('the 251st variant of a product', async () => {
    const many = (from: number, to: number) =>
      database.sql(
        `insert into product_variant (product_id, option_values, price) select 1, array[n::text], n from generate_series($1::int, $2) n`,
        [from, to],
      );
    await many(1, 250);
    await expect(many(251, 251)).rejects.toThrow('product 1 has 251 variants, and may have 250');
    await expect(database.sql(`${INSERT} (1, '{251}', 1, null, 1, 0), (2, '{S}', 1, null, 1, 0)`)).rejects.toThrow(
      'product 1 has 251 variants, and may have 250',
    );
  });
});

test('no variant has the option values of another one, whatever their first subscript', async () => {
  await database.sql(THREE);
  const again = `insert into product_variant (product_id, option_values, price) values (1, $1, 5)`;
  for (const values of ['{M}', '[0:0]={M}'])
    await expect(database.sql(again, [values]), values).rejects.toThrow('product_variant');
});

test('options are added by one transaction', async () => {
  await database.sql(`${THREE};
    begin;
    update product set option_names = '{Size,Colour}' where id = 1;
    update product_variant set option_values = option_values || '{Blue}' where product_id = 1;
    commit`);
  expect(await database.sql('select option_values from product_variant where product_id = 1 order by id')).toEqual(
    ['S', 'M', 'L'].map((size) => ({ option_values: [size, 'Blue'] })),
  );
});
