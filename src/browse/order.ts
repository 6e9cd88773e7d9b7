import { hash } from 'node:crypto';
import { isStorable } from '../database/sql.ts';
import { badArgument } from '../errors.ts';
import { orderColumns, PRODUCT_ORDERS, type ProductOrder } from '../product/product.order.ts';
import type { BrowseRequest, Position, ProductSearchOrder } from './browse-engine.ts';

export const KEY_TYPES = {
  score: 'int',
  sales: 'int',
  published_at: 'timestamptz',
  price: 'numeric',
  name: 'text',
  id: 'int',
} as const;

export type KeyColumn = keyof typeof KEY_TYPES;

export type KeyType = (typeof KEY_TYPES)[KeyColumn];

interface SearchOrder {
  readonly description: string;
  /** Of a position, in its order: columns of a product, and its score. The last is the id, so that the order is total. */
  readonly columns: readonly KeyColumn[];
  readonly isDescending: boolean;
}

/** An order that lists of products have, too. */
const ofList = (order: ProductOrder): SearchOrder => {
  const { description, by } = PRODUCT_ORDERS[order];
  return { description, columns: orderColumns(order) as KeyColumn[], isDescending: by[0].endsWith(' desc') };
};

/** For SQL, the index and cursors alike. */
export const SEARCH_ORDERS: Readonly<Record<ProductSearchOrder, SearchOrder>> = {
  RELEVANCE: {
    description: 'What fits a search best first, then as BEST_SELLING. Without a search: BEST_SELLING.',
    columns: ['score', ...ofList('BEST_SELLING').columns],
    isDescending: true,
  },
  BEST_SELLING: ofList('BEST_SELLING'),
  NEWEST: ofList('NEWEST'),
  PRICE_ASC: ofList('PRICE_ASC'),
  PRICE_DESC: ofList('PRICE_DESC'),
  NAME_ASC: ofList('NAME_ASC'),
};

/** The list that a cursor belongs to. The filter is not part of it: a place in an order is the same under every filter. */
type CursorList = Pick<BrowseRequest, 'order' | 'terms' | 'code' | 'languages'>;

/** A place in a list, as text that clients hand back and do not read: the order, the search and the position. */
export const encodeCursor = (list: CursorList, position: Position): string =>
  Buffer.from(JSON.stringify([list.order, searchOf(list), ...position])).toString('base64url');

/** @throws AppError BAD_USER_INPUT for what is no cursor of this list */
export const decodeCursor = (list: CursorList, cursor: string, argument: 'after' | 'before'): Position => {
  const parts = readParts(cursor);
  if (!parts) throw badArgument(argument, 'must be a cursor of this API');
  const [order, search, ...position] = parts;
  if (order !== list.order) throw badArgument(argument, `is a cursor of another order, ${order}`);
  if (search !== searchOf(list)) throw badArgument(argument, 'is a cursor of another search');
  const { columns } = SEARCH_ORDERS[list.order];
  const isPosition =
    position.length === columns.length &&
    columns.every((column, index) => IS_VALUE[KEY_TYPES[column]](position[index] ?? ''));
  if (!isPosition) throw badArgument(argument, 'must be a cursor of this API');
  return position;
};

const SEARCH_LENGTH = 10;

/** The words alone do not say it: of `X-1` and `X 1`, one may be a code, which comes first. */
const searchOf = ({ terms, code, order, languages = [] }: CursorList): string => {
  const search = code ?? terms.map(({ text }) => text).join(' ');
  const language = search !== '' || order === 'NAME_ASC' ? languages.join(' ') : '';
  return search + language === '' ? '' : hash('sha1', search + language, 'base64url').slice(0, SEARCH_LENGTH);
};

const readParts = (cursor: string): string[] | undefined => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : undefined;
  } catch {
    return undefined;
  }
};

// From the year 1 to the year 9999, as the tables allow.
const FIRST_MICROSECOND = -62_135_596_800_000_000n;
const LAST_MICROSECOND = 253_402_300_799_999_999n;

/** A cursor that a client has changed must not reach the database, where it would be an error. */
const IS_VALUE: Readonly<Record<KeyType, (value: string) => boolean>> = {
  int: (value) => /^-?\d{1,10}$/.test(value) && Math.abs(Number(value)) < 2 ** 31,
  timestamptz: (value) =>
    /^-?\d{1,18}$/.test(value) && BigInt(value) >= FIRST_MICROSECOND && BigInt(value) <= LAST_MICROSECOND,
  numeric: (value) => /^\d{1,12}\.\d\d$/.test(value),
  text: isStorable,
};

/** As PostgreSQL's collation "C" compares, by which both engines sort values: UTF-16 has the characters past U+FFFF before some of those below. */
export const compareCodePoints = (a: string, b: string): number => {
  for (let index = 0; index < a.length; index += 1) {
    const left = a.codePointAt(index) as number;
    const right = b.codePointAt(index) ?? -1;
    if (left !== right) return left - right;
  }
  return a.length - b.length;
};
