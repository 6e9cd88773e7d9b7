import DataLoader from 'dataloader';
import { type KnownRowsOf, keepRows } from '../cache/known-rows.ts';
import type { Product } from '../database/generated/client/client.ts';
import { createSharedLoader, type Sql } from '../database/sql.ts';
import { type LoaderScope, memo } from '../graphql/context.ts';
import {
  createProductHeads,
  type Entry,
  type FoundHead,
  isInPlace,
  mergeHeads,
  type ProductHeads,
  placesLookedAt,
} from './product.heads.ts';
import { type ProductOrder, sortKeysOf } from './product.order.ts';
import {
  categoryOf,
  countOfEachCategory,
  countOfEachTree,
  listOfAll,
  listOfCategories,
  productsById,
  productsBySlug,
  topOfEachCategory,
} from './product.sql.ts';
import { visibility, visibleFrom } from './visibility.ts';

interface ProductListKey {
  /** Empty for every category. Each id counts once. */
  readonly categoryIds: readonly number[];
  readonly orderBy: ProductOrder;
  readonly limit: number;
}

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly product: ProductLoaders;
  }
}

export interface ProductLoaders {
  /** A visible product, else null. */
  readonly byId: (id: number) => Product | null | Promise<Product | null>;
  /** A visible product, else null. */
  readonly bySlug: (slug: string) => Promise<Product | null>;
  /** The first `limit` visible products of the whole catalogue or of some categories taken together. */
  readonly list: (key: ProductListKey) => Product[] | Promise<Product[]>;
  /** The first `limit` visible products of one category, for all categories of a list in one statement. */
  readonly ofCategory: (id: number, orderBy: ProductOrder, limit: number) => Product[] | Promise<Product[]>;
  /** How many visible products a category has, for all categories of a list in one statement. */
  readonly countOfCategory: (id: number, withDescendants: boolean) => Promise<number>;
}

/** What the loaders of all operations share. */
export interface ProductReads {
  readonly byId: DataLoader<number, Product | null>;
  readonly bySlug: DataLoader<string, Product | null>;
  readonly heads: ProductHeads;
  /** By one statement, as the next. */
  readonly list: (key: ProductListKey, now: Date) => Promise<Product[]>;
  /** The first `limit` of each category, one category after another. */
  readonly topOfEach: (
    categoryIds: readonly number[],
    orderBy: ProductOrder,
    limit: number,
    now: Date,
  ) => Promise<Product[]>;
  /** A row for each category that has products. */
  readonly countOfEach: (
    categoryIds: readonly number[],
    withDescendants: boolean,
    now: Date,
  ) => Promise<{ id: number; count: number }[]>;
}

export const createProductReads = (sql: Sql, known?: KnownRowsOf<Product>): ProductReads => {
  const heads = createProductHeads(sql, known);
  return {
    heads,
    byId: createSharedLoader({
      read: (ids) => keepRows(known, () => sql.storedRows<Product>(productsById, [ids])),
      keyOf: ({ id }) => id,
    }),
    bySlug: createSharedLoader({
      read: (slugs) => keepRows(known, () => sql.storedRows<Product>(productsBySlug, [slugs])),
      keyOf: ({ slug }) => slug,
    }),
    list: ({ categoryIds, orderBy, limit }, now) =>
      heads.keepRows(() =>
        categoryIds.length > 0
          ? sql.storedRows<Product>(listOfCategories(orderBy), [categoryIds, now, limit])
          : sql.storedRows<Product>(listOfAll(orderBy), [now, limit]),
      ),
    topOfEach: (categoryIds, orderBy, limit, now) =>
      heads.keepRows(() => sql.storedRows<Product>(topOfEachCategory(orderBy), [categoryIds, now, limit])),
    countOfEach: (categoryIds, withDescendants, now) =>
      sql.rows(withDescendants ? countOfEachTree : countOfEachCategory, [categoryIds, now]),
  };
};

/** The rows of a list of more categories are read by one statement: heads have to be read, and compared, of each. */
const MAX_HEADS = 16;

const listsOf = (heads: readonly FoundHead[]) => heads.map(({ list }) => list);

/** Loaders for one operation: `now` decides what is visible. */
export const createProductLoaders = (
  reads: ProductReads,
  { hints, now, inFlight, loaders }: LoaderScope,
  known?: KnownRowsOf<Product>,
): ProductLoaders => {
  const visible = (product: Product | null): Product | null => {
    if (!product) return null;
    if (!visibility.holds(product, now)) {
      const from = visibleFrom(product);
      if (from) hints.holdsUntil(from.getTime());
      return null;
    }
    return product;
  };

  const withCategory = (product: Product | null): Product | null => {
    if (product) loaders.category.remember(categoryOf(product));
    return product;
  };

  const readById = (id: number): Promise<Product | null> =>
    inFlight.track(reads.byId.load(id)).then((product) => visible(withCategory(product)));

  const findById = (id: number): Product | undefined => (known?.mayUse(hints) ? known.find(id) : undefined);

  const loaded = new Map<number, Product | null | Promise<Product | null>>();

  const visibleById = (id: number): Product | null | Promise<Product | null> => {
    hints.dependsOnRow('product', id);
    let product = loaded.get(id);
    if (product === undefined) {
      const found = findById(id);
      product = found ? visible(found) : readById(id);
      loaded.set(id, product);
    }
    return product;
  };

  const visibleBySlug = memo(async (slug: string) => {
    // No text in PostgreSQL has a NUL; as a parameter it would be an error.
    if (slug.includes('\0')) return null;
    const product = await inFlight.track(reads.bySlug.load(slug));
    // No other product can have the slug before this one changes.
    if (product) hints.dependsOnRow('product', product.id);
    else hints.dependsOn('product');
    return visible(withCategory(product));
  });

  /** What the responses depend on that show what a category has, or any. */
  const dependsOnGroups = (categoryIds: readonly number[]): void => {
    if (categoryIds.length === 0) hints.dependsOn('product');
    for (const id of categoryIds) hints.dependsOnGroup('product', id);
  };

  /** @param places of it that were looked at */
  const dependsOnHead = ({ list: { categoryId }, version }: FoundHead, places: number): void => {
    if (version) hints.dependsOnList('product', version, places);
    else dependsOnGroups(categoryId === undefined ? [] : [categoryId]);
  };

  const dependsOnHeads = (heads: readonly FoundHead[], entries: readonly Entry[]): void => {
    for (const head of heads) dependsOnHead(head, placesLookedAt(head.list, entries));
  };

  /**
   * At once where heads and rows are known. Otherwise the heads are read, and those rows that are not known; or all rows by one statement, where most
   * are not known, and where a row has changed since its head was read.
   */
  const listOf = (
    { categoryIds, orderBy, limit }: ProductListKey,
    readRows: () => Promise<Product[]>,
  ): Product[] | Promise<Product[]> => {
    const readAll = (): Promise<Product[]> => {
      dependsOnGroups(categoryIds);
      return inFlight.track(readRows());
    };
    if (!known?.mayUse(hints)) return readAll();
    const groups = categoryIds.length > 0 ? categoryIds : [undefined];
    if (!sortKeysOf(orderBy) || groups.length > MAX_HEADS) return readAll();
    const found = groups.map((categoryId) => reads.heads.find(orderBy, categoryId, now));
    const heads = found.filter((head): head is FoundHead => head !== undefined && !(head instanceof Promise));
    if (heads.length === groups.length) {
      const [{ list } = {}] = heads;
      // A list of its own has its text with it.
      const isListed = list && heads.length === 1 && (list.isWhole || list.ids.length >= limit);
      const listed = isListed ? known.rowsOf(list, limit) : undefined;
      if (listed) {
        for (const head of heads) dependsOnHead(head, limit);
        return listed;
      }
      const entries = mergeHeads(listsOf(heads), limit);
      const rows = entries?.map(({ id }) => known.find(id));
      if (entries && rows?.every((row) => row !== undefined)) {
        dependsOnHeads(heads, entries);
        return rows;
      }
    } else if (!reads.heads.areRowsKnown() && !found.some((head) => head instanceof Promise)) return readAll();
    return inFlight.track(readKnown(groups, orderBy, limit, found, readAll));
  };

  const readKnown = async (
    groups: readonly (number | undefined)[],
    orderBy: ProductOrder,
    limit: number,
    found: readonly (FoundHead | Promise<FoundHead | undefined> | undefined)[],
    readAll: () => Promise<Product[]>,
  ): Promise<Product[]> => {
    const read = (index: number): Promise<FoundHead> => reads.heads.read(orderBy, groups[index], limit);
    let heads = await Promise.all(groups.map(async (_, index) => (await found[index]) ?? read(index)));
    // One that is too short is read again.
    let entries = mergeHeads(listsOf(heads), limit);
    if (!entries) {
      heads = await Promise.all(groups.map((_, index) => read(index)));
      entries = mergeHeads(listsOf(heads), limit);
    }
    if (entries) dependsOnHeads(heads, entries);
    const mayFind = known?.mayUse(hints);
    const rows = await Promise.all(
      entries?.map(({ id }) => (mayFind && known?.find(id)) || reads.byId.load(id).then(withCategory)) ?? [],
    );
    const isTrue = entries?.every((entry, index) => {
      const row = rows[index];
      return row && visibility.holds(row, now) && isInPlace(entry, row);
    });
    return isTrue ? (rows as Product[]) : readAll();
  };

  let lists: Map<string, Product[] | Promise<Product[]>> | undefined;
  let countsOfEach: DataLoader<number, number>[] | undefined;
  let topOfEach: Map<string, DataLoader<number, Product[]>> | undefined;

  const topOf = (orderBy: ProductOrder, limit: number): DataLoader<number, Product[]> => {
    const name = `${orderBy} ${limit}`;
    topOfEach ??= new Map();
    let loader = topOfEach.get(name);
    if (!loader) {
      loader = new DataLoader<number, Product[]>(async (ids) => {
        const rows = await inFlight.track(reads.topOfEach(ids, orderBy, limit, now));
        const byCategory = Map.groupBy(rows, (row) => row.categoryId);
        return ids.map((categoryId) => byCategory.get(categoryId) ?? []);
      });
      topOfEach.set(name, loader);
    }
    return loader;
  };

  const listOnce = (key: ProductListKey, readRows: () => Promise<Product[]>): Product[] | Promise<Product[]> => {
    const name = `${key.orderBy} ${key.limit} ${key.categoryIds}`;
    lists ??= new Map();
    let list = lists.get(name);
    if (!list) {
      list = listOf(key, readRows);
      lists.set(name, list);
    }
    return list;
  };

  return {
    byId: visibleById,
    bySlug: visibleBySlug,
    list: (key) => {
      const own = { ...key, categoryIds: [...new Set(key.categoryIds)] };
      return listOnce(own, () => reads.list(own, now));
    },
    countOfCategory: (id, withDescendants) => {
      if (withDescendants) {
        hints.dependsOn('category');
        hints.dependsOn('product');
      } else hints.dependsOnGroup('product', id);
      countsOfEach ??= [false, true].map(
        (isTree) =>
          new DataLoader(async (ids: readonly number[]) => {
            const counts = await inFlight.track(reads.countOfEach(ids, isTree, now));
            const byId = new Map(counts.map((each) => [each.id, each.count]));
            return ids.map((each) => byId.get(each) ?? 0);
          }),
      );
      return countsOfEach[Number(withDescendants)]?.load(id) ?? Promise.resolve(0);
    },
    ofCategory: (id, orderBy, limit) =>
      listOnce({ categoryIds: [id], orderBy, limit }, () => topOf(orderBy, limit).load(id)),
  };
};
