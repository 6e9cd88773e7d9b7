import { type KnownList, type KnownRowsOf, keepRows } from '../cache/known-rows.ts';
import type { Product } from '../database/generated/client/client.ts';
import { createSharedLoader, type Sql } from '../database/sql.ts';
import { isDescending, type ProductOrder, sortKeysOf } from './product.order.ts';
import { headOfAll, headOfEachCategory } from './product.sql.ts';

/** The ids of the first products of a category, or of the whole catalogue, in an order. */
export interface Head extends KnownList {
  readonly orderBy: ProductOrder;
  /** Undefined for the whole catalogue. */
  readonly categoryId: number | undefined;
  /** How many were asked for: with fewer ids, there are no more. */
  readonly limit: number;
  /** What they are sorted by before the id, a list for each column. Undefined where only the database can compare. */
  readonly sortKeys: readonly (readonly number[])[] | undefined;
}

/** Heads and rows of lists, as all operations share them. */
export interface ProductHeads {
  /** At least `limit`, if there are so many. Calls at the same time share a statement. */
  readonly read: (orderBy: ProductOrder, categoryId: number | undefined, limit: number) => Promise<Head>;
  /** One that is known and long enough. */
  readonly find: (orderBy: ProductOrder, categoryId: number | undefined, limit: number, now: Date) => Head | undefined;
  /** Keeps the rows of a list that a statement reads. */
  readonly keepRows: (read: () => Promise<Product[]>) => Promise<Product[]>;
  /** Whether most products that lists showed lately were known: then it costs less to ask for ids first. */
  readonly areRowsKnown: () => boolean;
}

/** Heads are read in two lengths, so that a known one is seldom too short. */
const SHORT = 20;
const LONG = 100;

/** How much one list tells of how many rows are known. */
const WEIGHT_OF_ONE = 0.1;

export const createProductHeads = (sql: Sql, known?: KnownRowsOf<Product>): ProductHeads => {
  let knownShare = 0;

  const loader = createSharedLoader<string, Head>({
    read: async (keys) => {
      const lists = known?.beginLists();
      const kinds = [...Map.groupBy(keys.map(parseKey), ({ orderBy, limit }) => `${orderBy} ${limit}`).values()];
      const heads = (await Promise.all(kinds.map((kind) => readHeads(sql, kind, lists?.now ?? new Date())))).flat();
      for (const head of heads) lists?.keep(nameOf(head.orderBy, head.categoryId), head, head.categoryId);
      return heads;
    },
    keyOf: ({ orderBy, limit, categoryId }) => keyOf(orderBy, limit, categoryId),
  });

  return {
    areRowsKnown: () => knownShare > 0.5,
    find: (orderBy, categoryId, limit, now) => {
      const head = known?.findList<Head>(nameOf(orderBy, categoryId), now);
      return head && (head.limit >= limit || head.ids.length < head.limit) ? head : undefined;
    },
    read: async (orderBy, categoryId, limit) => {
      const head = await loader.load(keyOf(orderBy, limit > SHORT ? LONG : SHORT, categoryId));
      if (!head) throw new Error('a head was asked for and not read');
      return head;
    },
    keepRows: (read) =>
      keepRows(known, async () => {
        const rows = await read();
        const share = rows.filter(({ id }) => known?.has(id)).length / rows.length;
        if (rows.length > 0) knownShare += (share - knownShare) * WEIGHT_OF_ONE;
        return rows;
      }),
  };
};

type HeadKey = Pick<Head, 'orderBy' | 'categoryId' | 'limit'>;

const nameOf = (orderBy: ProductOrder, categoryId: number | undefined): string => `${orderBy} ${categoryId ?? ''}`;

const keyOf = (orderBy: ProductOrder, limit: number, categoryId: number | undefined): string =>
  `${orderBy} ${limit} ${categoryId ?? ''}`;

const parseKey = (key: string): HeadKey => {
  const [orderBy, limit, categoryId] = key.split(' ') as [ProductOrder, string, string];
  return { orderBy, limit: Number(limit), categoryId: categoryId === '' ? undefined : Number(categoryId) };
};

/** As {@link headOfEachCategory} gives it: arrays as PostgreSQL writes them. */
interface HeadRow extends Readonly<Record<`key${number}`, string | null>> {
  readonly categoryId?: number;
  readonly ids: string | null;
}

/** All of one order and length. */
const readHeads = async (sql: Sql, keys: readonly HeadKey[], now: Date): Promise<Head[]> => {
  const [{ orderBy, limit } = { orderBy: 'DEFAULT', limit: 0 } as const] = keys;
  const ids = keys.flatMap(({ categoryId }) => categoryId ?? []);
  const [ofCategories, ofAll] = await Promise.all([
    ids.length > 0 ? sql.rows<HeadRow>(headOfEachCategory(orderBy), [ids, now, limit]) : [],
    ids.length < keys.length ? sql.rows<HeadRow>(headOfAll(orderBy), [now, limit]) : [],
  ]);
  return [...ofCategories, ...ofAll].map((row) => {
    const sortKeys = sortKeysOf(orderBy)?.map((_, index) => integers(row[`key${index}`]));
    return {
      orderBy,
      categoryId: row.categoryId,
      limit,
      ids: integers(row.ids),
      sortKeys: sortKeys?.flat().every(Number.isSafeInteger) ? sortKeys : undefined,
    };
  });
};

const integers = (array: string | null | undefined): number[] => array?.slice(1, -1).split(',').map(Number) ?? [];

/** The first of several heads taken together, or of one. Undefined where only the database can tell. */
export const mergeHeads = (heads: readonly Head[], limit: number): Entry[] | undefined => {
  const [first] = heads;
  if (!first) return [];
  if (heads.length === 1) return first.ids.slice(0, limit).map((id, at) => ({ id, head: first, at }));
  if (heads.some(({ sortKeys }) => !sortKeys)) return undefined;
  const sign = isDescending(first.orderBy) ? -1 : 1;
  const at = heads.map(() => 0);
  const merged: Entry[] = [];
  while (merged.length < limit) {
    let best = -1;
    for (let index = 0; index < heads.length; index += 1) {
      const head = heads[index] as Head;
      const position = at[index] as number;
      if (position >= head.ids.length) continue;
      if (best < 0 || compare(head, position, heads[best] as Head, at[best] as number) * sign < 0) best = index;
    }
    if (best < 0) break;
    const head = heads[best] as Head;
    const position = at[best] as number;
    at[best] = position + 1;
    merged.push({ id: head.ids[position] as number, head, at: position });
  }
  return merged;
};

/** A place in a head. */
interface Entry {
  readonly id: number;
  readonly head: Head;
  readonly at: number;
}

const compare = (one: Head, at: number, other: Head, otherAt: number): number => {
  for (const [index, keys] of one.sortKeys?.entries() ?? []) {
    const difference = (keys[at] ?? 0) - (other.sortKeys?.[index]?.[otherAt] ?? 0);
    if (difference !== 0) return difference;
  }
  return (one.ids[at] ?? 0) - (other.ids[otherAt] ?? 0);
};

/** Whether a row is as it was when the head was read: in its place, and in its category. False where nobody can tell. */
export const isInPlace = ({ head, at }: Entry, product: Product): boolean =>
  (head.categoryId === undefined || head.categoryId === product.categoryId) &&
  (sortKeysOf(head.orderBy)?.every(({ isOf }, index) => isOf(head.sortKeys?.[index]?.[at] ?? Number.NaN, product)) ??
    false);
