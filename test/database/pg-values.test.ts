import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { parseTextArray, TEXT_ARRAY_OID } from '../../src/database/pool.ts';

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
