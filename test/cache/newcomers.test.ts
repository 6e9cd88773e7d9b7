import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CachedResponse, createToBody } from '../../src/cache/cached-response.ts';
import { createNewcomers } from '../../src/cache/newcomers.ts';
import { numberOf } from '../../src/fast-path/short-lived.ts';
import { trueList } from '../support/true-list.ts';

const MAX_BYTES = 16_384;

const toBody = createToBody();

const list = trueList();

const time = fc.double({ noNaN: true });
const maybe = fc.option(time, { nil: undefined });

/** Anything that a response may be. */
const responses = fc
  .record({
    key: fc.string({ unit: 'binary', maxLength: 60 }),
    text: fc.string({ unit: 'grapheme', maxLength: 1500, size: 'max' }),
    status: fc.constantFrom<200 | 404>(200, 404),
    tags: fc.array(fc.nat(), { maxLength: 70 }),
    lists: fc.array(fc.record({ list: fc.constant(list), places: fc.nat() }), { maxLength: 3 }),
    asOfMs: time,
    remakes: fc.nat(),
    trueAt: fc.nat(),
    validUntilMs: maybe,
    changesMs: maybe,
    trustedUntilMs: maybe,
    staleUntilMs: time,
    countsViews: fc.boolean(),
    views: fc.array(fc.nat(), { maxLength: 2 }),
  })
  .map(
    ({ text, ...facts }): CachedResponse => ({
      ...facts,
      ...toBody(text),
      entry: { response: undefined },
      isNewcomer: false,
      isUsed: false,
      encoded: undefined,
    }),
  );

test('a response is given back as it was added, once, or not at all', () => {
  fc.assert(
    fc.property(fc.array(responses, { maxLength: 60, size: 'max' }), (added) => {
      const newcomers = createNewcomers(MAX_BYTES);
      const latest = new Map<string, CachedResponse>();
      for (const response of added) {
        newcomers.add(response);
        latest.set(response.key, response);
        expect(newcomers.size().bytes).toBeLessThanOrEqual(MAX_BYTES);
        expect(newcomers.take(response.key)).toEqual(response);
        expect(newcomers.take(response.key)).toBeUndefined();
        newcomers.add(response);
      }
      const { entries } = newcomers.size();
      const taken = [...latest.values()].filter((response) => {
        const found = newcomers.take(response.key);
        if (found) expect(found).toEqual(response);
        return found;
      });
      expect(taken).toHaveLength(entries);
      expect(newcomers.size().entries).toBe(0);
    }),
  );
});

test('the latest responses are kept, whatever came before, and the oldest are not', () => {
  const newcomers = createNewcomers(1_048_576);
  const [some] = fc.sample(responses, 1);
  const responseOf = (number: number): CachedResponse => ({
    ...(some as CachedResponse),
    key: `key ${number}`,
    tags: [],
    views: [],
    ...toBody('x'.repeat(1000 + (number % 7))),
  });
  for (let number = 0; number < 5000; number += 1) newcomers.add(responseOf(number));
  const found = Array.from({ length: 5000 }, (_, number) => newcomers.take(`key ${number}`) !== undefined);
  const countOf = (from: number, to: number): number => found.slice(from, to).filter(Boolean).length;
  expect(countOf(0, 4000)).toBe(0);
  expect(countOf(4900, 5000)).toBeGreaterThan(90);
  expect(countOf(4200, 5000)).toBeGreaterThan(650);
});

test('a response that would take more than half of the memory is not kept, and takes nothing from others', () => {
  const newcomers = createNewcomers(MAX_BYTES);
  const [response] = fc.sample(responses, 1) as [CachedResponse];
  newcomers.add(response);
  newcomers.add({ ...response, key: 'long', ...toBody('x'.repeat(MAX_BYTES / 2)) });
  expect(newcomers.take('long')).toBeUndefined();
  expect(newcomers.take(response.key)).toEqual(response);
});

test('keys that are one number are not taken for each other', () => {
  const [first, second] = ['key 122789', 'key 339192'];
  expect(numberOf(first)).toBe(numberOf(second));
  const newcomers = createNewcomers(MAX_BYTES);
  const [response] = fc.sample(responses, 1) as [CachedResponse];
  newcomers.add({ ...response, key: first });
  expect(newcomers.take(second)).toBeUndefined();
  newcomers.add({ ...response, key: second });
  expect(newcomers.take(first)).toBeUndefined();
  expect(newcomers.take(second)?.key).toBe(second);
});
