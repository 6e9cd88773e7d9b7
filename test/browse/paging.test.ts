import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { fillShelves, readShelves, type ShelvedProduct } from '../support/shelves.ts';

const database = await shared(createTestDatabase());
await fillShelves(database, 260);
const visible = (await readShelves(database)).filter(({ isVisible }) => isVisible);
const gateway = await shared(createTestGateway(database, { ...PATIENT, CACHE_MAX_MB: '0' }));

const PAGE = `
  nodes { id }
  edges { cursor node { id } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  totalCount
  pageCount`;

const QUERY = `query Page($search: String, $filter: ProductFilter, $orderBy: ProductSearchOrder, $first: Int, $after: String, $last: Int,
    $before: String, $page: Int, $pageSize: Int) {
  productSearch(search: $search, filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before, page: $page,
    pageSize: $pageSize) { ${PAGE} } }`;

interface Page {
  readonly ids: number[];
  readonly cursors: string[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly totalCount: number;
  readonly pageCount: number;
}

const pageOf = async (variables: Record<string, unknown>, from = gateway): Promise<Page> => {
  const { data, errors } = await from.graphql(QUERY, variables);
  expect(errors, JSON.stringify(from.logged.slice(-3))).toBeUndefined();
  const { edges, nodes, ...rest } = data.productSearch;
  const ids = nodes.map(({ id }: { id: number }) => id);
  expect(edges.map(({ node }: { node: { id: number } }) => node.id)).toEqual(ids);
  return { ids, cursors: edges.map(({ cursor }: { cursor: string }) => cursor), ...rest };
};

type Compare = (one: ShelvedProduct, other: ShelvedProduct) => number;

const byPublished: Compare = (one, other) => Number(BigInt(one.published) - BigInt(other.published));
const bestSelling: Compare = (one, other) => other.sales - one.sales || -byPublished(one, other) || other.id - one.id;
const ORDERS: Readonly<Record<string, Compare>> = {
  RELEVANCE: bestSelling,
  BEST_SELLING: bestSelling,
  NEWEST: (one, other) => -byPublished(one, other) || other.id - one.id,
  PRICE_ASC: (one, other) => one.cents - other.cents || one.id - other.id,
  PRICE_DESC: (one, other) => other.cents - one.cents || other.id - one.id,
  NAME_ASC: (one, other) => NAMES.compare(one.name, other.name) || one.id - other.id,
};
const NAMES = new Intl.Collator('en');

const idsIn = (order: string): number[] => visible.toSorted(ORDERS[order] ?? bestSelling).map(({ id }) => id);

/** The ids of all pages, forward. */
const walk = async (variables: Record<string, unknown>): Promise<number[]> => {
  const ids: number[] = [];
  for (let after: string | null = null; ; ) {
    const page: Page = await pageOf({ ...variables, after });
    ids.push(...page.ids);
    if (!page.pageInfo.hasNextPage) return ids;
    after = page.pageInfo.endCursor;
  }
};

describe.each(Object.keys(ORDERS))('in the order %s', (orderBy) => {
  test('all pages forward have each product once', async () => {
    expect(await walk({ orderBy, first: 37 })).toEqual(idsIn(orderBy));
  });

  test('all pages backward have each product once', async () => {
    const ids: number[] = [];
    let page = await pageOf({ orderBy, last: 41 });
    ids.unshift(...page.ids);
    expect(page.pageInfo.hasNextPage).toBe(false);
    while (page.pageInfo.hasPreviousPage) {
      page = await pageOf({ orderBy, last: 41, before: page.pageInfo.startCursor });
      expect(page.pageInfo.hasNextPage).toBe(true);
      ids.unshift(...page.ids);
    }
    expect(ids).toEqual(idsIn(orderBy));
  });

  test('pages by number are those of the cursors', async () => {
    const all = idsIn(orderBy);
    for (const page of [1, 2, 7]) {
      const { ids, totalCount, pageCount, pageInfo } = await pageOf({ orderBy, page, pageSize: 40 });
      expect(ids).toEqual(all.slice((page - 1) * 40, page * 40));
      expect({ totalCount, pageCount }).toEqual({ totalCount: all.length, pageCount: Math.ceil(all.length / 40) });
      expect(pageInfo).toMatchObject({ hasNextPage: page * 40 < all.length, hasPreviousPage: page > 1 });
    }
  });
});

test('the first 20 best-selling products are what is asked for with nothing', async () => {
  const page = await pageOf({});
  expect(page.ids).toEqual(idsIn('BEST_SELLING').slice(0, 20));
  expect(page).toMatchObject({ totalCount: visible.length, pageCount: Math.ceil(visible.length / 20) });
  for (const variables of [{ page: 1 }, { pageSize: 20 }, { first: 20 }, { first: null, after: null, page: null }]) {
    expect((await pageOf(variables)).ids).toEqual(page.ids);
  }
  expect((await pageOf({ last: 20 })).ids).toEqual(idsIn('BEST_SELLING').slice(-20));
});

test('a page past the end is empty and has the true total', async () => {
  const page = await pageOf({ page: 100, pageSize: 100 });
  expect(page).toMatchObject({ ids: [], totalCount: visible.length });
  expect(page.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null });
});

test('a cursor in the middle leads both ways', async () => {
  const all = idsIn('PRICE_ASC');
  const { cursors } = await pageOf({ orderBy: 'PRICE_ASC', first: 50 });
  const next = await pageOf({ orderBy: 'PRICE_ASC', first: 5, after: cursors[9] });
  expect(next.ids).toEqual(all.slice(10, 15));
  expect(next.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  const previous = await pageOf({ orderBy: 'PRICE_ASC', last: 5, before: cursors[9] });
  expect(previous.ids).toEqual(all.slice(4, 9));
  expect(await pageOf({ orderBy: 'PRICE_ASC', before: cursors[3] })).toMatchObject({
    ids: all.slice(0, 3),
    pageInfo: { hasNextPage: true, hasPreviousPage: false },
  });
});

test('a search is paged in the order of relevance, forward and backward', async () => {
  const variables = { search: 'teapot 1' };
  const { totalCount } = await pageOf(variables);
  const ids = await walk({ ...variables, first: 3 });
  expect(ids).toHaveLength(totalCount);
  expect(new Set(ids).size).toBe(totalCount);
  const { cursors } = await pageOf({ ...variables, first: 100 });
  expect((await pageOf({ ...variables, last: 100, before: cursors.at(-1) })).ids).toEqual(ids.slice(0, -1));
  expect((await pageOf({ ...variables, page: 2, pageSize: 2 })).ids).toEqual(ids.slice(2, 4));
});

test('products that stay are met once while others come, go and move', async () => {
  await using own = await createTestDatabase();
  await fillShelves(own, 120);
  await using there = await createTestGateway(own, { ...PATIENT, FRESHNESS_MS: '0' });
  const walked: number[] = [];
  let after: string | null = null;
  for (;;) {
    const page: Page = await pageOf({ orderBy: 'BEST_SELLING', first: 10, after }, there);
    walked.push(...page.ids);
    if (!page.pageInfo.hasNextPage) break;
    after = page.pageInfo.endCursor;
    // The row of the cursor goes, one comes before it and one after it.
    await own.sql('delete from product where id = $1', [page.ids.at(-1)]);
    await insertProduct(own, { category_id: 1, name: 'New', sales: 1000 });
    await insertProduct(own, { category_id: 1, name: 'New', sales: 0, published_at: '2019-01-01Z' });
  }
  const left = (await readShelves(own)).filter(({ isVisible, name }) => isVisible && name !== 'New');
  expect(new Set(walked).size).toBe(walked.length);
  for (const { id } of left) expect(walked).toContain(id);
});

test('products that are equal but for their ids are met once, in every order and both ways', async () => {
  await using own = await createTestDatabase();
  const category = await insertCategory(own);
  const same = { category_id: category, name: 'Same', price: 5, sales: 3, published_at: '2020-01-01Z' };
  for (let each = 0; each < 4; each += 1) await insertProduct(own, same);
  await using there = await createTestGateway(own, PATIENT);
  for (const variables of [...Object.keys(ORDERS).map((orderBy) => ({ orderBy })), { search: 'same' }]) {
    const all = (await pageOf(variables, there)).ids;
    const forward: number[] = [];
    const backward: number[] = [];
    for (let after: string | null = null, before: string | null = null; forward.length < 4; ) {
      const next: Page = await pageOf({ ...variables, first: 1, after }, there);
      const previous: Page = await pageOf({ ...variables, last: 1, before }, there);
      forward.push(...next.ids);
      backward.unshift(...previous.ids);
      after = next.pageInfo.endCursor;
      before = previous.pageInfo.startCursor;
      const isEnd = forward.length === 4;
      expect([next.pageInfo.hasNextPage, previous.pageInfo.hasPreviousPage]).toEqual([!isEnd, !isEnd]);
    }
    expect([all.toSorted(), forward, backward], JSON.stringify(variables)).toEqual([[1, 2, 3, 4], all, all]);
  }
});

test('times are told apart to the microsecond', async () => {
  await using own = await createTestDatabase();
  const category = await insertCategory(own);
  for (const microseconds of ['000001', '000002', '000003', '999999']) {
    await insertProduct(own, { category_id: category, published_at: `1969-07-20T20:17:40.${microseconds}Z` });
  }
  await insertProduct(own, { category_id: category, published_at: '0001-01-01T00:00:00.000001Z' });
  await using there = await createTestGateway(own, PATIENT);
  const ids: number[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const page: Page = await pageOf({ orderBy: 'NEWEST', first: 1, after }, there);
    ids.push(...page.ids);
    after = page.pageInfo.endCursor;
    more = page.pageInfo.hasNextPage;
  }
  expect(ids).toEqual([4, 3, 2, 1, 5]);
});

describe('refused as BAD_USER_INPUT, with the argument named', () => {
  const cursorOf = async (variables: Record<string, unknown>): Promise<string> =>
    (await pageOf({ ...variables, first: 1 })).cursors[0] ?? '';

  const refusal = async (variables: Record<string, unknown>): Promise<unknown> => {
    const { errors } = await gateway.graphql(QUERY, variables);
    return errors?.map(({ extensions: { code, argument } }) => `${code} ${argument}`);
  };

  test.each<[string, Record<string, unknown>]>([
    ['first', { first: 0 }],
    ['first', { first: 101 }],
    ['first', { first: -1 }],
    ['last', { last: 0 }],
    ['last', { last: 101 }],
    ['page', { page: 0 }],
    ['pageSize', { pageSize: 0 }],
    ['pageSize', { page: 1, pageSize: 101 }],
    ['page', { page: 101, pageSize: 100 }],
    ['page', { page: 501 }],
    ['page', { page: 2_147_483_647 }],
    ['last', { first: 1, last: 1 }],
    ['page', { first: 1, page: 1 }],
    ['pageSize', { last: 1, pageSize: 1 }],
    ['before', { first: 1, before: 'x' }],
    ['page', { after: 'x', page: 1 }],
    ['before', { after: 'x', before: 'x' }],
    ['after', { after: '' }],
    ['after', { after: 'x' }],
    ['before', { before: Buffer.from('["NEWEST"]').toString('base64url') }],
    ['after', { after: Buffer.from('["BEST_SELLING","","1","99999999999999999999","1"]').toString('base64url') }],
    ['after', { after: Buffer.from('["BEST_SELLING","","1","253402300800000000","1"]').toString('base64url') }],
    ['after', { after: Buffer.from('["BEST_SELLING","","1","-62135596800000001","1"]').toString('base64url') }],
    ['after', { after: Buffer.from('["BEST_SELLING","","1e3","1","1"]').toString('base64url') }],
    ['after', { after: Buffer.from('["BEST_SELLING","","1","1","4000000000"]').toString('base64url') }],
    ['after', { orderBy: 'NAME_ASC', after: Buffer.from('["NAME_ASC","","\\u0000","1"]').toString('base64url') }],
    ['search', { search: 'x'.repeat(201) }],
    ['search', { search: 'a b c d e f g h i j k' }],
  ])('%s: %j', async (argument, variables) => {
    expect(await refusal(variables)).toEqual([`BAD_USER_INPUT ${argument}`]);
  });

  test('a cursor of another order or another search', async () => {
    const after = await cursorOf({ orderBy: 'NEWEST' });
    expect(await refusal({ orderBy: 'PRICE_ASC', after })).toEqual(['BAD_USER_INPUT after']);
    expect(await refusal({ orderBy: 'NEWEST', search: 'lamp', after })).toEqual(['BAD_USER_INPUT after']);
    const searched = await cursorOf({ search: 'lamp' });
    expect(await refusal({ search: 'chair', after: searched })).toEqual(['BAD_USER_INPUT after']);
    // Either of the two may be a code, which comes first.
    expect(await refusal({ search: 'lamp-', after: searched })).toEqual(['BAD_USER_INPUT after']);
    expect(await refusal({ before: searched })).toEqual(['BAD_USER_INPUT before']);
    expect(await refusal({ search: ' LAMP', after: searched })).toBeUndefined();
    expect(await refusal({ orderBy: 'NEWEST', filter: { inStock: true }, after })).toBeUndefined();
  });

  test('and page numbers lead as far as row 10,000', async () => {
    expect(await refusal({ page: 100, pageSize: 100 })).toBeUndefined();
    expect(await refusal({ page: 10_000, pageSize: 1 })).toBeUndefined();
    expect(await refusal({ page: 10_001, pageSize: 1 })).toEqual(['BAD_USER_INPUT page']);
  });
});

describe('statements', () => {
  const count = (selection: string): Promise<number> =>
    gateway.countStatements(async () => {
      const { errors } = await gateway.graphql(`{ ${selection} }`);
      expect(errors).toBeUndefined();
    });

  test('everything of a list is one statement, and its products are another', async () => {
    const all = `productSearch(first: 5, filter: { brands: ["Lumo"] }) { ${PAGE} correctedSearch
      facets { brands { value count } tags { value count } price { min bands { count } } inStock onSale } }`;
    expect(await count(all)).toBe(2);
  });

  test('equal lists under several names are read once', async () => {
    expect(
      await count('a: productSearch(first: 6) { totalCount } b: productSearch(first: 6) { edges { cursor } }'),
    ).toBe(1);
  });

  test('a count alone reads no product', async () => {
    expect(await count('productSearch(first: 7) { totalCount pageCount }')).toBe(1);
  });

  test('categories of the facet are read together', async () => {
    expect(
      await count('productSearch(first: 8) { facets { categories { category { name ancestors { name } } count } } }'),
    ).toBe(3);
  });
});
