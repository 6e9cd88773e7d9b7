import fc from 'fast-check';
import pg from 'pg';
import pino from 'pino';
import { expect, test } from 'vitest';
import { connectionConfig } from '../../src/database/connection.ts';
import { Prisma, type Product } from '../../src/database/generated/client/client.ts';
import { createDatabase } from '../../src/database/pool.ts';
import { createSql } from '../../src/database/sql.ts';
import type { StoredRow } from '../../src/database/stored-row.ts';
import { sortedProductOf, withValues } from '../../src/product/product.changed.ts';
import { type SortedProduct, sortKeysOf } from '../../src/product/product.order.ts';
import { changedProducts, productsById } from '../../src/product/product.sql.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const categoryId = await insertCategory(database, { name: 'Krüge' });
const log = pino({ level: 'silent' });
const { pool } = createDatabase({ connection: connectionConfig(database.url), size: 2, timeoutMs: 5000, log });
const sql = createSql(await shared(Promise.resolve(Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() }))));

/** A back office in another time zone, with the payloads of what it does. */
const openBackOffice = async () => {
  const client = new pg.Client({
    connectionString: database.url,
    options: '-c TimeZone=Asia/Kolkata -c DateStyle=German',
  });
  await client.connect();
  const payloads: string[] = [];
  client.on('notification', ({ payload = '' }) => void payloads.push(payload));
  await client.query('listen vitrine');
  return {
    /** What a text, of one transaction, notifies. */
    notifies: async (text: string, values?: unknown[]): Promise<string[]> => {
      // What others have committed so far is heard with the next answer.
      await client.query('select 1');
      payloads.length = 0;
      await client.query(text, values);
      await client.query('select 1');
      return payloads.splice(0);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
};

const backOffice = await shared(openBackOffice());

const read = async <Row>(statement: typeof productsById, id: number): Promise<Row & StoredRow> => {
  const [row] = await sql.storedRows<Row & StoredRow>(statement, [[id]]);
  if (!row) throw new Error('there is a product');
  return row;
};

const textsOf = ({ shape, text }: StoredRow) =>
  Object.fromEntries(Array.from(shape.columns.values(), ({ name, index }) => [name, text.column(index)]));

const cents = fc
  .nat({ max: 99_999_999_999_999 })
  .map((amount) => `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`);
const int = fc.nat({ max: 2 ** 31 - 1 });
const timestamp = fc
  .tuple(
    fc.date({ min: new Date('0001-01-02Z'), max: new Date('9999-12-30Z'), noInvalidDate: true }),
    fc.constantFrom('', '000', '456', '5', '05'),
  )
  .map(([date, micros]) => date.toISOString().replace('Z', `${micros}Z`));

test('a product that was read, with what a notification says that it is now, is what would be read again', async () => {
  const update = fc.record({
    price: cents,
    list_price: fc.option(cents),
    stock: int,
    sales: int,
    updated_at: timestamp,
  });
  await fc.assert(
    fc.asyncProperty(update, timestamp, async (values, publishedAt) => {
      const isPublished = Date.parse(publishedAt) < Date.now();
      const id = await insertProduct(database, {
        category_id: categoryId,
        published_at: isPublished ? publishedAt : '2020-01-01Z',
        brand: null,
        description: 'Ein Krug, 緑茶',
      });
      const before = await read<Product>(productsById, id);
      const [payload = '', ...more] = await backOffice.notifies(
        'update product set price = $2, list_price = $3, stock = $4, sales = $5, updated_at = $6 where id = $1',
        [id, ...Object.values(values)],
      );
      expect(more).toEqual([]);
      const said = payload.split(' ')[4] ?? '';
      expect(textsOf(withValues(before, said) as Product & StoredRow)).toEqual(textsOf(await read(productsById, id)));
      const sorted = sortedProductOf({ id, groupId: categoryId, values: said });
      const again = await read<SortedProduct>(changedProducts, id);
      expect(sorted).toMatchObject({
        categoryId: again.categoryId,
        status: again.status,
        publishedAt: again.publishedAt,
      });
      for (const order of ['DEFAULT', 'NEWEST', 'PRICE_ASC'] as const) {
        for (const { of } of sortKeysOf(order) ?? []) expect(sorted && of(sorted)).toBe(of(again));
      }
    }),
    { numRuns: 100 },
  );
});

test.for(['', '12.50', '1,2,3,4,5', '12.50,-,4,100,1,2,3', '12.50,-,4,,1,2', 'NaN,-,4,100,1,2'])(
  'what is no such text says nothing: "%s"',
  async (said) => {
    const id = await insertProduct(database, { category_id: categoryId });
    expect(withValues(await read<Product>(productsById, id), said)).toBeUndefined();
    expect(sortedProductOf({ id, groupId: categoryId, values: said })).toBeUndefined();
  },
);

/** Columns that a notification says, and changes of all others. */
const SAID = ['price', 'list_price', 'stock', 'sales', 'updated_at'];
const OTHER_CHANGES: Readonly<Record<string, string>> = {
  id: 'id + 1000000',
  category_id: `(select max(id) from category)`,
  name: `name || ' '`,
  slug: `slug || '-2'`,
  subtitle: `''`,
  description: 'upper(description)',
  brand: `'B'`,
  tags: `'{a}'`,
  currency: `'EUR'`,
  image_url: `'/i'`,
  image_urls: `'{/i}'`,
  status: `'OFF_SALE'`,
  published_at: `published_at - interval '1 microsecond'`,
  created_at: `created_at - interval '1 microsecond'`,
};

const saysValues = (payload: string | undefined): boolean => payload?.split(' ').length === 5;

test('a notification says what a product is now only where nothing else of it has changed', async () => {
  await insertCategory(database);
  const columns = Object.values(Prisma.ProductScalarFieldEnum).map((field) =>
    field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  expect([...SAID, ...Object.keys(OTHER_CHANGES)].toSorted()).toEqual(columns.toSorted());
  for (const [column, value] of Object.entries(OTHER_CHANGES)) {
    const id = await insertProduct(database, { category_id: categoryId, description: 'A jug' });
    const [alone] = await backOffice.notifies('update product set price = price + 1 where id = $1', [id]);
    expect(saysValues(alone)).toBe(true);
    const [payload] = await backOffice.notifies(
      `update product set price = price + 1, ${column} = ${value} where id = $1`,
      [id],
    );
    expect(saysValues(payload), column).toBe(false);
    expect(payload).toMatch(/^product /);
  }
});

test.for([
  ['two products', (a, b) => `update product set stock = 5 where id in (${a}, ${b})`, [false]],
  ['no product', () => 'update product set stock = 5 where false', []],
  ['a draft', (a) => `update product set stock = 5 where id = ${a}`, [false], { status: 'DRAFT' }],
  [
    'one that is yet to come',
    (a) => `update product set stock = 5 where id = ${a}`,
    [false],
    { published_at: '2999-01-01Z' },
  ],
  [
    'one twice',
    (a) => `update product set stock = 5 where id = ${a}; update product set stock = 6 where id = ${a}`,
    [true, false],
  ],
  [
    'one after another',
    (a, b) => `update product set stock = 5 where id = ${a}; update product set stock = 5 where id = ${b}`,
    [true, false],
  ],
  [
    'one after another, which is taken back',
    (a, b) =>
      `begin; savepoint s; update product set stock = 5 where id = ${a}; rollback to s; update product set stock = 5 where id = ${b}; commit`,
    [true],
  ],
] satisfies [string, (a: number, b: number) => string, boolean[], object?][])(
  'the first statement of a transaction says what a visible product is now, if it changes no other: %s',
  async ([, textOf, expected, row = {}]) => {
    const [a, b] = [
      await insertProduct(database, { category_id: categoryId, ...row }),
      await insertProduct(database, { category_id: categoryId }),
    ];
    expect((await backOffice.notifies(textOf(a, b))).map(saysValues)).toEqual(expected);
  },
);

test('what a trigger of the shop, or a function, changes meanwhile is not hidden by the statement that called it', async () => {
  const [a, b] = [
    await insertProduct(database, { category_id: categoryId, stock: 9 }),
    await insertProduct(database, { category_id: categoryId, stock: 9 }),
  ];
  await database.sql(`
    create function sold_out() returns trigger language plpgsql as $$
    begin update product set stock = 1 where id = new.id; return null; end $$;
    create trigger sold_out after update on product for each row when (new.stock = 0) execute function sold_out();
    create function refill(product_id int) returns int language sql as 'update product set stock = 7 where id = product_id returning stock'`);
  // The statement within is notified first, with the row as it stays; the one around it says nothing of it.
  for (const [id, statement, stock] of [
    [a, `update product set stock = 0 where id = ${a}`, '1'],
    [b, `update product set stock = 3 where id = ${b} returning refill(id)`, '7'],
  ] as const) {
    const payloads = await backOffice.notifies(statement);
    expect(payloads.map(saysValues)).toEqual([true, false]);
    expect(payloads[0]?.split(',')[2]).toBe(stock);
    expect((await read<Product>(productsById, id)).stock).toBe(Number(stock));
  }
  await database.sql('drop trigger sold_out on product; drop function sold_out; drop function refill');
});

test('a session that writes goes on when columns get other types', async () => {
  const id = await insertProduct(database, { category_id: categoryId });
  const change = () => backOffice.notifies('update product set price = price + 1 where id = $1', [id]);
  expect((await change()).map(saysValues)).toEqual([true]);
  await database.sql(
    'alter table product alter column price type numeric(16, 4), alter column stock type bigint, alter column brand type varchar',
  );
  expect((await change()).map(saysValues)).toEqual([true]);
  await database.sql(
    'alter table product alter column price type numeric(14, 2), alter column stock type integer, alter column brand type text',
  );
  expect((await change()).map(saysValues)).toEqual([true]);
});

test('what is written is not refused where a column has another name', async () => {
  const id = await insertProduct(database, { category_id: categoryId });
  await database.sql('alter table product rename column brand to maker');
  const payloads = await backOffice.notifies('update product set price = price + 1 where id = $1', [id]);
  await database.sql('alter table product rename column maker to brand');
  expect(payloads).toEqual([`product ${id},${id} ${categoryId},${categoryId}`]);
});
