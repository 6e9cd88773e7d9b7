import DataLoader from 'dataloader';
import { type KnownRowsOf, keepRows } from '../cache/known-rows.ts';
import type { Product } from '../database/generated/client/client.ts';
import { createSharedLoader, type Sql } from '../database/sql.ts';
import { type LoaderScope, memo } from '../graphql/context.ts';
import type { ProductOrder } from './product.order.ts';
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
  readonly byId: (id: number) => Promise<Product | null>;
  /** A visible product, else null. */
  readonly bySlug: (slug: string) => Promise<Product | null>;
  /** The first `limit` visible products of the whole catalogue or of some categories taken together. */
  readonly list: (key: ProductListKey) => Promise<Product[]>;
  /** The first `limit` visible products of one category, for all categories of a list in one statement. */
  readonly ofCategory: (id: number, orderBy: ProductOrder, limit: number) => Promise<Product[]>;
  /** How many visible products a category has, for all categories of a list in one statement. */
  readonly countOfCategory: (id: number, withDescendants: boolean) => Promise<number>;
}

/** What the loaders of all operations share. */
export interface ProductReads {
  readonly byId: DataLoader<number, Product | null>;
  readonly bySlug: DataLoader<string, Product | null>;
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

export const createProductReads = (sql: Sql, known?: KnownRowsOf<Product>): ProductReads => ({
  byId: createSharedLoader({
    read: (ids) => keepRows(known, () => sql.rows<Product>(productsById, [ids])),
    keyOf: ({ id }) => id,
  }),
  bySlug: createSharedLoader({
    read: (slugs) => keepRows(known, () => sql.rows<Product>(productsBySlug, [slugs])),
    keyOf: ({ slug }) => slug,
  }),
  list: ({ categoryIds, orderBy, limit }, now) =>
    keepRows(known, () =>
      categoryIds.length > 0
        ? sql.rows<Product>(listOfCategories(orderBy), [[...new Set(categoryIds)], now, limit])
        : sql.rows<Product>(listOfAll(orderBy), [now, limit]),
    ),
  topOfEach: (categoryIds, orderBy, limit, now) =>
    keepRows(known, () => sql.rows<Product>(topOfEachCategory(orderBy), [categoryIds, now, limit])),
  countOfEach: (categoryIds, withDescendants, now) =>
    sql.rows(withDescendants ? countOfEachTree : countOfEachCategory, [categoryIds, now]),
});

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

  const visibleById = memo(async (id: number) => {
    hints.dependsOnRow('product', id);
    return visible(known?.find(id, hints) ?? withCategory(await inFlight.track(reads.byId.load(id))));
  });

  const visibleBySlug = memo(async (slug: string) => {
    // No text in PostgreSQL has a NUL; as a parameter it would be an error.
    if (slug.includes('\0')) return null;
    const product = await inFlight.track(reads.bySlug.load(slug));
    // No other product can have the slug before this one changes.
    if (product) hints.dependsOnRow('product', product.id);
    else hints.dependsOn('product');
    return visible(withCategory(product));
  });

  let lists: Map<string, Promise<Product[]>> | undefined;
  let countsOfEach: DataLoader<number, number>[] | undefined;
  let topOfEach: Map<string, DataLoader<number, Product[]>> | undefined;

  return {
    byId: visibleById,
    bySlug: visibleBySlug,
    list: (key) => {
      if (key.categoryIds.length === 0) hints.dependsOn('product');
      for (const id of key.categoryIds) hints.dependsOnGroup('product', id);
      const name = `${key.orderBy} ${key.limit} ${key.categoryIds}`;
      lists ??= new Map();
      const list = lists.get(name) ?? inFlight.track(reads.list(key, now));
      lists.set(name, list);
      return list;
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
    ofCategory: (id, orderBy, limit) => {
      hints.dependsOnGroup('product', id);
      const name = `${orderBy} ${limit}`;
      topOfEach ??= new Map();
      let loader = topOfEach.get(name);
      if (!loader) {
        loader = new DataLoader<number, Product[]>(async (ids) => {
          const byCategory = Map.groupBy(
            await inFlight.track(reads.topOfEach(ids, orderBy, limit, now)),
            (row) => row.categoryId,
          );
          return ids.map((categoryId) => byCategory.get(categoryId) ?? []);
        });
        topOfEach.set(name, loader);
      }
      return loader.load(id);
    },
  };
};
