import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createIsoTime } from '../src/graphql/iso-time.ts';

const isoTime = createIsoTime();

test('a moment is written as toISOString writes it, from year -271821 to 275760', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (moment) => {
      expect(isoTime(moment)).toBe(moment.toISOString());
    }),
    { numRuns: 2000 },
  );
});

test.for([
  '1970-01-01T00:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '2000-02-29T23:59:59.999Z',
  '2026-11-20T00:00:00.001Z',
  '9999-12-31T23:59:59.999Z',
  '+010000-01-01T00:00:00.000Z',
])('%s', (text) => {
  expect(isoTime(new Date(text))).toBe(text);
});

test('more days than are remembered are all right', () => {
  for (let day = 0; day < 10_000; day += 1) {
    const moment = new Date(day * 86_400_000 + 45_296_789);
    expect(isoTime(moment)).toBe(moment.toISOString());
  }
});

test('an invalid date is an error, as it is there', () => {
  expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError);
});
