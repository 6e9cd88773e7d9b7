import fc from 'fast-check';
import { describe, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT, type TestGateway } from '../support/gateway.ts';

// The last of each shares its place in memory with the first.
const PRODUCTS = [1, 2, 3, 4, 1 + 2 ** 20];
const CATEGORIES = [1, 2, 3, 1 + 2 ** 14];
const SLUGS = ['a', 'b', 'c', 'd'];

const PATHS = [
  ...PRODUCTS.map((id) => `/api/product/${id}`),
  ...CATEGORIES.map((id) => `/api/product/list?categoryIds=${id}`),
  '/api/product/list?categoryIds=1,3&orderBy=NEWEST',
  // More than an answer rests on one by one, and the real ones last.
  `/api/product/list?limit=100&categoryIds=${[...Array.from({ length: 80 }, (_, index) => 100 + index), ...CATEGORIES]}`,
  '/api/product/hot',
  '/api/product/new?limit=2',
  '/api/product/list?orderBy=PRICE_ASC&limit=3',
  // The beginnings of lists that are longer.
  '/api/product/list?categoryIds=1,2&orderBy=PRICE_ASC&limit=2',
];

const OPERATIONS = [
  ...PRODUCTS.map((id) => `{ product(id: ${id}) { slug price { amount } } }`),
  ...SLUGS.map((slug) => `{ productBySlug(slug: "${slug}") { id price { amount } category { name } } }`),
  '{ category(id: 2) { products(orderBy: NAME_ASC) { id slug } } product(id: 1) { slug } }',
  '{ categories { id products(limit: 2) { id price { amount } } } }',
  '{ product(id: 4) { category { products { id } } } products(categoryIds: [3]) { id stock } }',
];

/** Under a new name each time, so that no response is cached: they are put together from rows and lists that are known. */
const LISTS = [
  'products(categoryIds: [1, 3], orderBy: PRICE_ASC, limit: 3) { id price { amount } stock category { name } }',
  'products(categoryIds: [1, 2], limit: 2) { id sales stock }',
  `products(categoryIds: [2, 1, ${1 + 2 ** 14}], orderBy: PRICE_DESC) { slug price { amount } stock }`,
  'products(orderBy: NEWEST, limit: 2) { id stock publishedAt }',
  'products(categoryIds: [2], orderBy: NAME_ASC) { id name }',
  'products(categoryIds: [2], orderBy: PRICE_ASC, limit: 25) { id price { amount } stock }',
  'products(categoryIds: [2, 3], limit: 60) { id sales stock }',
  'products(orderBy: PRICE_DESC, limit: 20) { id price { amount } }',
  'categories { name children { id } products(limit: 2) { name price { amount } stock } }',
  'categories { id products(orderBy: PRICE_ASC, limit: 2) { name price { amount } } }',
];
let asked = 0;

/** How long after its statement a product is published at the latest. */
const LATEST_PUBLICATION_MS = 20;

/** By how much the clocks of two gateways may differ: each may be so late by the database's. */
const CLOCK_TOLERANCE_MS = 50;

const id = fc.constantFrom(...PRODUCTS);
const category = fc.constantFrom(...CATEGORIES);
const slug = fc.constantFrom(...SLUGS);
const number = fc.nat({ max: 1000 });

// A statement that would break a key changes nothing.
const change: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(id, number).map(([i, n]) => `update product set price = ${n} where id = ${i}`),
  fc
    .tuple(id, number)
    .map(([i, n]) => `update product set stock = ${n}, sales = ${n}, updated_at = now() where id = ${i}`),
  fc.tuple(id, category).map(([i, c]) => `update product set category_id = ${c} where id = ${i}`),
  fc.tuple(id, slug).map(([i, s]) => `update product set slug = '${s}' where id = ${i}`),
  fc.tuple(id, id).map(([i, j]) => `update product set id = ${j} where id = ${i}`),
  fc.tuple(category, category).map(([c, d]) => `update category set id = ${d} where id = ${c}`),
  id.map((i) => `delete from product where id = ${i}`),
  fc
    .tuple(id, category, slug, number)
    .map(
      ([i, c, s, n]) =>
        `insert into product (id, category_id, name, slug, price, sales) values (${i}, ${c}, 'New', '${s}', ${n}, ${n})`,
    ),
  fc.tuple(id, category, slug, number).map(
    ([i, c, s, n]) =>
      `insert into product (id, category_id, name, slug, price) values (${i}, ${c}, 'Up', '${s}', ${n})
         on conflict (slug) do update set price = excluded.price, category_id = excluded.category_id`,
  ),
  fc
    .tuple(id, fc.constantFrom('DRAFT', 'ON_SALE', 'OFF_SALE'))
    .map(([i, status]) => `update product set status = '${status}' where id = ${i}`),
  fc
    .tuple(id, fc.integer({ min: -5, max: LATEST_PUBLICATION_MS }))
    .map(
      ([i, ms]) =>
        `update product set published_at = clock_timestamp() + ${ms} * interval '1 millisecond' where id = ${i}`,
    ),
  number.map((n) => `update product set stock = ${n}`),
  number.map((n) => `update product set stock = ${n} where false`),
  fc.constant(
    `insert into product (category_id, name, slug, price) select 2, 'Many', 'many' || n || random(), 5 from generate_series(1, 150) n`,
  ),
  number.map((n) => `update product set sales = ${n} where name = 'Many'`),
  // A few of them: lists get another order, and shorter.
  fc
    .tuple(fc.constantFrom('price', 'sales', 'stock'), number, fc.nat({ max: 140 }))
    .map(
      ([column, n, from]) =>
        `update product set ${column} = ${n} + id % 3 where id in (select id from product where name = 'Many' order by id offset ${from} limit 8)`,
    ),
  fc
    .nat({ max: 140 })
    .map(
      (from) =>
        `update product set status = 'OFF_SALE' where id in (select id from product where name = 'Many' order by price, id offset ${from} limit 12)`,
    ),
  fc.constant(`delete from product where name = 'Many'`),
  fc.constant('truncate product cascade'),
);

interface Commit {
  /** In one transaction. */
  readonly statements: readonly string[];
  readonly isTakenBack: boolean;
  /** After as many requests of those at the same time. */
  readonly after: number;
}

const commit: fc.Arbitrary<Commit> = fc.record({
  statements: fc.array(change, { minLength: 1, maxLength: 3 }),
  isTakenBack: fc.nat({ max: 9 }).map((n) => n === 0),
  after: fc.nat({ max: PATHS.length + OPERATIONS.length + LISTS.length }),
});

const scriptOf = ({ statements, isTakenBack }: Commit): string => {
  const steps = statements.map(
    (statement) =>
      `begin ${statement}; exception when unique_violation or foreign_key_violation or check_violation then null; end;`,
  );
  const all = steps.join('\n');
  return isTakenBack
    ? `do $$ begin begin ${all} raise 'no'; exception when raise_exception then null; end; end $$`
    : `do $$ begin ${all} end $$`;
};

/** What every request shows. */
const readAll = (gateway: TestGateway): Promise<string>[] => [
  ...PATHS.map(async (path) => `${path} ${(await gateway.get(path)).text}`),
  ...OPERATIONS.map(async (query) => `${query} ${JSON.stringify(await gateway.graphql(query))}`),
  ...LISTS.map(async (list) => {
    asked += 1;
    return `${list} ${JSON.stringify(await gateway.graphql(`query Q${asked} { ${list} }`))}`;
  }),
];

const refill = async ({ sql }: TestDatabase): Promise<void> => {
  await sql('truncate category, product cascade');
  await sql(`insert into category (id, name, slug) select id, 'C' || id, 'c' || id from unnest($1::int[]) id`, [
    CATEGORIES,
  ]);
  await sql(`insert into product (id, category_id, name, slug, price, published_at)
    values (1, 1, 'A', 'a', 1, '2020-01-01Z'), (2, 1, 'B', 'b', 2, '2020-01-01Z'), (3, 2, 'C', 'c', 3, '2020-01-01Z')`);
};

// Nor is a late database a reason to answer what was true before.
const UNHURRIED = { ...PATIENT, STALE_IF_ERROR_S: '0' };

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.concurrent('whatever products a transaction changes, every answer shows it, those that were being made meanwhile too', {
  timeout: 120_000,
}, () => {
  test.for([{ FRESHNESS_MS: '0' }, { FRESHNESS_MS: '30' }])('%j', async (environment, { expect }) => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database, { ...UNHURRIED, ...environment });
    await using uncached = await createTestGateway(database, { ...UNHURRIED, CACHE_MAX_MB: '0', FRESHNESS_MS: '0' });
    let kept = 0;
    const property = fc.asyncProperty(fc.array(commit, { minLength: 15, maxLength: 25 }), async (commits) => {
      await refill(database);
      for (const step of commits) {
        // Read and committed at once, in some order.
        const reads = readAll(gateway);
        if (step.after < reads.length) await reads[step.after];
        await database.sql(scriptOf(step));
        const acknowledgedMs = performance.now();
        await Promise.all([...reads, ...readAll(gateway)]);
        // Past the bound, and until what is published is published by every clock.
        await pause(Math.max(0, acknowledgedMs + LATEST_PUBLICATION_MS + CLOCK_TOLERANCE_MS - performance.now()));
        kept -= await gateway.countStatements(async () => {
          expect(await Promise.all(readAll(gateway))).toEqual(await Promise.all(readAll(uncached)));
        });
        kept += PATHS.length + OPERATIONS.length + LISTS.length;
      }
    });
    await fc.assert(property, { numRuns: 3, endOnFailure: true });
    // It was memory that was right.
    expect(kept).toBeGreaterThan(0);
  });
});
