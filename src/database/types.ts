import pg from 'pg';
import { parseTextArray, parseTimestamp, TEXT_ARRAY_OID } from '../fast-path/pg-values.ts';
import { Prisma } from './generated/client/client.ts';

const { builtins } = pg.types;

const PARSERS = new Map<number, (text: string) => unknown>([
  [builtins.INT8, BigInt],
  [builtins.NUMERIC, (text) => new Prisma.Decimal(text)],
  [builtins.TIMESTAMPTZ, parseTimestamp],
  [TEXT_ARRAY_OID, parseTextArray],
]);

/** How our own SQL reads the types that differ from what `pg` makes of them, so that a row is what Prisma makes of it. */
export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};
