import fc, { type GeneratorValue } from 'fast-check';
import { expect, test } from 'vitest';
import type { Facet, SearchFilter } from '../../src/browse/browse-engine.ts';
import { ProductIndex } from '../../src/browse/index/product-index.ts';
import { Slice } from '../../src/browse/index/rows.ts';
import { search } from '../../src/browse/index/search.ts';
import { compareCodePoints } from '../../src/browse/order.ts';
import { decimalOf } from '../../src/browse/price-bands.ts';
import { indexRow } from '../support/index-rows.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const NOW_US = NOW.getTime() * 1000;
const PRODUCTS = 300;
// Of some products more than the index has columns for.
const TAGS = ['new', 'été', 'tea', 'gift', 'sale', 'oak', 'cup', ...Array.from({ length: 9 }, (_, at) => `tag ${at}`)];
const DETAILS = Array.from({ length: 12 }, (_, at) => `Detail ${at}`);

interface Variant {
  readonly size: string;
  readonly colour: string | null;
  readonly isInStock: boolean;
}

interface Product {
  readonly id: number;
  readonly category: number;
  readonly brand: string | null;
  readonly tags: readonly string[];
  readonly cents: number;
  readonly isInStock: boolean;
  readonly isReduced: boolean;
  readonly attributes: Readonly<Record<string, string | number | readonly string[]>>;
  readonly variants: readonly Variant[];
  readonly publishedAt: number;
}

const some = <Value>(g: GeneratorValue, values: readonly Value[]): Value[] => g(fc.subarray, [...values]) as Value[];
const one = <Value>(g: GeneratorValue, values: readonly Value[]): Value =>
  values[g(fc.nat, { max: values.length - 1 })] as Value;

const productOf = (g: GeneratorValue, id: number): Product => {
  const isInStock = one(g, [true, true, true, true, false]);
  return {
    id,
    category: one(g, [1, 2, 3]),
    brand: one(g, ['Lampe', 'Ærø', null]),
    tags: some(g, TAGS),
    cents: one(g, [100, 199, 5000, 123_456]),
    isInStock,
    isReduced: one(g, [true, false]),
    attributes: {
      ...(one(g, [true, false]) && { Weight: one(g, [0.5, 1, 20]) }),
      ...(one(g, [true, true, false]) && { Material: some(g, ['oak', 'wood']) }),
      ...Object.fromEntries(some(g, DETAILS).map((name) => [name, one(g, ['yes', 'no', 7])])),
    },
    variants: some(g, ['S', 'M', 'L']).map((size) => ({
      size,
      colour: one(g, ['red', 'blue', null]),
      isInStock: isInStock && one(g, [true, false]),
    })),
    // Most long ago, some a moment ago, and some to come.
    publishedAt: one(g, [...Array<number>(8).fill(NOW_US - 1e12), NOW_US - 1000, NOW_US + 1e9]),
  };
};

const put = (index: ProductIndex, { category, brand, tags, attributes, variants, ...product }: Product): void =>
  index.put({
    ...product,
    category: Slice.of(`${category}`),
    name: Slice.of('Lamp'),
    brand: brand === null ? null : Slice.of(brand),
    tags: tags.map(Slice.of),
    attributes: Object.entries(attributes).map(([name, value]) => Slice.of(`"${name}":${JSON.stringify(value)}`)),
    variants: variants.map(({ size, colour, isInStock }) =>
      Slice.of(`["Size","Colour"],${JSON.stringify([size, colour])}${isInStock ? '+' : '-'}`),
    ),
    sales: product.id,

    words: null,
  });

type Counts = Map<string, number>;

const add = (counts: Counts, values: Iterable<string>): void => {
  for (const value of new Set(values)) counts.set(value, (counts.get(value) ?? 0) + 1);
};

const sorted = (counts: Counts) =>
  [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value));

const optionsOf = ({ size, colour }: Variant): [string, string][] => [
  ['Size', size],
  ...(colour === null ? [] : [['Colour', colour] as [string, string]]),
];

const valuesOf = (value: Product['attributes'][string] | undefined): string[] =>
  value === undefined ? [] : [value].flat().map(String);

/** One product at a time, without anything that the index keeps. */
const expectedOf = (products: Iterable<Product>, filter: SearchFilter) => {
  const { categoryIds, brands, tags = [], minPrice, maxPrice, inStock, onSale, attributes = [], options = [] } = filter;
  const visible = [...products].filter(({ publishedAt }) => publishedAt <= NOW_US);
  /** The variants that count, of options but those of a name. */
  const fitting = ({ variants }: Product, without?: string, wantsStock = inStock === true): Variant[] =>
    variants.filter(
      (variant) =>
        (variant.isInStock || !wantsStock) &&
        options
          .filter(({ name }) => name !== without)
          .every(({ name, values }) => optionsOf(variant).some(([n, v]) => n === name && values.includes(v))),
    );
  const found = (without?: Facet, name?: string): Product[] =>
    visible.filter(
      (product) =>
        (without === 'categories' || !categoryIds || categoryIds.includes(product.category)) &&
        (without === 'brands' || !brands || (product.brand !== null && brands.includes(product.brand))) &&
        tags.every((tag) => product.tags.includes(tag)) &&
        (without === 'price' || product.cents >= Number(minPrice ?? 0) * 100) &&
        (without === 'price' || product.cents <= Number(maxPrice ?? 1e9) * 100) &&
        (without === 'inStock' || inStock === undefined || product.isInStock === inStock) &&
        (without === 'onSale' || onSale === undefined || product.isReduced === onSale) &&
        attributes
          .filter((each) => without !== 'attributes' || each.name !== name)
          .every(
            (each) =>
              valuesOf(product.attributes[each.name]).some((value) => each.values?.includes(value)) ||
              (each.max !== undefined && Number(product.attributes[each.name]) <= Number(each.max)),
          ) &&
        (options.length === 0 ||
          (without === 'options' && options.every((each) => each.name === name)) ||
          fitting(product, without === 'options' ? name : undefined).length > 0),
    );
  const counted = (rows: readonly Product[], of: (product: Product) => readonly string[]): Counts => {
    const counts: Counts = new Map();
    for (const product of rows) add(counts, of(product));
    return counts;
  };
  const named = (facet: 'attributes' | 'options', names: readonly string[], of: (p: Product, n: string) => string[]) =>
    names
      .map((name) => {
        const rows = found(facet, name);
        return {
          name,
          count: rows.filter((product) => of(product, name).length > 0).length,
          values: sorted(counted(rows, (product) => of(product, name))),
        };
      })
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || compareCodePoints(a.name, b.name))
      .map(({ name, values }) => ({ name, values }));
  const prices = found('price').map(({ cents }) => cents);
  return {
    totalCount: found().length,
    categories: sorted(counted(found('categories'), ({ category }) => [`${category}`])),
    brands: sorted(counted(found('brands'), ({ brand }) => (brand === null ? [] : [brand]))),
    tags: sorted(counted(found(), (product) => product.tags)),
    price: prices.length === 0 ? null : [decimalOf(Math.min(...prices)), decimalOf(Math.max(...prices)), prices.length],
    inStock: found('inStock').filter((product) =>
      options.length === 0 || inStock === true ? product.isInStock : fitting(product, undefined, true).length > 0,
    ).length,
    onSale: found('onSale').filter(({ isReduced }) => isReduced).length,
    attributes: named('attributes', ['Weight', 'Material', ...DETAILS], ({ attributes }, name) =>
      valuesOf(attributes[name]),
    ),
    options: named('options', ['Size', 'Colour'], (product, name) =>
      fitting(product, name).flatMap((variant) => optionsOf(variant).flatMap(([n, v]) => (n === name ? [v] : []))),
    ),
  };
};

const FACETS: Facet[] = ['categories', 'brands', 'tags', 'price', 'inStock', 'onSale', 'attributes', 'options'];

const answerOf = (index: ProductIndex, filter: SearchFilter) => {
  const { totalCount, facets } = search(index, {
    terms: [],
    filter,
    order: 'NEWEST',
    page: { from: 'start', size: 1 },
    isCounted: true,
    facets: new Set(FACETS),
    now: NOW,
  });
  const { categories = [], price, attributes, options, ...others } = facets;
  const plain = (all: typeof attributes) => all?.map(({ name, values }) => ({ name, values }));
  return {
    ...others,
    totalCount,
    categories: sorted(new Map(categories.map(({ value, count }) => [`${value}`, count]))),
    price: price && [price.min, price.max, price.bands.reduce((sum, { count }) => sum + count, 0)],
    attributes: plain(attributes),
    options: plain(options),
  };
};

const filterOf = (g: GeneratorValue): SearchFilter => {
  const rarely = (): boolean => one(g, [true, false, false, false]);
  const any = <Value>(values: readonly Value[]): Value[] => [...some(g, values), one(g, values)];
  return {
    ...(rarely() && { categoryIds: any([1, 2, 9]) }),
    ...(rarely() && { brands: any(['Lampe', 'Ærø', '\0']) }),
    ...(rarely() && { tags: any(['new', 'tea']) }),
    ...(rarely() && { minPrice: '1.5' }),
    ...(rarely() && { maxPrice: '50' }),
    ...(rarely() && { inStock: one(g, [true, false]) }),
    ...(rarely() && { onSale: one(g, [true, false]) }),
    ...(rarely() && {
      attributes: [
        { name: 'Weight', max: '1' },
        ...(rarely() ? [{ name: 'Material', values: any(['oak', 'wood']) }] : []),
        ...some(g, DETAILS.slice(0, 2)).map((name) => ({ name, values: any(['yes', '7']) })),
      ],
    }),
    ...(rarely() && {
      options: [
        { name: 'Size', values: any(['S', 'M']) },
        ...(rarely() ? [] : [{ name: 'Colour', values: any(['red', 'blue']) }]),
      ],
    }),
  };
};

test('the index finds and counts what a look at one product after another does, while products change', () => {
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const index = new ProductIndex([]);
      const products = new Map<number, Product>();
      const change = (id: number): void => {
        const product = productOf(g, id);
        products.set(id, product);
        put(index, product);
      };
      for (let id = 1; id <= PRODUCTS; id += 1) change(id);
      index.arrange();
      for (let round = 0; round < 6; round += 1) {
        for (let changes = 0; changes < 10; changes += 1) {
          const id = g(fc.integer, { min: 1, max: PRODUCTS });
          const known = products.get(id);
          const kind = one(g, ['change', 'change', 'remove', 'sell']);
          if (kind === 'change' || !known) change(id);
          else if (kind === 'remove') {
            index.remove(id);
            products.delete(id);
          } else {
            // The stock alone: its row stays.
            const sold = {
              ...known,
              isInStock: false,
              variants: known.variants.map((v) => ({ ...v, isInStock: false })),
            };
            products.set(id, sold);
            put(index, sold);
          }
        }
        if (one(g, [true, false, false])) index.compact();
        for (const filter of [filterOf(g), {}, { inStock: true }, filterOf(g)])
          expect(answerOf(index, filter), JSON.stringify(filter)).toEqual(expectedOf(products.values(), filter));
      }
    }),
    { numRuns: 5, seed: 20261128, endOnFailure: true },
  );
});

test('each product that is put has its row, however many come one after another', () => {
  const index = new ProductIndex([]);
  for (let id = 1; id <= 3000; id += 1) {
    index.put(indexRow({ id, cents: id, isReduced: true }));
  }
  expect(answerOf(index, {})).toMatchObject({ totalCount: 3000, inStock: 3000, onSale: 3000 });
});
