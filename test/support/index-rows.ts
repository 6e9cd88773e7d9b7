import { type ProductRow, Slice } from '../../src/browse/index/rows.ts';

/** A product as the index in memory reads it, on sale and published long ago, with what is given and nothing else. */
export const indexRow = (given: Partial<ProductRow> & Pick<ProductRow, 'id'>): ProductRow => ({
  category: Slice.of('1'),
  name: Slice.of('Lamp'),
  brand: null,
  tags: [],
  cents: 100,
  isInStock: true,
  isReduced: false,
  attributes: [],
  variants: [],
  sales: 0,
  publishedAt: 0,
  words: null,
  ...given,
});
