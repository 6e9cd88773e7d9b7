import fc from 'fast-check';
import { LRUCache } from 'lru-cache';
import { expect, test } from 'vitest';
import { FilteredCache } from '../../src/fast-path/filtered-cache.ts';

const OPTIONS = { maxSize: 4096, maxEntrySize: 1024, sizeCalculation: ({ size }: Entry) => size };

interface Entry {
  readonly size: number;
}

/** Few keys, of which some differ only where the filter does not look. */
const keys = fc.constantFrom(
  ...['', 'a', 'b', 'c', 'd'].flatMap((start) => ['', 'x'.repeat(48), 'y'.repeat(60)].map((end) => start + end)),
);

const steps = fc.array(
  fc.record({
    action: fc.constantFrom('get', 'peek', 'set', 'set', 'set again', 'delete'),
    key: keys,
    size: fc.integer({ min: 1, max: 1200 }),
  }),
  { maxLength: 200, size: 'max' },
);

test('whatever is set, found, evicted and deleted, it has what an LRU list without a filter has', () => {
  fc.assert(
    fc.property(steps, (actions) => {
      const disposed: string[][] = [[], []];
      const lists = [FilteredCache<Entry>, LRUCache<string, Entry>].map(
        (List, index) =>
          new List({ ...OPTIONS, dispose: (_, key, reason) => disposed[index]?.push(`${reason} ${key}`) }),
      );
      for (const { action, key, size } of actions) {
        const entry: Entry = { size };
        const [filtered, plain] = lists.map((list) => {
          if (action === 'set') list.set(key, entry);
          else if (action === 'set again') list.set(key, list.get(key) ?? entry);
          else if (action === 'delete') list.delete(key);
          return action === 'peek' ? list.peek(key) : list.get(key);
        });
        expect(filtered).toBe(plain);
      }
      const [filtered, plain] = lists.map((list) => [...list.entries()]);
      expect(filtered).toEqual(plain);
      expect(disposed[0]).toEqual(disposed[1]);
    }),
  );
});

test.for([255, 256, 257, 512])('%i keys whose ends are the same are found as long as they are there', (count) => {
  const list = new FilteredCache<Entry>({ ...OPTIONS, maxSize: 100_000 });
  const listed = Array.from({ length: count }, (_, number) => `${number}${'x'.repeat(48)}`);
  for (const key of listed) list.set(key, { size: 1 });
  expect(listed.filter((key) => list.peek(key))).toEqual(listed);
  const last = listed.pop() as string;
  for (const key of listed) list.delete(key);
  expect(listed.filter((key) => list.peek(key))).toEqual([]);
  expect(list.get(last)).toBeDefined();
});
