import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstPlaceOf } from '../../src/cache/known-lists.ts';
import { Prisma } from '../../src/database/generated/client/client.ts';
import { type Head, headWithRow, mergeHeads, placesLookedAt } from '../../src/product/product.heads.ts';
import { isDescending, type ProductOrder, type SortedProduct, sortKeysOf } from '../../src/product/product.order.ts';

const ORDERS = ['DEFAULT', 'NEWEST', 'PRICE_ASC', 'PRICE_DESC'] as const;
const NOW = new Date('2026-01-01Z');
const EARLIER_US = NOW.getTime() * 1000 - 5000;

/** Few values, so that many products tie. Some are published within one millisecond. */
const product = fc
  .record({
    id: fc.integer({ min: 1, max: 14 }),
    categoryId: fc.integer({ min: 1, max: 2 }),
    status: fc.constantFrom('ON_SALE' as const, 'ON_SALE' as const, 'ON_SALE' as const, 'OFF_SALE' as const),
    cents: fc.nat({ max: 4 }),
    sales: fc.nat({ max: 3 }),
    publishedUs: fc.nat({ max: 1200 }).map((us) => EARLIER_US + us),
  })
  .map(
    ({ cents, publishedUs, ...rest }) =>
      ({
        ...rest,
        publishedUs,
        price: new Prisma.Decimal(cents).div(100),
        publishedAt: new Date(Math.floor(publishedUs / 1000)),
      }) as SortedProduct,
  );

type Catalogue = ReadonlyMap<number, SortedProduct>;

/** What the database would answer. */
const read = (catalogue: Catalogue, orderBy: ProductOrder, categoryId: number | undefined, limit: number): Head => {
  const keysOf = (row: SortedProduct) => [...(sortKeysOf(orderBy)?.map(({ of }) => of(row)) ?? []), row.id];
  const sign = isDescending(orderBy) ? -1 : 1;
  const rows = [...catalogue.values()]
    .filter((row) => row.status === 'ON_SALE' && (categoryId === undefined || row.categoryId === categoryId))
    .sort((a, b) => {
      const [one, other] = [keysOf(a), keysOf(b)];
      const at = one.findIndex((key, index) => key !== other[index]);
      return at < 0 ? 0 : sign * ((one[at] ?? 0) - (other[at] ?? 0));
    })
    .slice(0, limit);
  const sortKeys = sortKeysOf(orderBy)?.map(({ of }) => rows.map(of));
  return { orderBy, categoryId, limit, ids: rows.map(({ id }) => id), isWhole: rows.length < limit, sortKeys };
};

test('a head that follows changes one by one is the beginning of what the database would answer', () => {
  const change = fc.oneof({ weight: 6, arbitrary: product }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 14 }) });
  fc.assert(
    fc.property(
      fc.array(product, { maxLength: 14 }),
      fc.array(change, { minLength: 1, maxLength: 20 }),
      fc.constantFrom(...ORDERS),
      fc.constantFrom(1, undefined),
      fc.integer({ min: 1, max: 8 }),
      (beginning, changes, orderBy, categoryId, limit) => {
        const catalogue = new Map(beginning.map((row) => [row.id, row]));
        let head = read(catalogue, orderBy, categoryId, limit);
        for (const each of changes) {
          const id = typeof each === 'number' ? each : each.id;
          if (typeof each === 'number') catalogue.delete(id);
          else catalogue.set(id, each);
          const next = headWithRow(head, id, catalogue.get(id), NOW);
          if (!next) throw new Error('all of them are published, and have keys');
          // What is the same has neither the product nor had it.
          if (next === head) expect(head.ids).not.toContain(id);
          head = next;
          const all = read(catalogue, orderBy, categoryId, 100);
          const { ids, sortKeys } = read(catalogue, orderBy, categoryId, head.ids.length);
          expect(head).toMatchObject({ ids, sortKeys });
          if (head.isWhole) expect(ids).toHaveLength(all.ids.length);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('what heads are merged to changes only where a change alters a place that was looked at', () => {
  let unaltered = 0;
  fc.assert(
    fc.property(
      fc.array(product, { maxLength: 14 }),
      fc.oneof(product, fc.integer({ min: 1, max: 14 })),
      fc.constantFrom(...ORDERS),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 8 }),
      (rows, change, orderBy, headLimit, limit) => {
        const catalogue = new Map(rows.map((row) => [row.id, row]));
        const heads = [1, 2].map((categoryId) => read(catalogue, orderBy, categoryId, headLimit));
        const merged = mergeHeads(heads, limit);
        if (!merged) return;
        const id = typeof change === 'number' ? change : change.id;
        const later = heads.map((head) => headWithRow(head, id, typeof change === 'number' ? undefined : change, NOW));
        const isAltered = heads.some((head, index) => {
          const after = later[index] ?? head;
          return after !== head && firstPlaceOf(id, head, after) < placesLookedAt(head, merged);
        });
        if (isAltered) return;
        unaltered += 1;
        const ids = merged.map((entry) => entry.id);
        // Nor does it show the product that has changed.
        expect(ids).not.toContain(id);
        expect(mergeHeads(later as Head[], limit)?.map((entry) => entry.id)).toEqual(ids);
      },
    ),
    { numRuns: 1000 },
  );
  expect(unaltered).toBeGreaterThan(0);
});

test('heads of several categories are merged as far as they reach, and no further', () => {
  fc.assert(
    fc.property(
      fc.array(product, { maxLength: 14 }),
      fc.constantFrom(...ORDERS),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 8 }),
      (rows, orderBy, headLimit, limit) => {
        const catalogue = new Map(rows.map((row) => [row.id, row]));
        const heads = [1, 2].map((categoryId) => read(catalogue, orderBy, categoryId, headLimit));
        const merged = mergeHeads(heads, limit)?.map(({ id }) => id);
        const all = read(catalogue, orderBy, undefined, limit).ids;
        if (headLimit >= limit || heads.every(({ isWhole }) => isWhole)) expect(merged).toEqual(all);
        else if (merged) expect(merged).toEqual(all);
      },
    ),
    { numRuns: 500 },
  );
});
