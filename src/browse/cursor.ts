import { hash } from 'node:crypto';
import { isStorable } from '../database/storable-text.ts';
import { AppError } from '../errors.ts';
import type { Position, ProductSearchOrder, SearchTerm } from './browse-engine.ts';
import { type KeyType, SEARCH_ORDERS } from './order.ts';

/** The list that a cursor belongs to. The filter is not part of it: a place in an order is the same under every filter. */
export interface CursorList {
  readonly order: ProductSearchOrder;
  readonly terms: readonly SearchTerm[];
}

/** A place in a list, as text that clients hand back and do not read: the order, the search and the position. */
export const encodeCursor = (list: CursorList, position: Position): string =>
  Buffer.from(JSON.stringify([list.order, searchOf(list), ...position])).toString('base64url');

/** @throws AppError BAD_USER_INPUT for what is no cursor of this list */
export const decodeCursor = (list: CursorList, cursor: string, argument: 'after' | 'before'): Position => {
  const fault = (problem: string): AppError =>
    new AppError('BAD_USER_INPUT', `Argument "${argument}" ${problem}.`, { argument, problem });
  const parts = readParts(cursor);
  if (!parts) throw fault('must be a cursor of this API');
  const [order, search, ...position] = parts;
  if (order !== list.order) throw fault(`is a cursor of another order, ${order}`);
  if (search !== searchOf(list)) throw fault('is a cursor of another search');
  const types = Object.values(SEARCH_ORDERS[list.order].columns);
  const isPosition =
    position.length === types.length && types.every((type, index) => IS_VALUE[type](position[index] ?? ''));
  if (!isPosition) throw fault('must be a cursor of this API');
  return position;
};

const SEARCH_LENGTH = 10;

const searchOf = ({ terms }: CursorList): string =>
  terms.length === 0 ? '' : hash('sha1', terms.map(({ text }) => text).join(' '), 'base64url').slice(0, SEARCH_LENGTH);

const readParts = (cursor: string): string[] | undefined => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : undefined;
  } catch {
    return undefined;
  }
};

const INT_DIGITS = /^-?\d{1,10}$/;
const MICROSECONDS = /^-?\d{1,18}$/;
const PRICE = /^\d{1,12}\.\d\d$/;

// From the year 1 to the year 9999, as the tables allow.
const FIRST_MICROSECOND = -62_135_596_800_000_000n;
const LAST_MICROSECOND = 253_402_300_799_999_999n;

/** A cursor that a client has changed must not reach the database, where it would be an error. */
const IS_VALUE: Readonly<Record<KeyType, (value: string) => boolean>> = {
  int: (value) => INT_DIGITS.test(value) && Math.abs(Number(value)) < 2 ** 31,
  timestamptz: (value) =>
    MICROSECONDS.test(value) && BigInt(value) >= FIRST_MICROSECOND && BigInt(value) <= LAST_MICROSECOND,
  numeric: (value) => PRICE.test(value),
  text: isStorable,
};
