import type { KnownList } from '../cache/known-lists.ts';
import { type KnownRowsOf, keepRows } from '../cache/known-rows.ts';
import type { ListVersion } from '../cache/tags.ts';
import type { Product } from '../database/generated/client/client.ts';
import { createSharedLoader, type Sql } from '../database/sql.ts';
import { sortedProductOf } from './product.changed.ts';
import { isDescending, type ProductOrder, type SortedProduct, sortKeysOf } from './product.order.ts';
import { changedProducts, headOfAll, headOfEachCategory } from './product.sql.ts';

/** The ids of the first products of a category, or of the whole catalogue, in an order. */
export interface Head extends KnownList {
  readonly orderBy: ProductOrder;
  /** Undefined for the whole catalogue. */
  readonly categoryId: number | undefined;
  /** The most that it has. */
  readonly limit: number;
  /** Whether there are no more. */
  readonly isWhole: boolean;
  /** What they are sorted by before the id, a list for each column. Undefined where only the database can compare. */
  readonly sortKeys: readonly (readonly number[])[] | undefined;
}

/** A head, and what a response that is made of it depends on: undefined for what a category, or any, has. */
export interface FoundHead {
  readonly list: Head;
  readonly version?: ListVersion;
}

/** Heads and rows of lists, as all operations share them. */
export interface ProductHeads {
  /** At least `limit`, if there are so many. Calls at the same time share a statement. */
  readonly read: (orderBy: ProductOrder, categoryId: number | undefined, limit: number) => Promise<FoundHead>;
  /** One that is known, with every change so far: at once, or after rows that changed were read. It may be too short. */
  readonly find: (
    orderBy: ProductOrder,
    categoryId: number | undefined,
    now: Date,
  ) => FoundHead | Promise<FoundHead | undefined> | undefined;
  /** Keeps the rows of a list that a statement reads. */
  readonly keepRows: (read: () => Promise<Product[]>) => Promise<Product[]>;
  /** Whether most products that lists showed lately were known: then it costs less to ask for ids first. */
  readonly areRowsKnown: () => boolean;
}

/** Heads are read in two lengths, for lists as far as 20 and 100. Some more, because each product that leaves makes a head shorter. */
const SHORT = 20;
const LONG = 100;
const SPARE = 12;

/** How much one list tells of how many rows are known. */
const WEIGHT_OF_ONE = 0.1;

export const createProductHeads = (sql: Sql, known?: KnownRowsOf<Product>): ProductHeads => {
  let knownShare = 0;

  const lists = known?.lists<Head, SortedProduct>({
    // Those that were asked for by themselves are soon asked for again.
    readRows: (ids) => known.keep(() => sql.storedRows<Product & SortedProduct>(changedProducts, [ids]), known.has),
    withRow: headWithRow,
    rowOf: sortedProductOf,
  });

  const loader = createSharedLoader<string, FoundHead & { readonly key: string }>({
    read: async (keys) => {
      const asked = keys.map((key) => ({ key, ...parseKey(key) }));
      const reads = new Map(
        asked.map(({ key, orderBy, categoryId }) => [key, lists?.begin(nameOf(orderBy, categoryId), categoryId)]),
      );
      // After the next planned change was noted: an earlier time would miss what began to show since, and is no longer planned.
      const now = lists?.now() ?? new Date();
      const kinds = [...Map.groupBy(asked, ({ orderBy, limit }) => `${orderBy} ${limit}`).values()];
      try {
        const heads = (await Promise.all(kinds.map((kind) => readHeads(sql, kind, now)))).flat();
        return heads.map((list) => {
          const key = keyOf(list.orderBy, list.limit, list.categoryId);
          const found = list.sortKeys && reads.get(key)?.keep(list);
          return { key, list, ...found };
        });
      } finally {
        for (const read of reads.values()) read?.end();
      }
    },
    keyOf: ({ key }) => key,
  });

  return {
    areRowsKnown: () => knownShare > 0.5,
    find: (orderBy, categoryId, now) => lists?.find(nameOf(orderBy, categoryId), now),
    read: async (orderBy, categoryId, limit) => {
      const head = await loader.load(keyOf(orderBy, (limit > SHORT ? LONG : SHORT) + SPARE, categoryId));
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
      isWhole: integers(row.ids).length < limit,
      sortKeys: sortKeys?.flat().every(Number.isSafeInteger) ? sortKeys : undefined,
    };
  });
};

const integers = (array: string | null | undefined): number[] => array?.slice(1, -1).split(',').map(Number) ?? [];

/** The first of several heads taken together, or of one. Undefined where they are too short, or only the database can tell. */
export const mergeHeads = (heads: readonly Head[], limit: number): Entry[] | undefined => {
  const [first] = heads;
  if (!first) return [];
  if (heads.length > 1 && heads.some(({ sortKeys }) => !sortKeys)) return undefined;
  const at = heads.map(() => 0);
  const merged: Entry[] = [];
  while (merged.length < limit) {
    let best = -1;
    for (let index = 0; index < heads.length; index += 1) {
      const [head, place] = [heads[index] as Head, at[index] as number];
      if (place >= head.ids.length) {
        if (!head.isWhole) return undefined;
      } else if (best < 0 || comparePlaces(head, place, heads[best] as Head, at[best] as number) < 0) best = index;
    }
    const head = heads[best];
    if (!head) break;
    const place = at[best] as number;
    merged.push({ id: head.ids[place] as number, head, at: place });
    at[best] = place + 1;
  }
  return merged;
};

/** A place in a head. */
export interface Entry {
  readonly id: number;
  readonly head: Head;
  readonly at: number;
}

/** How many places of a head were looked at to merge it with others: those that were taken, and the next one. */
export const placesLookedAt = (head: Head, merged: readonly Entry[]): number =>
  merged.reduce((places, entry) => (entry.head === head ? places + 1 : places), 1);

/** Below 0 where the first comes before the second. */
const comparePlaces = (one: Head, at: number, other: Head, otherAt: number): number => {
  const sign = isDescending(one.orderBy) ? -1 : 1;
  const { sortKeys = [] } = one;
  // By number: the results of an iterator were a tenth of all garbage while 1,000 products a second changed.
  for (let index = 0; index < sortKeys.length; index += 1) {
    const difference = (sortKeys[index]?.[at] ?? 0) - (other.sortKeys?.[index]?.[otherAt] ?? 0);
    if (difference !== 0) return difference * sign;
  }
  return ((one.ids[at] ?? 0) - (other.ids[otherAt] ?? 0)) * sign;
};

/**
 * A head after a product has changed: the same one where the product neither is nor was in it, undefined where only the database can tell.
 * @param product as it is now; undefined where there is none
 */
export const headWithRow = (
  head: Head,
  id: number,
  product: SortedProduct | undefined,
  now: Date,
): Head | undefined => {
  const at = head.ids.indexOf(id);
  const rest = at < 0 ? head : withoutPlace(head, at);
  const { categoryId } = head;
  const isOfHead = product?.status === 'ON_SALE' && (categoryId === undefined || categoryId === product.categoryId);
  if (!isOfHead) return rest;
  const sortKeys = sortKeysOf(head.orderBy)?.map(({ of }) => [of(product)]) ?? [];
  // What is published later ends what every list of its category shows.
  if (product.publishedAt > now || !sortKeys.every(([key]) => Number.isSafeInteger(key))) return undefined;
  const own: Head = { ...head, ids: [id], sortKeys };
  // Most come behind the last one.
  const last = rest.ids.length - 1;
  let place = last >= 0 && comparePlaces(own, 0, rest, last) > 0 ? rest.ids.length : 0;
  while (place < rest.ids.length && comparePlaces(own, 0, rest, place) > 0) place += 1;
  // Behind the last one there may be others before it, unless it was there itself and has not moved back.
  const isPastEnd = place === rest.ids.length && !head.isWhole;
  const wasLast = at >= 0 && at === head.ids.length - 1 && comparePlaces(own, 0, head, at) <= 0;
  return isPastEnd && !wasLast ? rest : withPlace(rest, place, own);
};

const withoutPlace = (head: Head, at: number): Head => ({
  ...head,
  ids: head.ids.toSpliced(at, 1),
  sortKeys: head.sortKeys?.map((keys) => keys.toSpliced(at, 1)),
});

/** No longer than it was read. */
const withPlace = (head: Head, at: number, own: Head): Head => ({
  ...head,
  ids: head.ids.toSpliced(at, 0, ...own.ids).slice(0, head.limit),
  sortKeys: head.sortKeys?.map((keys, index) =>
    keys.toSpliced(at, 0, ...(own.sortKeys?.[index] ?? [])).slice(0, head.limit),
  ),
  isWhole: head.isWhole && head.ids.length < head.limit,
});

/** Whether a row is as it was when the head was read: in its place, and in its category. False where nobody can tell. */
export const isInPlace = ({ head, at }: Entry, product: Product): boolean =>
  (head.categoryId === undefined || head.categoryId === product.categoryId) &&
  (sortKeysOf(head.orderBy)?.every(({ isOf }, index) => isOf(head.sortKeys?.[index]?.[at] ?? Number.NaN, product)) ??
    false);
