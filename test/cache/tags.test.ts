import { describe, expect, test } from 'vitest';
import { Dependencies } from '../../src/cache/dependencies.ts';
import { type CachedTable, readChange, TagVersions } from '../../src/cache/tags.ts';

// The rules by themselves: what a response depends on, and which change is one of it.

const TABLES: readonly CachedTable[] = [
  { table: 'product', tags: { rows: 1024, groups: { column: 'category_id', size: 64 } } },
  { table: 'category' },
];

const OIDS: Readonly<Record<string, string>> = { product: '16385', category: '16390' };
const oidOf = (table: string): string | undefined => OIDS[table];

describe('a notification', () => {
  test('of a table of the same name in another schema is none of ours', () => {
    expect(readChange('product 1 1 Infinity oid=16384', TABLES, oidOf)).toBeUndefined();
    expect(readChange('category oid=16385', TABLES, oidOf)).toBeUndefined();
  });

  test('of our table, or of a program that names no table by its number, is', () => {
    const rows = { ids: [1], groupIds: [2], nextChangeMs: Number.POSITIVE_INFINITY };
    for (const payload of ['product 1 2 Infinity oid=16385', 'product 1 2 Infinity']) {
      expect(readChange(payload, TABLES, oidOf)).toEqual({ table: 'product', rows });
    }
  });
});

describe('a response', () => {
  const nextChangeMs = Number.POSITIVE_INFINITY;

  test('of more rows than it has tags for depends on each of them', () => {
    const versions = new TagVersions(TABLES);
    const ids = Array.from({ length: 100 }, (_, index) => index + 1);
    const dependencies = new Dependencies(versions);
    for (const id of ids) dependencies.addRow('product', id);
    const tags = [...dependencies.tags];
    expect(tags.length).toBeLessThan(70);
    for (const id of ids) {
      const read = { tags, trueAt: versions.sequence };
      versions.changed({ table: 'product', rows: { ids: [id], groupIds: [1], nextChangeMs } });
      expect([id, versions.hasChanged(read)]).toEqual([id, true]);
    }
  });

  test('of few rows depends on no other', () => {
    const versions = new TagVersions(TABLES);
    const dependencies = new Dependencies(versions);
    for (let id = 1; id <= 60; id += 1) dependencies.addRow('product', id);
    versions.changed({ table: 'product', rows: { ids: [61], groupIds: [1], nextChangeMs } });
    expect(versions.hasChanged({ tags: [...dependencies.tags], trueAt: 0 })).toBe(false);
  });

  test.for([
    ['a watched table', ['product'], true],
    ['a table that nobody watches', ['brand'], false],
    ['a watched table, then one that nobody watches', ['product', 'brand'], false],
    ['a table that nobody watches, then a watched one', ['brand', 'product'], false],
    ['nothing that was said', [], false],
  ] as const)('that shows %s', ([, tables, isWatched]) => {
    for (const read of ['add', 'addRow', 'addGroup'] as const) {
      const dependencies = new Dependencies(new TagVersions(TABLES));
      for (const table of tables) dependencies[read](table, 1);
      expect(dependencies.isWatched).toBe(isWatched);
    }
  });
});
