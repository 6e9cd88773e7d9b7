import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ShortLived } from '../../src/fast-path/short-lived.ts';

const steps = fc.array(
  fc.record({
    act: fc.constantFrom('set', 'delete'),
    key: fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor', ''),
  }),
);

test('values are found under their texts as in a Map', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const values = new ShortLived<object>();
      const expected = new Map<string, object>();
      for (const { act, key } of taken) {
        const value = {};
        if (act === 'set') {
          values.set(key, value);
          expected.set(key, value);
        } else {
          values.delete(key);
          expected.delete(key);
        }
        for (const each of ['a', 'b', 'c', 'd', '__proto__', 'constructor', '', 'toString']) {
          expect(values.get(each)).toBe(expected.get(each));
        }
      }
    }),
  );
});
