import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProductIndex } from '../../src/browse/index/product-index.ts';
import { momentOf } from '../../src/browse/index/read.ts';
import { search } from '../../src/browse/index/search.ts';
import { indexRow } from '../support/index-rows.ts';

/** As product_moments_check has it. */
const FIRST_SECOND = Date.UTC(2001, 0) / 1000 - 5 * 400 * 365.2425 * 86_400;
const LAST_SECOND = Date.UTC(10_000, 0) / 1000 - 1;
const LAST_DATE = new Date(8.64e15);

test('every second that a table can hold is a number of its own, and a cursor has all of its digits', () => {
  expect(new Date(FIRST_SECOND * 1000).toISOString()).toBe('0001-01-01T00:00:00.000Z');
  const seconds = fc.uniqueArray(fc.integer({ min: FIRST_SECOND, max: LAST_SECOND }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(seconds, (all) => {
      const index = new ProductIndex([]);
      for (const [id, second] of all.entries())
        index.put(indexRow({ id, publishedAt: momentOf(BigInt(second) * 1_000_000n) }));
      const { items } = search(index, {
        terms: [],
        filter: {},
        order: 'NEWEST',
        page: { from: 'start', size: all.length },
        isCounted: false,
        facets: new Set(),
        now: LAST_DATE,
      });
      const newestFirst = [...all.entries()].toSorted(([, one], [, other]) => other - one);
      expect(items.map(({ position }) => position)).toEqual(
        newestFirst.map(([id, second]) => [second === 0 ? '0' : `${second}000000`, `${id}`]),
      );
    }),
  );
});

test('a microsecond is a number where JavaScript has it; others are later than all, or none', () => {
  const microseconds = fc.bigInt({
    min: BigInt(FIRST_SECOND) * 1_000_000n,
    max: BigInt(LAST_SECOND) * 1_000_000n + 999_999n,
  });
  fc.assert(
    fc.property(microseconds, (exact) => {
      const moment = momentOf(exact);
      if (Number.isFinite(moment)) expect(BigInt(moment)).toBe(exact);
      else expect(moment).toBe(exact > 2n ** 53n ? Number.POSITIVE_INFINITY : Number.NaN);
      if (exact > -(2n ** 53n) && exact < 2n ** 53n) expect(moment).not.toBeNaN();
    }),
  );
});
