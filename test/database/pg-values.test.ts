import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { parseTextArray, parseTimestamp, TEXT_ARRAY_OID } from '../../src/database/pool.ts';

const parseByDriver = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date;

test('a timestamp of PostgreSQL is read as the driver reads it, with any number of digits, and in forms that are rare', () => {
  const usual = fc
    .tuple(
      fc.date({ min: new Date('0001-01-01Z'), max: new Date('9999-12-31Z'), noInvalidDate: true }),
      fc.stringMatching(/^(\.\d{1,6})?$/),
    )
    .map(([date, fraction]) => `${date.toISOString().slice(0, 19).replace('T', ' ')}${fraction}+00`);
  const rare = fc.constantFrom(
    'infinity',
    '-infinity',
    '12026-01-02 03:04:05+00',
    '0044-03-15 12:00:00+00 BC',
    '2026-01-02 03:04:05+05:30',
  );
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: usual }, rare), (text) => {
      const expected = parseByDriver(text);
      const read = parseTimestamp(text);
      expect(read instanceof Date ? read.getTime() : read).toBe(
        expected instanceof Date ? expected.getTime() : expected,
      );
    }),
    { numRuns: 2000 },
  );
});

const parseArrayByDriver: (text: string) => string[] = pg.types.getTypeParser(TEXT_ARRAY_OID as never);

/** As PostgreSQL writes an array: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
const writeArray = (items: readonly (string | null)[]): string => {
  const write = (item: string): string =>
    item === '' || /[{}",\\\s]|^null$/i.test(item) ? `"${item.replaceAll(/["\\]/g, '\\$&')}"` : item;
  return `{${items.map((item) => (item === null ? 'NULL' : write(item))).join(',')}}`;
};

test('an array of texts is read as the driver reads it, whatever is in it', () => {
  const item = fc.option(
    fc.oneof(fc.stringMatching(/^[a-z-]{1,9}$/), fc.string(), fc.constantFrom('NULL', 'nullable', '{}')),
    { freq: 20 },
  );
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const text = writeArray(items);
      expect(parseTextArray(text)).toEqual(parseArrayByDriver(text));
      expect(parseTextArray(text)).toEqual(items);
    }),
    { numRuns: 2000 },
  );
});
