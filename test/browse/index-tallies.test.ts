import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BrowseRequest, Facet, ProductSearchOrder, SearchFilter } from '../../src/browse/browse-engine.ts';
import { ProductIndex } from '../../src/browse/index/product-index.ts';
import { type ProductRow, Slice } from '../../src/browse/index/rows.ts';
import { search } from '../../src/browse/index/search.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const NOW_US = NOW.getTime() * 1000;
/** Of several blocks of rows. */
const PRODUCTS = 4000;
const ORDERS: ProductSearchOrder[] = ['BEST_SELLING', 'NEWEST', 'PRICE_ASC', 'PRICE_DESC', 'NAME_ASC'];
const FACETS: Facet[] = ['categories', 'brands', 'tags', 'price', 'inStock', 'onSale', 'attributes', 'options'];
/** Every product meets it, and each is looked at. */
const ALWAYS: SearchFilter = { publishedFrom: new Date(0) };
/** Fewer products have such a variant than have a small one, or a red one. */
const SMALL_RED: SearchFilter = {
  options: [
    { name: 'Size', values: ['S'] },
    { name: 'Colour', values: ['red'] },
  ],
};

const product = (id: number, random: (below: number) => number): ProductRow => ({
  id,
  category: Slice.of(`${1 + random(3)}`),
  name: Slice.of(`Lamp ${id}`),
  brand: ['Ærø', 'Lampe'].map(Slice.of)[random(3)] ?? null,
  tags: ['new', 'été'].slice(random(3)).map(Slice.of),
  // Many have the same price, and few a very high one.
  cents: random(3) === 0 ? 199 : random(30) === 0 ? random(300) * 10 ** random(12) : random(100_000),
  isInStock: random(10) > 0,
  isReduced: random(4) === 0,
  attributes: [
    ...(random(3) > 0 ? [Slice.of(`"Weight":${random(20) / 4}`)] : []),
    ...(random(3) > 0 ? [Slice.of(`"Material":${JSON.stringify(['wood', 'oak', 'brass'].slice(random(3)))}`)] : []),
  ],
  variants: ['["S","red"]', '["M","red"]', '["M"]', '["M","blue"]', '["S","blue"]']
    .slice(random(6))
    .map((values) => Slice.of(`["Size","Colour"],${values}${'+-'[random(2)]}`)),
  // Mostly by the id, so that blocks differ.
  sales: random(5) === 0 ? random(PRODUCTS) : id >> 4,
  // Some a moment ago, and some to come.
  publishedAt: NOW_US - (random(30) === 0 ? random(8) - 4 : 10 + random(40)) * 20_000_000,

  words: null,
});

const indexOf = (random: (below: number) => number): ProductIndex => {
  const index = new ProductIndex([]);
  for (let id = 1; id <= PRODUCTS; id += 1) {
    // What is put before and after stands in columns, but for the second of some materials.
    if (id === PRODUCTS / 2) index.arrange();
    put(index, product(id, random));
  }
  return index;
};

/** With a place in the order of names, which the database would tell. */
const put = (index: ProductIndex, row: ProductRow): void => {
  index.put(row);
  index.texts.names.rank.set(index.columns.rowOf(row.id), row.cents % 5 === 0 ? row.cents % PRODUCTS : row.id);
};

const ask = (index: ProductIndex, request: Partial<BrowseRequest>) => {
  const { facets, ...reply } = search(index, {
    terms: [],
    filter: {},
    order: 'NEWEST',
    page: { from: 'start', size: 20 },
    isCounted: true,
    facets: new Set(FACETS),
    now: NOW,
    ...request,
  });
  return { ...reply, facets: { ...facets, categories: facets.categories?.toSorted((a, b) => a.value - b.value) } };
};

test('lists of all products are the same by what is kept of blocks and tallies as by a look at each, while products change', () => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
    return Math.floor(((seed >>> 0) / 2 ** 32) * below);
  };
  const index = indexOf(random);
  fc.assert(
    fc.property(fc.gen(), (g) => {
      for (let changes = g(fc.integer, { min: 0, max: 200 }); changes > 0; changes -= 1) {
        const id = 1 + random(PRODUCTS + 100);
        const change = random(5);
        if (change === 0) index.remove(id);
        else put(index, product(id, random));
      }
      if (index.needsCompaction) index.compact();
      const order = g(fc.constantFrom, ...ORDERS);
      const filter = g(fc.constantFrom, {}, {}, { inStock: true }, { onSale: false }, { onSale: true, inStock: true });
      const size = g(fc.constantFrom, 1, 20, 100);
      const both = (page: BrowseRequest['page']) => {
        const expected = ask(index, { order, page, filter: { ...filter, ...ALWAYS } });
        expect(ask(index, { order, page, filter }), JSON.stringify({ order, page, filter })).toEqual(expected);
        return expected.items;
      };
      const first = both({ from: 'start', size });
      both({ from: 'start', size, offset: g(fc.integer, { min: 0, max: 3000 }) });
      const last = both({ from: 'end', size });
      // Where a name stands that a page continues from, the database would tell, too.
      if (order === 'NAME_ASC') return;
      const [after, before] = [first.at(-1)?.position, last[0]?.position];
      if (after) both({ from: 'start', size, position: after });
      if (before) both({ from: 'end', size, position: before });
    }),
    { numRuns: 25 },
  );
});

test('a filter finds and counts the same by columns as by lists, while products change', () => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
    return Math.floor(((seed >>> 0) / 2 ** 32) * below);
  };
  const [columns, lists] = [new ProductIndex([]), new ProductIndex([])];
  const change = (): void => {
    const id = 1 + random(PRODUCTS);
    const row = random(8) === 0 ? undefined : product(id, random);
    for (const index of [columns, lists]) row ? put(index, row) : index.remove(id);
  };
  for (let count = 0; count < PRODUCTS; count += 1) change();
  columns.arrange();
  fc.assert(
    fc.property(fc.gen(), (g) => {
      for (let changes = g(fc.integer, { min: 0, max: 200 }); changes > 0; changes -= 1) change();
      // Where both were closed up at once, both could lose the same.
      const closedUp = g(fc.constantFrom, columns, lists);
      if (closedUp.needsCompaction) closedUp.compact();
      const some = (values: readonly string[]): string[] => g(fc.subarray, [...values], { minLength: 1 }) as string[];
      const maybe = (): boolean => g(fc.boolean);
      const filter: SearchFilter = {
        ...(maybe() && { categoryIds: some(['0', '1', '2']).map(Number) }),
        ...(maybe() && { brands: some(['Ærø', 'Lampe']) }),
        ...(maybe() && { inStock: maybe() }),
        attributes: [
          ...(maybe() ? [{ name: 'Material', values: some(['wood', 'oak', 'brass']) }] : []),
          ...(maybe() ? [{ name: 'Weight', min: '0.5', max: `${g(fc.integer, { min: 1, max: 5 })}` }] : []),
        ],
        options: [
          ...(maybe() ? [{ name: 'Size', values: some(['S', 'M']) }] : []),
          ...(maybe() ? [{ name: 'Colour', values: some(['red', 'blue']) }] : []),
        ],
      };
      const asked = [filter, SMALL_RED].flatMap((each) => [
        { filter: each, facets: new Set<Facet>() },
        { filter: each },
      ]);
      for (const each of asked) expect(ask(columns, each), JSON.stringify(each.filter)).toEqual(ask(lists, each));
    }),
    { numRuns: 50 },
  );
});

test('facets that leave out ten parts of a filter are the same together as each by itself', () => {
  const index = indexOf((below) => Math.floor(Math.random() * below));
  const wide = (name: string, min: number) => ({ name, min: String(min) });
  const filter: SearchFilter = {
    categoryIds: [1, 2],
    brands: ['Ærø', 'Lampe'],
    minPrice: '1',
    maxPrice: '900',
    onSale: false,
    inStock: false,
    attributes: [wide('Weight', 1), { name: 'Material', values: ['wood', 'oak'] }, wide('Weight', 0)],
    options: ['Size', 'Colour'].map((name) => ({ name, values: ['S', 'M', 'red'] })),
  };
  const together = ask(index, { filter }).facets;
  for (const facet of FACETS)
    expect(ask(index, { filter, facets: new Set([facet]) }).facets[facet], facet).toEqual(together[facet]);
  expect(together.options?.[0]?.values.length).toBeGreaterThan(0);
});

test('names with most products come first, however many values and variants these have', () => {
  const index = new ProductIndex([]);
  const rows = [
    ['"Material":["oak", "brass", "wood"]', '["Size","Colour"],["S","red"]+', '["Size","Colour"],["M"]+'],
    ['"Weight":1', '["Size","Colour"],[null,"blue"]+'],
    ['"Weight":2'],
  ].map((texts) => texts.map(Slice.of));
  for (const [id, [attribute, ...variants]] of rows.entries())
    put(index, {
      ...product(id + 1, () => 1),
      publishedAt: NOW_US - 1e12,
      attributes: attribute ? [attribute] : [],
      variants,
    });
  for (const filter of [{}, ALWAYS]) {
    const { attributes, options } = ask(index, { filter }).facets;
    expect(attributes?.map(({ name }) => name)).toEqual(['Weight', 'Material']);
    expect(options?.map(({ name }) => name)).toEqual(['Colour', 'Size']);
  }
});

test('of very many values of an option, each is counted once for a product that has it in two variants', () => {
  const index = new ProductIndex([]);
  for (let id = 1; id <= 600; id += 1) {
    const variants = ['S', 'M'].map((size) => Slice.of(`["Size","Colour"],["${size}","Colour ${id % 200}"]+`));
    put(index, { ...product(id, () => 1), publishedAt: NOW_US - 1e12, variants });
  }
  const { options } = ask(index, { filter: ALWAYS }).facets;
  expect(options).toEqual(ask(index, {}).facets.options);
  expect(options?.[0]?.values[0]?.count).toBe(3);
});

test.each([
  ['BEST_SELLING', { sales: 1_000_000 }, 0],
  ['NEWEST', { publishedAt: NOW_US - 61_000_000 }, 0],
  ['PRICE_ASC', { cents: 0 }, 0],
  ['PRICE_DESC', { cents: 1e13 }, 0],
  ['NAME_ASC', {}, -1],
] as const)('a product that becomes the first in %s is seen where it stands', (order, change, rank) => {
  const index = new ProductIndex([]);
  const rowOf = (id: number): ProductRow => ({
    ...product(id, () => 1),
    sales: 1,
    cents: 500,
    publishedAt: NOW_US - 1e12,
  });
  for (let id = 1; id <= PRODUCTS; id += 1) {
    index.put(rowOf(id));
    index.texts.names.rank.set(index.columns.rowOf(id), id);
  }
  const first = (): number | undefined => ask(index, { order, page: { from: 'start', size: 1 } }).items[0]?.id;
  first();
  const row = index.columns.rowOf(2500);
  index.put({ ...rowOf(2500), ...change });
  if (rank !== 0) index.texts.names.rank.set(row, rank);
  expect(index.columns.rowOf(2500)).toBe(row);
  expect(first()).toBe(2500);
});
