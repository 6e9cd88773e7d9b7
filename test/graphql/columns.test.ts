import fc from 'fast-check';
import { GraphQLList, GraphQLNonNull, GraphQLString } from 'graphql';
import { expect, test } from 'vitest';
import { Prisma } from '../../src/database/generated/client/client.ts';
import { StoredDecimal } from '../../src/database/stored-row.ts';
import { createIsoTime } from '../../src/fast-path/iso-time.ts';
import { parseTextArray, parseTimestamp } from '../../src/fast-path/pg-values.ts';
import { CENTS_JSON, columnJsonOf, TIMESTAMP_JSON } from '../../src/graphql/executor/columns.ts';

const isoTime = createIsoTime();

test('a timestamp is written as its value would be, or left to it', () => {
  const usual = fc
    .tuple(
      fc.date({ min: new Date('0001-01-01Z'), max: new Date('9999-12-31Z'), noInvalidDate: true }),
      fc.stringMatching(/^(\.\d{1,6})?$/),
    )
    .map(([date, fraction]) => `${date.toISOString().slice(0, 19).replace('T', ' ')}${fraction}+00`);
  fc.assert(
    fc.property(usual, (text) => {
      expect(TIMESTAMP_JSON.toJson(text)).toBe(JSON.stringify(isoTime(parseTimestamp(text))));
    }),
    { numRuns: 2000 },
  );
  for (const rare of [
    'infinity',
    '-infinity',
    '12026-01-02 03:04:05+00',
    '0044-03-15 12:00:00+00 BC',
    '2026-01-02 03:04:05+05:30',
    '2026-01-02T03:04:05+00',
  ]) {
    expect(TIMESTAMP_JSON.toJson(rare)).toBeUndefined();
  }
});

test('an amount of two decimal places is written as its value would be, and any other is left to it', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^-?(0|[1-9]\d{0,11})(\.\d{1,4})?$/), (text) => {
      const json = CENTS_JSON.toJson(text);
      if (/\.\d\d$/.test(text)) expect(json).toBe(`"${text}"`);
      else expect(json).toBeUndefined();
    }),
  );
  expect(CENTS_JSON.toJson('NaN')).toBeUndefined();
});

/** As PostgreSQL writes an array: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
const writeArray = (items: readonly (string | null)[]): string => {
  const write = (item: string): string =>
    item === '' || /[{}",\\ \t\n\v\f\r]|^null$/i.test(item) ? `"${item.replaceAll(/["\\]/g, '\\$&')}"` : item;
  return `{${items.map((item) => (item === null ? 'NULL' : write(item))).join(',')}}`;
};

test('an array of texts is written as its value would be, or left to it', () => {
  const { toJson } = columnJsonOf(new GraphQLNonNull(new GraphQLList(GraphQLString))) ?? {};
  const item = fc.option(
    fc.oneof(
      fc.stringMatching(/^[a-z-]{1,9}$/),
      fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
      fc.constantFrom('NULL', 'nullable', '{}', '\u0001', '\u007f', '\u2028', 'é🍵'),
    ),
    { freq: 20 },
  );
  let written = 0;
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const text = writeArray(items);
      const json = toJson?.(text);
      if (json === undefined) return;
      written += 1;
      expect(json).toBe(JSON.stringify(parseTextArray(text)));
    }),
    { numRuns: 200 },
  );
  expect(written).toBeGreaterThan(20);
});

test('an amount that is read computes and compares as a Decimal, whichever side it stands on', () => {
  const amount = fc
    .tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: 0, max: 4 }))
    .map(([units, places]) => new Prisma.Decimal(units).div(10 ** places).toFixed(places));
  fc.assert(
    fc.property(amount, amount, (one, other) => {
      const [parsed, otherParsed] = [new Prisma.Decimal(one), new Prisma.Decimal(other)];
      const [read, otherRead] = [one, other].map((text) => new StoredDecimal(text) as unknown as Prisma.Decimal);
      if (!read || !otherRead) throw new Error('two amounts make two');
      expect(read).toBeInstanceOf(Prisma.Decimal);
      expect(Prisma.Decimal.isDecimal(read)).toBe(true);
      expect([read.toFixed(2), read.toFixed(), read.toString(), read.toNumber(), JSON.stringify(read)]).toEqual([
        parsed.toFixed(2),
        parsed.toFixed(),
        parsed.toString(),
        parsed.toNumber(),
        JSON.stringify(parsed),
      ]);
      expect(read.plus(otherRead).toString()).toBe(parsed.plus(otherParsed).toString());
      expect(otherParsed.minus(read).toString()).toBe(otherParsed.minus(parsed).toString());
      expect(read.comparedTo(otherParsed)).toBe(parsed.comparedTo(otherParsed));
    }),
  );
});
