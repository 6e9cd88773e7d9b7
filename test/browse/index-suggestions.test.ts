import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { ProductIndex } from '../../src/browse/index/product-index.ts';
import { type ProductRow, Slice } from '../../src/browse/index/rows.ts';
import { foldedWordsOf, termsOf } from '../../src/browse/words.ts';

const WORDS = ['kettle', 'kettles', 'tea', 'teapot', 'lamp', '运动', '运动鞋子', '动鞋运动'];
const NOW = new Date('2026-11-22T12:00:00Z');
const NOW_US = NOW.getTime() * 1000;
const MAX_NAMES = 60;

const word = fc.constantFrom(...WORDS);

const product = (): fc.Arbitrary<ProductRow> =>
  fc
    .record({
      id: fc.integer({ min: 1, max: 150 }),
      categoryId: fc.integer({ min: 1, max: 3 }),
      brand: fc.option(word),
      tags: fc.array(word, { maxLength: 2 }),
      // The last is the most that the column holds.
      sales: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 1000 }), fc.constant(2 ** 31 - 1)),
      // Long ago, a moment ago, to come.
      publishedAt: fc.constantFrom(NOW_US - 1e12, NOW_US - 1e6, NOW_US + 1e9),
      words: fc.array(word, { minLength: 1, maxLength: 3 }),
    })
    .map(({ words, brand, tags, categoryId, ...row }) => ({
      ...row,
      category: Slice.of(`${categoryId}`),
      name: Slice.of(`${words.join(' ')} ${row.id}`),
      brand: brand === null ? null : Slice.of(brand),
      tags: tags.map(Slice.of),
      words: new Slice(wordsOf(`${words.join(' ')} ${row.id}`)),
      cents: 100,
      isInStock: true,
      isReduced: false,
      attributes: [],
      variants: [],
      subtitle: null,
    }));

/** The words of a name, as PostgreSQL sends them. */
const wordsOf = (name: string): Buffer => {
  const words = foldedWordsOf(name, 2000).map((text, index) => ({ text, place: index + 1 }));
  const placesOf = Map.groupBy(words, ({ text }) => text);
  return Buffer.concat([
    Buffer.of(0, 0, 0, placesOf.size),
    // A zero behind the text, and its places, of weight A.
    ...[...placesOf].flatMap(([text, places]) => [
      Buffer.from(text),
      Buffer.of(0, 0, places.length, ...places.flatMap(({ place }) => [0xc0, place])),
    ]),
  ]);
};

/** @param maxNames of the best sellers */
const indexOf = (rows: readonly ProductRow[], gone: readonly number[], maxNames: number): ProductIndex => {
  const index = new ProductIndex([], maxNames);
  index.texts.suggestions.categories = CATEGORIES;
  for (const row of rows) index.put(row);
  for (const id of gone) index.remove(id);
  return index;
};

const CATEGORIES = [
  { id: 1, parentId: null, name: 'Kettles' },
  { id: 2, parentId: 1, name: 'Teapots' },
  { id: 3, parentId: 2, name: 'Lamps' },
];

/** @param rows all that were put, the last ones of each id last */
const suggest = async (index: ProductIndex, rows: readonly ProductRow[], prefix: string, limit: number) => {
  const names = new Map(rows.map(({ id, name }) => [id, `${name}`]));
  const read = vi.fn(async () => names);
  const suggestions = await index.texts.suggestions.suggest({ terms: termsOf(prefix), now: NOW, limit }, read);
  return { suggestions, isByWords: read.mock.calls.length > 0 };
};

test('suggestions are the same whether the names of all products are at hand or of few best sellers', async () => {
  let answeredByWords = 0;
  let answeredByNames = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(product(), { minLength: 100, maxLength: 300 }),
      fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 50 }),
      async (rows, gone) => {
        const whole = indexOf(rows, gone, 1000);
        const few = indexOf(rows, gone, MAX_NAMES);
        for (const prefix of ['k', 'kettles', 't', 'te', 'tea pot', 'lamp kett', '运', '运动鞋', '1']) {
          for (const limit of [1, 8, 60]) {
            const { suggestions, isByWords } = await suggest(few, rows, prefix, limit);
            if (isByWords) answeredByWords += 1;
            else if (suggestions?.some(({ kind }) => kind === 'PRODUCT')) answeredByNames += 1;
            expect(suggestions).toEqual((await suggest(whole, rows, prefix, limit)).suggestions);
          }
        }
      },
    ),
    { numRuns: 20 },
  );
  expect(answeredByWords).toBeGreaterThan(0);
  expect(answeredByNames).toBeGreaterThan(0);
});

/** How much the best of some products of each category, brand and tag that begins so has sold, one product at a time. */
const salesOf = (products: Iterable<ProductRow>, beginning: string) => {
  const sold = new Map<string, number>();
  for (const { brand, tags, category, sales, publishedAt } of products) {
    const categories = CATEGORIES.filter(({ id }) => id <= Number(`${category}`)).map(({ name }) => name.toLowerCase());
    for (const text of [brand ?? [], tags, categories].flat().map(String))
      if (text.startsWith(beginning) && publishedAt <= NOW_US) sold.set(text, Math.max(sold.get(text) ?? 0, sales));
  }
  return Object.fromEntries(sold);
};

test('a category, a brand and a tag have sold as much as the best of their visible products, however often dead rows were closed up', async () => {
  const ids = fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 100 });
  const step = fc.record({ rows: fc.array(product(), { maxLength: 20 }), gone: ids, compactions: fc.nat({ max: 2 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const index = indexOf([], [], 1000);
      const products = new Map<number, ProductRow>();
      for (const { rows, gone, compactions } of steps) {
        for (const row of rows) {
          index.put(row);
          products.set(row.id, row);
        }
        for (const id of gone) {
          index.remove(id);
          products.delete(id);
        }
        for (let count = 0; count < compactions; count += 1) index.compact();
      }
      for (const beginning of ['k', 'kettles', 'te', 'lamp']) {
        const { suggestions = [] } = await suggest(index, [...products.values()], beginning, 400);
        const others = suggestions.filter(({ kind }) => kind !== 'PRODUCT');
        const sold = others.map(({ text, sales }) => [text.toLowerCase(), sales]);
        expect(Object.fromEntries(sold)).toEqual(salesOf(products.values(), beginning));
      }
    }),
    { numRuns: 300 },
  );
});

test('suggestions are the same after dead rows were closed up, and what changes then', async () => {
  const rows = (): fc.Arbitrary<ProductRow[]> => fc.array(product(), { minLength: 30, maxLength: 150 });
  const ids = (): fc.Arbitrary<number[]> => fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(rows(), ids(), rows(), ids(), async (before, goneBefore, after, goneAfter) => {
      const [plain, compacted] = [1, 2].map(() => indexOf(before, goneBefore, MAX_NAMES)) as [
        ProductIndex,
        ProductIndex,
      ];
      const all = [...before, ...after];
      // One has sorted its best sellers by then.
      await suggest(plain, all, 'k', 8);
      compacted.compact();
      for (const index of [plain, compacted]) {
        for (const id of goneAfter) index.remove(id);
        for (const row of after) index.put(row);
      }
      for (const prefix of ['k', 'tea', 'lamp', '运动鞋'])
        expect(await suggest(compacted, all, prefix, 8)).toEqual(await suggest(plain, all, prefix, 8));
    }),
    { numRuns: 50 },
  );
});
