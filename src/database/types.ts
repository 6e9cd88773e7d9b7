import pg from 'pg';
import { Prisma } from './generated/client/client.ts';

const { builtins } = pg.types;
const TEXT_ARRAY_OID = 1009;

const parseAnyTimestamp = pg.types.getTypeParser(builtins.TIMESTAMPTZ);
// The driver's declarations name no type of arrays.
const parseAnyTextArray: (text: string) => string[] = pg.types.getTypeParser(TEXT_ARRAY_OID as never);

// In both, what nearly every value looks like is read the short way, at a sixth of the cost; the driver's own parser reads the rest.

/** `2026-11-20 08:30:00.123456+00`, as every session of ours writes it: in UTC, in ISO style. What is below a millisecond is cut off. */
const parseTimestamp = (text: string): Date => {
  const zone = text.length - 3;
  // Years of one or two digits are of the twentieth century to `Date.UTC`.
  const isUsual = text.charCodeAt(0) !== ZERO && text.charCodeAt(4) === HYPHEN && text.charCodeAt(zone) === PLUS;
  if (!isUsual || !text.endsWith('00')) {
    return parseAnyTimestamp(text) as Date;
  }
  let ms = Date.UTC(
    twoDigits(text, 0) * 100 + twoDigits(text, 2),
    twoDigits(text, 5) - 1,
    twoDigits(text, 8),
    twoDigits(text, 11),
    twoDigits(text, 14),
    twoDigits(text, 17),
  );
  let unit = 100;
  for (let at = 20; at < zone && unit >= 1; at += 1) {
    ms += (text.charCodeAt(at) - ZERO) * unit;
    unit /= 10;
  }
  return new Date(ms);
};

const twoDigits = (text: string, at: number): number =>
  (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;

const HYPHEN = 0x2d;
const PLUS = 0x2b;
const ZERO = 0x30;

/** `{linen,pour-over}`, where nothing had to be quoted. */
const parseTextArray = (text: string): string[] => {
  if (text === '{}') return [];
  return /["\\{]|null/i.test(text.slice(1)) ? parseAnyTextArray(text) : text.slice(1, -1).split(',');
};

const TEXT = Symbol('as PostgreSQL has it');

/** `24.90`, as the column has it: to make it of the number anew costs more than all the rest of an amount. */
const parseAmount = (text: string): Prisma.Decimal => {
  const amount: Prisma.Decimal & { [TEXT]?: string } = new Prisma.Decimal(text);
  if (text.charCodeAt(text.length - 3) === POINT) amount[TEXT] = text;
  return amount;
};

/** With two digits after the point. */
export const amountText = (amount: Prisma.Decimal & { readonly [TEXT]?: string }): string =>
  amount[TEXT] ?? amount.toFixed(2);

const POINT = 0x2e;

const PARSERS = new Map<number, (text: string) => unknown>([
  [builtins.INT8, BigInt],
  [builtins.NUMERIC, parseAmount],
  [builtins.TIMESTAMPTZ, parseTimestamp],
  [TEXT_ARRAY_OID, parseTextArray],
]);

/** How our own SQL reads the types that differ from what `pg` makes of them, so that a row is what Prisma makes of it. */
export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};
