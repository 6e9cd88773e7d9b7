import { expect, test } from 'vitest';
import { MAX_FACET_VALUES, type SearchFilter } from '../../src/browse/browse-engine.ts';
import { ProductIndex } from '../../src/browse/index/product-index.ts';
import { Slice } from '../../src/browse/index/rows.ts';
import { search } from '../../src/browse/index/search.ts';
import { indexRow } from '../support/index-rows.ts';

const NOW = new Date('2026-11-22T12:00:00Z');

const facetsOf = (index: ProductIndex, facet: 'brands' | 'tags', filter: SearchFilter = {}) => {
  const page = { from: 'start', size: 1 } as const;
  const asked = {
    terms: [],
    filter,
    order: 'NEWEST',
    page,
    isCounted: false,
    facets: new Set([facet]),
    now: NOW,
  } as const;
  return search(index, asked).facets[facet]?.map(({ value, count }) => [value, count]);
};

test('of more brands than a facet has values, those with most products are counted', () => {
  const index = new ProductIndex([]);
  let id = 0;
  // The first brand has one product, the second two, and so on.
  for (let brand = 1; brand <= MAX_FACET_VALUES + 20; brand += 1)
    for (let count = 0; count < brand; count += 1) {
      id += 1;
      index.put(indexRow({ id, brand: Slice.of(`Brand ${brand}`) }));
    }
  expect(facetsOf(index, 'brands')).toEqual(
    Array.from({ length: MAX_FACET_VALUES }, (_, rank) => {
      const brand = MAX_FACET_VALUES + 20 - rank;
      return [`Brand ${brand}`, brand];
    }),
  );
});

test('tags are counted also where each product has several, and most products are found', () => {
  const index = new ProductIndex([]);
  const tags = ['a', 'b', 'c', 'd'].map((tag) => Slice.of(tag));
  for (let id = 1; id <= 10; id += 1) index.put(indexRow({ id, tags, cents: id <= 6 ? 100 : 900 }));
  const of = (count: number) => ['a', 'b', 'c', 'd'].map((tag) => [tag, count]);
  expect(facetsOf(index, 'tags', { maxPrice: '5' })).toEqual(of(6));
  expect(facetsOf(index, 'tags', { minPrice: '5' })).toEqual(of(4));
  expect(facetsOf(index, 'tags')).toEqual(of(10));
});
