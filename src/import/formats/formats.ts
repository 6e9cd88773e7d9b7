import { OperatorError } from '../../errors.ts';
import type { ImportKind, Key } from '../kind.ts';
import type { SourceRecord } from '../record.ts';
import { bestbuyCategories } from './bestbuy.ts';
import { plainName } from './columns.ts';
import { dummyjson } from './dummyjson.ts';
import type { Format } from './format.ts';
import { google } from './google.ts';
import { assertTargets, createMapping, type MappedColumn, type Mapping, OTHER_LINE } from './mapping.ts';
import { nativeFormat } from './native.ts';
import { shopify } from './shopify.ts';
import { woocommerce } from './woocommerce.ts';
import { adviceOnLanguage } from './woocommerce-languages.ts';

/** Every format. A file is in the first one that recognises its columns, so the most specific come first. */
export const formatsOf = (kinds: readonly ImportKind[]): readonly Format[] => [...SHOPS, ...kinds.map(nativeFormat)];

const SHOPS: readonly Format[] = [shopify, woocommerce, google, dummyjson, bestbuyCategories];

const HEAD_RECORDS = 100;

export interface Choice {
  readonly format: Format;
  /** Absent if no column is renamed. */
  readonly mapping?: Mapping;
  /** Those of the file's first records, as the format names them. */
  readonly columns: ReadonlySet<string>;
}

interface Wish {
  readonly kinds: readonly ImportKind[];
  /** The name of a format. @default the one that recognises the columns */
  readonly format?: string | undefined;
  /** @default slug */
  readonly key?: Key | undefined;
  /** Columns to rename, into those of the named format or, by default, of a native one. */
  readonly map?: readonly MappedColumn[] | undefined;
}

/**
 * The format of a file, by the columns of its first records.
 * @throws OperatorError if it is in none, or does not have a column that is mapped
 */
export const chooseFormat = (wish: Wish, sourceName: string, head: readonly SourceRecord[]): Choice => {
  const { kinds, map = [], key = 'slug' } = wish;
  if (head.length === 0) throw new OperatorError(`${sourceName} has no rows: add one below the column names.`);
  const formats = map.length > 0 ? kinds.map(nativeFormat) : formatsOf(kinds);
  const named = formatsOf(kinds).find(({ name }) => name === wish.format);
  assertTargets(map, named ? [named] : formats);
  const mapping = map.length > 0 ? createMapping(map, sourceName, columnsOf(head)) : undefined;
  const columns = new Set(columnsOf(mapping ? head.map(mapping.rename) : head));
  const targets = map.map(({ target }) => target);
  const areTelling = targets.some((target) => !isShared(target, formats));
  const format =
    named ??
    formats.find(({ recognises }) => recognises(columns)) ??
    formats.find(({ recognises }) => areTelling && recognises(new Set(targets)));
  if (!named && map.length === 0 && !(format && SHOPS.includes(format))) {
    const advice = adviceOnLanguage(head, columns, format !== undefined);
    if (advice) throw new OperatorError(`${sourceName} is WooCommerce’s export in another language. ${advice}`);
  }
  if (format) {
    assertKey(format, key, sourceName, columns);
    return { format, columns, ...(mapping && { mapping }) };
  }
  throw new OperatorError(
    `${sourceName} is in no known format. Its columns: ${[...columns].join(', ')}.\n` +
      'A product needs name, price and category; a category needs path, or slug and name; a notice needs title and content.\n' +
      `${OTHER_LINE}.\n` +
      'Say which columns these are, such as --map name=title,price=final_price, or name the format with --format:\n' +
      formats.map(({ name, summary }) => `  ${name}: ${summary}`).join('\n'),
  );
};

/** Whether several formats have a column, so that it tells none of them: everything has a name. */
const isShared = (column: string, formats: readonly Format[]): boolean =>
  formats.filter(({ columns }) => columns.some((each) => plainName(each) === plainName(column))).length > 1;

/** Categories and notices have a key of their own, so that one run can import them with products. */
const assertKey = (
  { name, kind, columns, keys = ['slug'] }: Format,
  key: Key,
  sourceName: string,
  given: ReadonlySet<string>,
): void => {
  if (kind !== 'product' || key === 'slug') return;
  const hasKey = (names: Iterable<string>): boolean => [...names].some((column) => plainName(column) === key);
  // Google's feeds have the number in `id`.
  if (keys.includes(key) && (hasKey(given) || !hasKey(columns))) return;
  if (keys.includes(key)) {
    const advice = `say which it is, such as --map ${key}=number`;
    throw new OperatorError(`${sourceName} has no column ${key}: ${advice}. Its columns: ${[...given].join(', ')}.`);
  }
  throw new OperatorError(
    `--key ${key} is not for the format ${name}, which can find products by ${keys.join(' or ')}.`,
  );
};

const columnsOf = (records: readonly SourceRecord[]): string[] => [
  ...new Set(records.slice(0, HEAD_RECORDS).flatMap(({ fields }) => Object.keys(fields))),
];
