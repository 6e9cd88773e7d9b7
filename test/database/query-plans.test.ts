import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import type { BrowseRequest } from '../../src/browse/browse-engine.ts';
import { searchQuery } from '../../src/browse/search.sql.ts';
import { termsOf } from '../../src/browse/words.ts';
import { poolOf, prismaIn } from '../../src/database/pool.ts';
import type { Statement } from '../../src/database/sql.ts';
import { createProductReads, type ProductReads } from '../../src/product/product.loader.ts';
import type { ProductOrder } from '../../src/product/product.order.ts';
import {
  type ListStatement,
  listOfAll,
  listOfCategories,
  relatedToEach,
  topOfEachCategory,
} from '../../src/product/product.sql.ts';
import { itemsOfCodes } from '../../src/variant/variant.loader.ts';
import { createTestDatabase } from '../support/database.ts';
import { openSession } from '../support/session.ts';
import { shared } from '../support/shared.ts';

// The plans of the real statements on a catalogue large enough for PostgreSQL to care. At 1,000,000 products they are the same.

const PRODUCTS = 40_000;
const CATEGORIES = 100;
const LIMIT = 20;
const ORDERS: ProductOrder[] = ['DEFAULT', 'NEWEST', 'BEST_SELLING', 'PRICE_ASC', 'PRICE_DESC', 'NAME_ASC'];

const database = await shared(createTestDatabase());
await database.sql(
  `insert into category (name, slug) select 'C' || n, 'c' || n from generate_series(1, ${CATEGORIES}) n`,
);
// One in 20 not on sale, one in 50 yet to be published.
await database.sql(`
  insert into product (category_id, name, slug, price, sales, status, published_at)
  select 1 + abs(hashint4(n)) % ${CATEGORIES}, 'P' || hashint4(n + 1), 'p' || n, abs(hashint4(n + 2) % 10000) / 100.0,
    abs(hashint4(n + 3) % 5000), case when n % 20 = 0 then 'DRAFT' else 'ON_SALE' end::product_status,
    now() + case when n % 50 = 1 then 1 else -1 end * n * interval '1 minute'
  from generate_series(1, ${PRODUCTS}) n`);
await database.sql(
  `update product set sku = 'S-' || id, tags = array['half ' || id % 2, 't' || id % 500] where id <= 2000`,
);
await database.sql(`
  insert into product_variant (product_id, sku, barcode, price) select n, 'V-' || n, 4000000000000 + n, 1 from generate_series(1, 5000) n`);
await database.sql('vacuum (analyze) product, product_words, product_variant');

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)];

/** How `product` is read by a statement: the kinds of scan, and the rows that they touched. */
const explain = async ({ name, text }: Statement, values: string, planCacheMode: string, relations = ['product']) => {
  await using session = await openSession(database);
  await session.query(`set plan_cache_mode = ${planCacheMode}`);
  await session.query(`prepare ${name} as ${text}`);
  const { rows } = (await session.query(
    `explain (analyze, format json) execute ${name}${values && `(${values})`}`,
  )) as {
    rows: { 'QUERY PLAN': { Plan: PlanNode }[] }[];
  };
  return scansOf(rows[0]?.['QUERY PLAN'][0]?.Plan, relations);
};

const ITEMS = ['product', 'product_variant'];

const scansOf = (plan: PlanNode | undefined, relations = ['product']) => {
  const scans = (plan ? flatten(plan) : []).filter((node) => relations.includes(node['Relation Name'] ?? ''));
  const touched = scans.map(
    (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
  );
  return { kinds: new Set(scans.map((node) => node['Node Type'])), rows: touched.reduce((sum, rows) => sum + rows, 0) };
};

const INDEXED = new Set(['Index Scan', 'Index Only Scan']);

describe.each(['force_custom_plan', 'force_generic_plan'])('with %s', (mode) => {
  test.for<[what: string, statement: ListStatement, values: string, rows: number]>([
    ['the whole catalogue', listOfAll, '', 2 * LIMIT],
    ['one category', listOfCategories, `'{7}', `, 3 * LIMIT],
    ['several categories', listOfCategories, `'{7,8,9,10,11}', `, (5 + 1) * LIMIT * 1.5],
    ['the first of each category', topOfEachCategory, `'{7,8,9,10,11}', `, 5 * LIMIT * 1.5],
  ])(
    '%s is read in every order from one end of an index, or of its part of one',
    async ([, statementOf, values, most]) => {
      for (const order of ORDERS) {
        for (const shown of ['rows', 'ids'] as const) {
          const { kinds, rows } = await explain(statementOf(order, shown), `${values}now(), ${LIMIT}`, mode);
          expect(kinds.isSubsetOf(INDEXED), `${order}: ${[...kinds]}`).toBe(true);
          expect(rows, order).toBeLessThanOrEqual(most);
        }
      }
    },
  );

  test('related products are read by their tags and from the indexes of best sellers', async () => {
    const { kinds, rows } = await explain(relatedToEach, `'{7,8}', now(), 8`, mode);
    expect(kinds.isSubsetOf(new Set([...INDEXED, 'Bitmap Heap Scan'])), [...kinds].join()).toBe(true);
    // A thousand with a tag of all halves, which are then compared.
    expect(rows).toBeLessThan(2 * 2500);
  });
});

test('items are found by their codes in indexes', async () => {
  const { kinds, rows } = await explain(itemsOfCodes, `'{S-77,V-1234,4000000001234}'`, 'force_generic_plan', ITEMS);
  expect(kinds.isSubsetOf(new Set([...INDEXED, 'Bitmap Heap Scan'])), [...kinds].join()).toBe(true);
  expect(rows).toBeLessThanOrEqual(6);
});

/** What Prisma sends for a read, and its values. */
const sentFor = async (read: (reads: ProductReads) => Promise<unknown>): Promise<pg.QueryConfig> => {
  const sent: pg.QueryConfig[] = [];
  const prisma = prismaIn(
    'public',
    poolOf(async (config) => {
      sent.push(config);
      throw new Error('it is not run');
    }),
  );
  await read(createProductReads({ sql: { rows: async () => [] }, prisma })).catch(() => {});
  await prisma.$disconnect();
  const [statement] = sent;
  if (!statement || sent.length > 1) throw new Error(`${sent.length} statements`);
  return statement;
};

test.each<[string, (reads: ProductReads) => Promise<unknown>]>([
  ['ids', ({ byId }) => byId.loadMany([1, 2, 3])],
  ['slugs', ({ bySlug }) => bySlug.loadMany(['p1', 'p2', 'p3'])],
])('by their %s, Prisma reads the rows of products that it gives, from an index', async (_, read) => {
  const { text, values } = await sentFor(read);
  await using session = await openSession(database);
  const { rows } = (await session.query(`explain (analyze, format json) ${text}`, values)) as {
    rows: { 'QUERY PLAN': { Plan: PlanNode }[] }[];
  };
  const scans = scansOf(rows[0]?.['QUERY PLAN'][0]?.Plan);
  expect(scans.kinds.isSubsetOf(new Set([...INDEXED, 'Bitmap Heap Scan'])), [...scans.kinds].join()).toBe(true);
  expect(scans.rows).toBeLessThanOrEqual(4);
});

test.each([
  ['id', 'select * from product where id in (1, 2, 3)'],
  ['slug', `select * from product where slug in ('p1', 'p2', 'p3')`],
  ['the next publication', `select min(published_at) from product where status = 'ON_SALE' and published_at > now()`],
])('%s is looked up in an index', async (_, text) => {
  const { kinds, rows } = await explain({ name: 'lookup', text }, '', 'auto');
  expect(kinds.isSubsetOf(new Set([...INDEXED, 'Bitmap Heap Scan'])), [...kinds].join()).toBe(true);
  expect(rows).toBeLessThanOrEqual(3);
});

describe('a search', () => {
  const REQUEST: BrowseRequest = {
    terms: [],
    filter: {},
    order: 'BEST_SELLING',
    page: { from: 'start', size: LIMIT },
    isCounted: false,
    facets: new Set(),
    now: new Date(),
  };

  const explainSearch = async (request: Partial<BrowseRequest>) => {
    const { text, values } = searchQuery({ ...REQUEST, ...request });
    const [row] = await database.sql<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (analyze, format json) ${text}`, [
      ...values,
    ]);
    return scansOf(row?.['QUERY PLAN'][0]?.Plan, ITEMS);
  };

  test.each<[string, Partial<BrowseRequest>]>([
    ['the first page', {}],
    ['the last page', { page: { from: 'end', size: LIMIT } }],
    ['a page after a cursor', { page: { from: 'start', size: LIMIT, position: ['2500', '1700000000000000', '7'] } }],
    ['a page by price', { order: 'PRICE_ASC', page: { from: 'start', size: LIMIT, position: ['50.00', '7'] } }],
    ['a page by name', { order: 'NAME_ASC', page: { from: 'end', size: LIMIT, position: ['P5', '7'] } }],
  ])('%s of all products reads the rows that it shows', async (_, request) => {
    const { kinds, rows } = await explainSearch(request);
    expect([...kinds].every((kind) => kind.startsWith('Index'))).toBe(true);
    // One more tells whether there is a next page, another one the page before; some are yet to be published.
    expect(rows).toBeLessThan(3 * LIMIT);
  });

  test.each(['s-77', 'v-1234', '4000000001234'])('for the code %s reads the rows that have it', async (code) => {
    for (const found of [{ terms: termsOf(code), order: 'RELEVANCE' }, { order: 'NEWEST' }] as const) {
      const { kinds, rows } = await explainSearch({ ...found, code, isCounted: true });
      expect(kinds.isSubsetOf(new Set([...INDEXED, 'Bitmap Heap Scan'])), [...kinds].join()).toBe(true);
      expect(rows).toBeLessThanOrEqual(4);
    }
  });

  test('for a rare word reads the rows that have the word', async () => {
    const [name] = await database.sql<{ name: string }>('select name from product where id = 77');
    for (const order of ['RELEVANCE', 'BEST_SELLING', 'NAME_ASC'] as const) {
      const terms = termsOf(name?.name.replace('-', ' ') ?? '');
      const { kinds, rows } = await explainSearch({ terms, order, isCounted: true, facets: new Set(['brands']) });
      expect([...kinds]).toEqual(['Index Scan']);
      expect(rows).toBeLessThan(200);
    }
  });
});
