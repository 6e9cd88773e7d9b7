import { expect, test } from 'vitest';
import { MAX_FACET_VALUES } from '../../src/browse/browse-engine.ts';
import { ProductIndex } from '../../src/browse/index/product-index.ts';
import { Slice } from '../../src/browse/index/rows.ts';
import { search } from '../../src/browse/index/search.ts';

const NOW = new Date('2026-11-22T12:00:00Z');

test('of more brands than a facet has values, those with most products are counted', () => {
  const index = new ProductIndex([]);
  let id = 0;
  // The first brand has one product, the second two, and so on.
  for (let brand = 1; brand <= MAX_FACET_VALUES + 20; brand += 1) {
    for (let count = 0; count < brand; count += 1) {
      id += 1;
      index.put({
        id,
        category: Slice.of('1'),
        name: Slice.of('Lamp'),
        brand: Slice.of(`Brand ${brand}`),
        tags: [],
        cents: 100,
        isInStock: true,
        isReduced: false,
        attributes: [],
        variants: [],
        sales: 0,
        publishedAt: 0,

        words: null,
      });
    }
  }
  const { facets } = search(index, {
    terms: [],
    filter: {},
    order: 'NEWEST',
    page: { from: 'start', size: 1 },
    isCounted: false,
    facets: new Set(['brands']),
    now: NOW,
  });
  expect(facets.brands?.map(({ value, count }) => [value, count])).toEqual(
    Array.from({ length: MAX_FACET_VALUES }, (_, rank) => {
      const brand = MAX_FACET_VALUES + 20 - rank;
      return [`Brand ${brand}`, brand];
    }),
  );
});
