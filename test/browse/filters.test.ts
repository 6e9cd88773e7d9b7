import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { fillShelves, isBelow, PARENTS, readShelves, type ShelvedProduct } from '../support/shelves.ts';

const database = await shared(createTestDatabase());
await fillShelves(database, 300);
const visible = (await readShelves(database)).filter(({ isVisible }) => isVisible);
const gateway = await shared(createTestGateway(database, PATIENT));

interface Filter {
  readonly categoryIds?: readonly number[] | null;
  readonly withDescendants?: boolean;
  readonly brands?: readonly string[] | null;
  readonly tags?: readonly string[] | null;
  readonly minPrice?: string | number;
  readonly maxPrice?: string | number;
  readonly inStock?: boolean | null;
  readonly onSale?: boolean;
  readonly publishedAfter?: string;
}

type Part = 'categories' | 'brands' | 'tags' | 'price' | 'inStock' | 'onSale' | 'published';

/** What the filter says, one product at a time. @param without a part that is left out */
const matches = (product: ShelvedProduct, filter: Filter, without?: Part): boolean => {
  const {
    categoryIds,
    withDescendants = true,
    brands,
    tags,
    minPrice,
    maxPrice,
    inStock,
    onSale,
    publishedAfter,
  } = filter;
  const parts: Record<Part, boolean> = {
    categories:
      !categoryIds?.length ||
      categoryIds.some((id) => (withDescendants ? isBelow(product.category_id, id) : product.category_id === id)),
    brands: !brands?.length || brands.includes(product.brand ?? '∅'),
    tags: !tags?.length || tags.every((tag) => product.tags.includes(tag)),
    price:
      (minPrice === undefined || product.cents >= Number(minPrice) * 100) &&
      (maxPrice === undefined || product.cents <= Number(maxPrice) * 100),
    inStock: typeof inStock !== 'boolean' || product.stock > 0 === inStock,
    onSale: onSale === undefined || isOnSale(product) === onSale,
    // Times are compared as the API gives them: to the millisecond.
    published: publishedAfter === undefined || BigInt(product.published) / 1000n > BigInt(Date.parse(publishedAfter)),
  };
  return Object.entries(parts).every(([part, holds]) => part === without || holds);
};

const isOnSale = ({ cents, list_cents }: ShelvedProduct): boolean => list_cents !== null && list_cents > cents;

const QUERY = `query ($filter: ProductFilter) {
  productSearch(filter: $filter, first: 100) {
    totalCount
    nodes { id }
    facets {
      categories { category { id } count } brands { value count } tags { value count }
      price { min max bands { min max count } } inStock onSale
    }
  }
}`;

const search = async (filter: Filter | null) => {
  const { data, errors } = await gateway.graphql(QUERY, { filter });
  expect(errors).toBeUndefined();
  return data.productSearch;
};

type Counts = [string, number][];

/** Most first, then by value. */
const countsOf = (values: readonly string[]): Counts =>
  Object.entries(Object.groupBy(values, (value) => value))
    .map(([value, each]): [string, number] => [value, each?.length ?? 0])
    .sort(
      ([one, count], [other, otherCount]) => otherCount - count || Buffer.compare(Buffer.from(one), Buffer.from(other)),
    );

const asCounts = (facets: readonly { value: string; count: number }[]): Counts =>
  facets.map(({ value, count }) => [value, count]);

const money = (cents: number): string => (cents / 100).toFixed(2);

const FILTERS: (Filter | null)[] = [
  null,
  {},
  { categoryIds: [2] },
  { categoryIds: [1], withDescendants: true },
  { categoryIds: [1], withDescendants: false },
  { categoryIds: [1, 5, 5, 99] },
  { categoryIds: [99] },
  { categoryIds: [7] },
  { categoryIds: [] },
  { categoryIds: null, brands: null, inStock: null },
  { withDescendants: false },
  { brands: ['Lumo'] },
  { brands: ['Lumo', 'Ärla'] },
  { brands: ['LUMO'] },
  { brands: ['no such\0brand'] },
  { brands: [] },
  { tags: ['gift'] },
  { tags: ['gift', 'red'] },
  { tags: ['gift', 'nothing'] },
  { tags: ['a\0'] },
  { tags: [] },
  { minPrice: '100' },
  { maxPrice: 100.33 },
  { minPrice: '50.33', maxPrice: '50.33' },
  { minPrice: '300' },
  { minPrice: '20', maxPrice: '10' },
  { minPrice: '-5', maxPrice: '99999999999999.9999' },
  { inStock: true },
  { inStock: false },
  { onSale: true },
  { onSale: false },
  { publishedAfter: '2020-01-20T00:00:00Z' },
  { publishedAfter: '2020-01-20T02:00:00+02:00', inStock: true },
  { categoryIds: [1], brands: ['Lumo', 'Nordwind'], tags: ['gift'], maxPrice: '150', inStock: true, onSale: true },
  { categoryIds: [4, 6], brands: ['Ärla'], minPrice: '20', onSale: false },
];

describe.each(FILTERS.map((filter) => [filter] as const))('the filter %j', (given) => {
  const filter = given ?? {};
  const only = (without?: Part): ShelvedProduct[] => visible.filter((product) => matches(product, filter, without));

  test('leaves the products that fit', async () => {
    const { totalCount, nodes } = await search(given);
    const ids = only().map(({ id }) => id);
    expect(totalCount).toBe(ids.length);
    expect(nodes).toHaveLength(Math.min(100, ids.length));
    for (const { id } of nodes) expect(ids).toContain(id);
  });

  test('has facets that leave their own part out, but for tags', async () => {
    const { facets } = await search(given);
    expect(asCounts(facets.brands)).toEqual(countsOf(only('brands').flatMap(({ brand }) => brand ?? [])));
    expect(asCounts(facets.tags)).toEqual(countsOf(only().flatMap(({ tags }) => [...new Set(tags)])));
    expect(facets.inStock).toBe(only('inStock').filter(({ stock }) => stock > 0).length);
    expect(facets.onSale).toBe(only('onSale').filter(isOnSale).length);

    const inCategory = (id: number): number =>
      only('categories').filter(({ category_id }) =>
        (filter.withDescendants ?? true) ? isBelow(category_id, id) : category_id === id,
      ).length;
    const categories = Object.keys(PARENTS)
      .map((id) => [Number(id), inCategory(Number(id))] as const)
      .filter(([, count]) => count > 0)
      .sort(([one, count], [other, otherCount]) => otherCount - count || one - other);
    expect(
      facets.categories.map(({ category, count }: { category: { id: number }; count: number }) => [category.id, count]),
    ).toEqual(categories);
  });

  test('has price bands whose counts are those of the band as a filter', async () => {
    const { facets } = await search(given);
    const prices = only('price').map(({ cents }) => cents);
    if (prices.length === 0) {
      expect(facets.price).toBeNull();
      return;
    }
    const { min, max, bands } = facets.price;
    expect({ min, max }).toEqual({ min: money(Math.min(...prices)), max: money(Math.max(...prices)) });
    expect(bands.length).toBeLessThanOrEqual(5);
    let counted = 0;
    let last = -1;
    for (const band of bands) {
      const [from, to] = [Number(band.min), Number(band.max)];
      expect(from).toBeGreaterThan(last);
      last = to;
      const { minPrice: _, maxPrice: __, ...rest } = filter;
      expect(band.count).toBe(
        visible.filter((product) => matches(product, { ...rest, minPrice: band.min, maxPrice: band.max })).length,
      );
      counted += band.count;
    }
    expect(counted).toBe(prices.length);
  });
});

test('a facet has as many values as are asked for, at most', async () => {
  const { data } = await gateway.graphql(
    '{ productSearch { facets { brands(limit: 1) { value } tags(limit: 2) { value } categories(limit: 3) { count } } } }',
  );
  const { brands, tags, categories } = data.productSearch.facets;
  expect([brands.length, tags.length, categories.length]).toEqual([1, 2, 3]);
});

test('a product is not found after the time that the API gives for its publication', async () => {
  const { data } = await gateway.graphql('{ newProducts(limit: 30) { id publishedAt } }');
  for (const { id, publishedAt } of data.newProducts) {
    const { nodes } = (
      await gateway.graphql(
        'query ($after: DateTime!) { productSearch(filter: { publishedAfter: $after }, first: 100) { nodes { id } } }',
        { after: publishedAt },
      )
    ).data.productSearch;
    expect(nodes).not.toContainEqual({ id });
  }
});

test('a text that no table can hold finds nothing, whatever asks for it', async () => {
  await database.sql(`insert into notice (title, content) values (E'\\ufffd', 'x')`);
  await insertCategory(database, { id: 900, slug: '\ufffd' });
  for (const text of ['\0', '\ud800', '\udc00\0']) {
    const { data } = await gateway.graphql(
      `query ($text: String!) {
        productBySlug(slug: $text) { id } categoryBySlug(slug: $text) { id } noticePage(keyword: $text) { total }
        searchSuggestions(prefix: $text) { text } productSearch(filter: { brands: [$text] }) { totalCount }
      }`,
      { text },
    );
    expect(data, JSON.stringify(text)).toEqual({
      productBySlug: null,
      categoryBySlug: null,
      noticePage: { total: 0 },
      searchSuggestions: [],
      productSearch: { totalCount: 0 },
    });
  }
});

test('values of a filter that are none are refused', async () => {
  for (const filter of [
    { minPrice: 'x' },
    { minPrice: '1e3' },
    { maxPrice: '' },
    { publishedAfter: '2026-01-01' },
    { publishedAfter: '2026-13-01T00:00:00Z' },
    { publishedAfter: '2026-02-30T00:00:00Z' },
    { publishedAfter: '2025-02-29T12:00:00+02:00' },
    { publishedAfter: '2026-01-01T24:00:00Z' },
    { categoryIds: ['a'] },
  ]) {
    const { errors } = await gateway.graphql(QUERY, { filter });
    expect(errors?.[0]?.extensions.code, JSON.stringify(filter)).toBe('BAD_USER_INPUT');
  }
  const literal = await gateway.graphql('{ productSearch(filter: { minPrice: true }) { totalCount } }');
  expect(literal.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
});

test('a changed price shows in the facet, a new product in the count', async () => {
  await using own = await createTestDatabase();
  const category = await insertCategory(own);
  await insertProduct(own, { category_id: category, price: '5.00' });
  await using there = await createTestGateway(own, PATIENT);
  const ask = async () => (await there.graphql('{ productSearch { totalCount facets { price { max } } } }')).data;
  expect(await ask()).toEqual({ productSearch: { totalCount: 1, facets: { price: { max: '5.00' } } } });
  await own.sql('update product set price = 7');
  await expect.poll(ask).toEqual({ productSearch: { totalCount: 1, facets: { price: { max: '7.00' } } } });
  await insertProduct(own, { category_id: category, price: '9.00' });
  await expect.poll(ask).toEqual({ productSearch: { totalCount: 2, facets: { price: { max: '9.00' } } } });
});

test('extreme prices have bands as well', async () => {
  await using own = await createTestDatabase();
  const category = await insertCategory(own);
  await using there = await createTestGateway(own, { ...PATIENT, FRESHNESS_MS: '0' });
  const bands = async () =>
    (await there.graphql('{ productSearch { facets { price { min max bands { min max count } } } } }')).data
      .productSearch.facets.price;
  expect(await bands()).toBeNull();
  await insertProduct(own, { category_id: category, price: '0' });
  expect(await bands()).toEqual({ min: '0.00', max: '0.00', bands: [{ min: '0.00', max: '0.00', count: 1 }] });
  await insertProduct(own, { category_id: category, price: '999999999999.99' });
  expect((await bands()).bands).toEqual([
    { min: '0.00', max: '499999999999.99', count: 1 },
    { min: '500000000000.00', max: '999999999999.99', count: 1 },
  ]);
});

test('a tag that goes with none of the picked ones is not offered, and the others with what the next click gives', async () => {
  await using own = await createTestDatabase();
  const category = await insertCategory(own);
  for (const tags of [['cast iron'], ['cast iron', 'gift'], ['cast iron', 'gift'], ['cotton'], ['cotton', 'gift']])
    await insertProduct(own, { category_id: category, tags });
  await using there = await createTestGateway(own, PATIENT);
  const query = '{ productSearch(filter: { tags: ["cast iron"] }) { totalCount facets { tags { value count } } } }';
  expect((await there.graphql(query)).data.productSearch).toEqual({
    totalCount: 3,
    facets: {
      tags: [
        { value: 'cast iron', count: 3 },
        { value: 'gift', count: 2 },
      ],
    },
  });
});

test('one dear product does not put all others into one band', async () => {
  await using own = await createTestDatabase();
  const category = await insertCategory(own);
  await own.sql(
    `insert into product (category_id, name, slug, price, published_at)
     select $1, 'Lamp', 'p' || n, case when n = 100 then 12000 else n - 0.05 end, '2020-01-01Z' from generate_series(1, 100) n`,
    [category],
  );
  await using there = await createTestGateway(own, PATIENT);
  const { data } = await there.graphql('{ productSearch { facets { price { min max bands { min max count } } } } }');
  expect(data.productSearch.facets.price).toEqual({
    min: '0.95',
    max: '12000.00',
    bands: [
      { min: '0.95', max: '19.99', count: 20 },
      { min: '20.00', max: '39.99', count: 20 },
      { min: '40.00', max: '59.99', count: 20 },
      { min: '60.00', max: '79.99', count: 20 },
      { min: '80.00', max: '12999.99', count: 20 },
    ],
  });
});
