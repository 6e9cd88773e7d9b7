import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numberOf, ShortLived } from '../../src/fast-path/short-lived.ts';

const PLACES = 256;

const NAMES = ['a', 'b', '', '__proto__', 'constructor', 'toString'];

/** Texts whose places are the last ones of the table and the first, so that they take each other's. */
const NEIGHBOURS = Array.from({ length: 5000 }, (_, index) => `key ${index}`).filter((key) =>
  [PLACES - 2, PLACES - 1, 0, 1].includes(numberOf(key) % PLACES),
);

const stepsOf = (keys: readonly string[]) =>
  fc.array(fc.record({ act: fc.constantFrom('set', 'delete'), key: fc.constantFrom(...keys) }), { size: '+1' });

test.for([
  ['any texts', NAMES],
  ['texts with neighbouring places', NEIGHBOURS.slice(0, 10)],
] as const)('values are found under their texts as in a Map: %s', ([, keys]) => {
  fc.assert(
    fc.property(stepsOf(keys), (steps) => {
      const values = new ShortLived<object>();
      const expected = new Map<string, object>();
      for (const { act, key } of steps) {
        const value = {};
        if (act === 'set') {
          values.set(key, value);
          expected.set(key, value);
        } else {
          values.delete(key);
          expected.delete(key);
        }
        for (const each of keys) expect(values.get(each)).toBe(expected.get(each));
      }
    }),
    { numRuns: 200 },
  );
});

test('more values than there are places at first are found, and are gone once they are deleted', () => {
  const values = new ShortLived<number>();
  const keys = Array.from({ length: PLACES * 5 }, (_, index) => `key ${index}`);
  for (const [index, key] of keys.entries()) values.set(key, index);
  for (const [index, key] of keys.entries()) if (index % 2 === 0) values.delete(key);
  for (const [index, key] of keys.entries()) expect(values.get(key)).toBe(index % 2 === 0 ? undefined : index);
});
