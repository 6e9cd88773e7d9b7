import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decimalOf,
  firstOfPriceCell,
  PRICE_BANDS,
  PRICE_CELLS,
  priceCellOf,
  priceRangeOf,
} from '../../src/browse/price-bands.ts';

const MAX_CENTS = 10 ** 14 - 1;

const cents = fc.oneof(
  fc.integer({ min: 0, max: 20_000 }),
  fc.constantFrom(999, 1000, 1999, 2999, 1_200_000),
  fc.maxSafeInteger().map((n) => Math.abs(n) % (MAX_CENTS + 1)),
);

const countsOf = (prices: readonly number[]): Int32Array => {
  const counts = new Int32Array(PRICE_CELLS);
  for (const each of prices) counts[priceCellOf(each)] = (counts[priceCellOf(each)] ?? 0) + 1;
  return counts;
};

const toCents = (decimal: string): number => Number(decimal.replace('.', ''));

const bandsOf = (prices: readonly number[]) =>
  priceRangeOf(Math.min(...prices), Math.max(...prices), countsOf(prices)).bands.map((band) => ({
    min: toCents(band.min),
    max: toCents(band.max),
    count: band.count,
  }));

test('each price is in one band, no band is empty, and no price is between two', () => {
  fc.assert(
    fc.property(fc.array(cents, { minLength: 1, maxLength: 60 }), (prices) => {
      const bands = bandsOf(prices);
      expect(bands.length).toBeLessThanOrEqual(PRICE_BANDS);
      for (const [index, { min, max, count }] of bands.entries()) {
        expect(count).toBe(prices.filter((price) => price >= min && price <= max).length);
        expect(count).toBeGreaterThan(0);
        if (index > 0) expect(min).toBe((bands[index - 1]?.max ?? 0) + 1);
      }
      expect(bands.reduce((sum, { count }) => sum + count, 0)).toBe(prices.length);
    }),
  );
});

test('a band has about its share of the products, unless one cell of prices alone has more', () => {
  fc.assert(
    fc.property(fc.array(cents, { minLength: 100, maxLength: 300 }), (prices) => {
      const commonest = Math.max(...countsOf(prices));
      for (const { count } of bandsOf(prices))
        expect(count).toBeLessThanOrEqual((1.5 * prices.length) / PRICE_BANDS + commonest);
    }),
  );
});

test('edges are as round as equal bands allow', () => {
  const prices = Array.from({ length: 1000 }, (_, index) => 100 + Math.round(1.01 ** index * 7));
  const edges = bandsOf(prices).map(({ min }) => decimalOf(min));
  expect(edges).toEqual(['1.00', '1.50', '5.00', '20.00', '200.00']);
});

test('every price is in its cell, and the cells are in the order of prices', () => {
  fc.assert(
    fc.property(cents, (price) => {
      const cell = priceCellOf(price);
      expect(firstOfPriceCell(cell)).toBeLessThanOrEqual(price);
      expect(firstOfPriceCell(cell + 1)).toBeGreaterThan(price);
      expect(priceCellOf(firstOfPriceCell(cell))).toBe(cell);
    }),
  );
  expect(priceCellOf(Number.MAX_SAFE_INTEGER)).toBeLessThan(PRICE_CELLS);
});
