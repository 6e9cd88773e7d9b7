import { describe, expect, test } from 'vitest';
import { inList, tablesOf } from '../../src/database/prisma.ts';

describe('a read of Prisma depends on the table of its model, and on those of all relations that it names', () => {
  test.for<[string, model: string, args: unknown, tables: string[]]>([
    ['none', 'Product', { where: { id: 1 } }, ['product']],
    ['no arguments', 'Notice', undefined, ['notice']],
    ['included', 'Product', { include: { category: true } }, ['product', 'category']],
    ['left out', 'Product', { include: { category: false, words: undefined } }, ['product']],
    [
      'selected within another',
      'Category',
      { select: { parent: { select: { products: true } } } },
      ['category', 'product'],
    ],
    ['filtered by', 'Category', { where: { OR: [{ products: { some: { stock: 1 } } }] } }, ['category', 'product']],
    ['sorted by', 'Product', { orderBy: [{ category: { name: 'asc' } }] }, ['product', 'category']],
    ['counted', 'Category', { include: { _count: { select: { products: true } } } }, ['category', 'product']],
    ['counted, all of them', 'Category', { select: { _count: true } }, ['category', 'product']],
  ])('%s', ([, model, args, tables]) => {
    expect([...tablesOf(model, args)].sort()).toEqual(tables.sort());
  });
});

test('lists of keys have lengths of a power of two, and no other keys', () => {
  for (let length = 0; length < 70; length += 1) {
    const keys = Array.from({ length }, (_, index) => index);
    const filled = inList(keys);
    expect(new Set(filled)).toEqual(new Set(keys));
    expect(filled.length === 0 || Number.isInteger(Math.log2(filled.length))).toBe(true);
    expect(filled.length).toBeLessThan(Math.max(2 * length, 1));
  }
});
