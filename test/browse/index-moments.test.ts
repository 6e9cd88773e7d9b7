import fc from 'fast-check';
import { expect, test } from 'vitest';
import { microsecondsOf, momentOf } from '../../src/browse/index/order.ts';

// From the year 4714 before our era, as PostgreSQL has them.
const microseconds = fc.oneof(
  fc.bigInt({ min: -210_866_803_200_000_000n, max: 3_999_999_999_999_999_999n }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.bigInt({ min: -(2n ** 53n) - 3n, max: 3n - 2n ** 53n }),
  fc.constantFrom(253_402_300_799_999_999n, -62_135_596_799_999_999n),
);

test('every microsecond has a number of its own, in their order', () => {
  fc.assert(
    fc.property(microseconds, fc.oneof(microseconds, fc.constantFrom(1n, 2n, 7n)), (one, other) => {
      const [low, high] = one < other ? [one, other] : [other, one];
      expect(microsecondsOf(momentOf(one))).toBe(`${one}`);
      if (low < high) expect(momentOf(low)).toBeLessThan(momentOf(high));
      expect(momentOf(one)).toBeLessThan(momentOf(one + 1n));
    }),
  );
});
