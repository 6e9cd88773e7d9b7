import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProductIndex } from '../../src/browse/index/product-index.ts';
import { type ProductRow, Slice } from '../../src/browse/index/rows.ts';
import { categoryNodes, suggest } from '../../src/browse/index/texts.ts';
import { foldedWordsOf, termsOf } from '../../src/browse/words.ts';

const WORDS = ['kettle', 'kettles', 'tea', 'teapot', 'lamp', '运动', '运动鞋子', '动鞋运动'];
const NOW = new Date('2026-11-22T12:00:00Z');
const NOW_US = NOW.getTime() * 1000;
const MAX_NAMES = 20;

const word = fc.constantFrom(...WORDS);

const product = (): fc.Arbitrary<ProductRow> =>
  fc
    .record({
      id: fc.integer({ min: 1, max: 150 }),
      categoryId: fc.integer({ min: 1, max: 3 }),
      brand: fc.option(word),
      tags: fc.array(word, { maxLength: 2 }),
      sales: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 1000 })),
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
  index.texts.categories = CATEGORIES;
  for (const row of rows) index.put(row);
  for (const id of gone) index.remove(id);
  return index;
};

const CATEGORIES = categoryNodes([
  { id: 1, parentId: null, name: 'Kettles' },
  { id: 2, parentId: 1, name: 'Teapots' },
  { id: 3, parentId: 2, name: 'Lamps' },
]);

/** Names are those of best sellers alone, and texts are in no order. */
const comparable = ({ products, others, ...rest }: ReturnType<typeof suggest>) => ({
  ...rest,
  products: products.map(({ id, sales }) => ({ id, sales })),
  others: others.toSorted((a, b) => (a.kind + a.text < b.kind + b.text ? -1 : 1)),
});

test('suggestions are the same whether the names of all products are at hand or of few best sellers', () => {
  let answeredByPostings = 0;
  let answeredByNames = 0;
  fc.assert(
    fc.property(
      fc.array(product(), { minLength: 100, maxLength: 300 }),
      fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 50 }),
      (rows, gone) => {
        const whole = indexOf(rows, gone, 1000);
        const few = indexOf(rows, gone, MAX_NAMES);
        for (const prefix of ['k', 'kettles', 't', 'te', 'tea pot', 'lamp kett', '运', '运动鞋', '1']) {
          for (const maxProducts of [1, 8, 60]) {
            const asked = { terms: termsOf(prefix), now: NOW, maxProducts };
            const found = suggest(few, asked);
            if (found.products.some(({ name }) => name === undefined)) answeredByPostings += 1;
            else if (found.products.length > 0) answeredByNames += 1;
            const expected = suggest(whole, asked);
            expect(comparable(found)).toEqual(comparable(expected));
          }
        }
      },
    ),
    { numRuns: 20 },
  );
  expect(answeredByPostings).toBeGreaterThan(0);
  expect(answeredByNames).toBeGreaterThan(0);
});

test('suggestions are the same after dead rows were closed up, and what changes then', () => {
  const rows = (): fc.Arbitrary<ProductRow[]> => fc.array(product(), { minLength: 30, maxLength: 150 });
  const ids = (): fc.Arbitrary<number[]> => fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 50 });
  fc.assert(
    fc.property(rows(), ids(), rows(), ids(), (before, goneBefore, after, goneAfter) => {
      const [plain, compacted] = [1, 2].map(() => indexOf(before, goneBefore, MAX_NAMES)) as [
        ProductIndex,
        ProductIndex,
      ];
      // One has sorted its best sellers by then.
      suggest(plain, { terms: termsOf('k'), now: NOW, maxProducts: 8 });
      compacted.compact();
      for (const index of [plain, compacted]) {
        for (const id of goneAfter) index.remove(id);
        for (const row of after) index.put(row);
      }
      for (const prefix of ['k', 'tea', 'lamp', '运动鞋']) {
        const asked = { terms: termsOf(prefix), now: NOW, maxProducts: 8 };
        expect(comparable(suggest(compacted, asked))).toEqual(comparable(suggest(plain, asked)));
      }
    }),
    { numRuns: 50 },
  );
});
