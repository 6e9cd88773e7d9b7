import {
  GraphQLBoolean,
  type GraphQLEnumType,
  GraphQLInt,
  type GraphQLOutputType,
  GraphQLString,
  getNullableType,
  isEnumType,
  isListType,
  isScalarType,
} from 'graphql';
import pg from 'pg';
import { TEXT_ARRAY_OID } from '../../fast-path/pg-values.ts';

/**
 * The JSON of a column, made of the text that PostgreSQL wrote: what the value would be written as, for less than half of the CPU time (docs/fast-path.md).
 */
export interface ColumnJson {
  /** @param typeOid pg_type.oid of the column */
  readonly isFor: (typeOid: number) => boolean;
  /** Undefined for a text of a rare form, which is to be parsed. */
  readonly toJson: (text: string) => string | undefined;
}

/** How a column is written that a field of a type shows; undefined for types of which it is not known. */
export const columnJsonOf = (type: GraphQLOutputType): ColumnJson | undefined => {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return getNullableType(nullable.ofType) === GraphQLString ? STRINGS : undefined;
  if (isEnumType(nullable)) return enumJson(nullable);
  if (!isScalarType(nullable)) return undefined;
  return BUILT_IN.get(nullable) ?? (nullable.extensions.columnJson as ColumnJson | undefined);
};

const { builtins } = pg.types;

const oneOf =
  (...typeOids: number[]) =>
  (typeOid: number): boolean =>
    typeOids.includes(typeOid);

const BUILT_IN: ReadonlyMap<GraphQLOutputType, ColumnJson> = new Map<GraphQLOutputType, ColumnJson>([
  [GraphQLInt, { isFor: oneOf(builtins.INT2, builtins.INT4), toJson: (text) => text }],
  [GraphQLBoolean, { isFor: oneOf(builtins.BOOL), toJson: (text) => (text === 't' ? 'true' : 'false') }],
  [
    GraphQLString,
    {
      isFor: oneOf(builtins.TEXT, builtins.VARCHAR, builtins.BPCHAR),
      toJson: (text) => JSON.stringify(text),
    },
  ],
]);

// What PostgreSQL puts no quotes around has none of the first three, and no blank; without quotes, NULL is no text. JSON escapes control characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are meant
const UNUSUAL_IN_ARRAY = /["\\{\u0000-\u001f]|null/i;

const STRINGS: ColumnJson = {
  isFor: oneOf(TEXT_ARRAY_OID),
  toJson: (text) => {
    if (text === '{}') return '[]';
    const items = text.slice(1, -1);
    return UNUSUAL_IN_ARRAY.test(items) ? undefined : `["${items.replaceAll(',', '","')}"]`;
  },
};

/** Types with a greater oid were created by somebody: https://www.postgresql.org/docs/current/system-catalog-initial-data.html */
const LAST_BUILT_IN_OID = 16_383;

const enumJson = (type: GraphQLEnumType): ColumnJson => {
  const texts = new Map(type.getValues().map(({ name, value }) => [value, JSON.stringify(name)]));
  return { isFor: (typeOid) => typeOid > LAST_BUILT_IN_OID, toJson: (text) => texts.get(text) };
};

const HYPHEN = 0x2d;
const BLANK = 0x20;
const LENGTH_WITHOUT_FRACTION = '2026-11-20 08:30:00+00'.length;

/** For a scalar: `2026-11-20 08:30:00.123456+00`, the form of our sessions, as `2026-11-20T08:30:00.123Z`. Microseconds are cut off. */
export const TIMESTAMP_JSON: ColumnJson = {
  isFor: oneOf(builtins.TIMESTAMPTZ),
  toJson: (text) => {
    // Not so in another time zone or style, before Christ, or after the year 9999.
    if (!text.endsWith('+00') || text.charCodeAt(4) !== HYPHEN || text.charCodeAt(10) !== BLANK) return undefined;
    // In two halves, whose parts are short: added up piece by piece it takes 1.7 times as long, and leaves 100 bytes more of garbage.
    const time =
      text.length === LENGTH_WITHOUT_FRACTION
        ? `${text.slice(11, 19)}.000Z"`
        : `${text.slice(11, 20)}${`${text.slice(20, -3)}00`.slice(0, 3)}Z"`;
    return `"${text.slice(0, 10)}T${time}`;
  },
};

/** For a scalar: an amount that is stored with two digits after the point. */
export const CENTS_JSON: ColumnJson = {
  isFor: oneOf(builtins.NUMERIC),
  toJson: (text) => (text.at(-3) === '.' ? `"${text}"` : undefined),
};
