import { pino } from 'pino';
import { expect, test } from 'vitest';
import { connectionConfig } from '../../src/database/connection.ts';
import { createPool, createPrisma } from '../../src/database/pool.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
await database.sql(
  `insert into category (name, slug, position) select 'C' || n, 'c' || n, n from generate_series(1, 20) n`,
);
await database.sql(`
  insert into product (category_id, name, slug, price, sales)
  select 1 + n % 20, 'P' || n, 'p' || n, n, n from generate_series(1, 600) n`);
await database.sql(`
  insert into product_variant (product_id, price, sku) select n, n, 'V' || n from generate_series(1, 600) n`);
await database.sql(`insert into notice (title, content) select 'N' || n, '…' from generate_series(1, 15) n`);
// No row is known from an earlier operation.
const gateway = await shared(createTestGateway(database, { CACHE_MAX_MB: '0' }));

const NESTED = '{ categories { name products(limit: 10) { name category { name } } } }';

const PRODUCTS_IN_DEPTH = `{ products(limit: 100) {
  variants { title price { amount } selectedOptions { name } product { name } }
  options { name }
  priceRange { min { amount } }
  variant(options: []) { sku }
} }`;
const ids = (prefix = ''): string =>
  Array.from({ length: 100 }, (_, index) => (prefix ? `"${prefix}${index + 1}"` : index + 1)).join();

test('20 categories with 10 products each with their category take 2 statements', async () => {
  expect(
    await gateway.countStatements(async () => {
      const { data, errors } = await gateway.graphql(NESTED);
      expect(errors, JSON.stringify(gateway.logged)).toBeUndefined();
      expect(data.categories).toHaveLength(20);
      for (const category of data.categories) {
        expect(category.products).toHaveLength(10);
        for (const product of category.products) expect(product.category.name).toBe(category.name);
      }
    }),
  ).toBe(2);
});

const HOME = `{
  hot: hotProducts(limit: 10) { name category { name } }
  new: newProducts(limit: 10) { name category { name } }
  noticePage(pageSize: 10) { items { title } }
}`;

test('a home page of hot and new products with their categories, and notices, takes 4 statements', async () => {
  for (const orderBy of ['hot', 'new', 'both']) {
    const count = await gateway.countStatements(async () => {
      const { data, errors } = await gateway.graphql(HOME.replace('{', `query ${orderBy} {`));
      expect(errors).toBeUndefined();
      for (const product of [...data.hot, ...data.new]) expect(product.category.name).toMatch(/^C\d+$/);
    });
    expect(count).toBe(4);
  }
});

test.for<[string, string]>([
  ['100 products with their variants, options and price ranges', PRODUCTS_IN_DEPTH],
  ['100 products by their ids with their variants', `{ productsByIds(ids: [${ids()}]) { variants { title } } }`],
  ['100 variants by their ids, with their products', `{ variantsByIds(ids: [${ids()}]) { title product { name } } }`],
  [
    '100 variants by their numbers, with their products',
    `{ variantsBySkus(skus: [${ids('V')}]) { product { name } } }`,
  ],
  ['100 products with what is related to them', '{ products(limit: 100) { related(limit: 2) { name } } }'],
])('%s take 2 statements', async ([, query]) => {
  const count = await gateway.countStatements(async () => {
    const { data, errors } = await gateway.graphql(query);
    expect(errors).toBeUndefined();
    expect(Object.values(data)[0]).toHaveLength(100);
  });
  expect(count).toBe(2);
});

test('a product with its category is one statement, and the parent and children of that are two', async () => {
  const query = '{ product(id: 7) { category { name parent { name } children { name } } } }';
  expect(await gateway.countStatements(() => gateway.graphql(query))).toBe(2);
});

test('a statement that was prepared before a column got another type is sent again', async () => {
  await using database = await createTestDatabase();
  const log = pino({ level: 'silent' });
  const pool = createPool({ connection: connectionConfig(database.url), size: 1, timeoutMs: 2000, log });
  const count = () => pool.query({ name: 'stock', text: 'select stock from product' });
  await count();
  await database.sql('alter table product alter column stock type bigint');
  await expect(count()).resolves.toMatchObject({ rows: [] });
  await pool.end();
});

test('the statements of a transaction are observed as all others are', async () => {
  const begun: string[] = [];
  const ended: string[] = [];
  const observer = (_name: string | undefined, text: string) => {
    begun.push(text);
    return () => void ended.push(text);
  };
  const connection = connectionConfig(database.url);
  const pool = createPool({ connection, size: 1, timeoutMs: 2000, log: pino({ level: 'silent' }), observer });
  const prisma = await createPrisma(pool);
  for (const texts of [begun, ended]) texts.length = 0;
  await prisma.$transaction([prisma.category.count(), prisma.notice.count()]);
  const counts = expect.stringContaining('COUNT');
  expect(begun).toEqual(['BEGIN', counts, counts, 'COMMIT']);
  await prisma.category.count();
  expect(begun.slice(4)).toEqual([counts]);
  expect(ended).toEqual(begun);
  await pool.end();
});
