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
  scope: LoaderScope,
  known?: KnownRowsOf<Product>,
): ProductLoaders => new OperationLoaders(reads, scope, known);

// A class, because an operation uses a method or two: closures would be made for all of them (docs/fast-path.md).
class OperationLoaders implements ProductLoaders {
  readonly #reads: ProductReads;
  readonly #scope: LoaderScope;
  readonly #known: KnownRowsOf<Product> | undefined;
  // Made when first used, as all that follow.
  #byId: Map<number, Product | null | Promise<Product | null>> | undefined;
  #bySlug: ((slug: string) => Promise<Product | null>) | undefined;
  #lists: Map<string, Product[] | Promise<Product[]>> | undefined;
  #countsOfEach: DataLoader<number, number>[] | undefined;
  #topOfEach: Map<string, DataLoader<number, Product[]>> | undefined;

  constructor(reads: ProductReads, scope: LoaderScope, known: KnownRowsOf<Product> | undefined) {
    this.#reads = reads;
    this.#scope = scope;
    this.#known = known;
  }

  byId(id: number): Product | null | Promise<Product | null> {
    const { hints } = this.#scope;
    hints.dependsOnRow('product', id);
    this.#byId ??= new Map();
    let product = this.#byId.get(id);
    if (product === undefined) {
      const found = this.#known?.mayUse(hints) ? this.#known.find(id) : undefined;
      product = found ? this.#visible(found) : this.#readById(id);
      this.#byId.set(id, product);
    }
    return product;
  }

  bySlug(slug: string): Promise<Product | null> {
    this.#bySlug ??= memo((each) => this.#readBySlug(each));
    return this.#bySlug(slug);
  }

  list(key: ProductListKey): Product[] | Promise<Product[]> {
    const own = { ...key, categoryIds: [...new Set(key.categoryIds)] };
    return this.#listOnce(own, () => this.#reads.list(own, this.#scope.now));
  }

  ofCategory(id: number, orderBy: ProductOrder, limit: number): Product[] | Promise<Product[]> {
    return this.#listOnce({ categoryIds: [id], orderBy, limit }, () => this.#topOf(orderBy, limit).load(id));
  }

  countOfCategory(id: number, withDescendants: boolean): Promise<number> {
    const { hints, inFlight, now } = this.#scope;
    if (withDescendants) {
      hints.dependsOn('category');
      hints.dependsOn('product');
    } else hints.dependsOnGroup('product', id);
    this.#countsOfEach ??= [false, true].map(
      (isTree) =>
        new DataLoader(async (ids: readonly number[]) => {
          const counts = await inFlight.track(this.#reads.countOfEach(ids, isTree, now));
          const byId = new Map(counts.map((each) => [each.id, each.count]));
          return ids.map((each) => byId.get(each) ?? 0);
        }),
    );
    return this.#countsOfEach[Number(withDescendants)]?.load(id) ?? Promise.resolve(0);
  }

  #visible(product: Product | null): Product | null {
    if (!product) return null;
    const { hints, now } = this.#scope;
    if (visibility.holds(product, now)) return product;
    const from = visibleFrom(product);
    if (from) hints.holdsUntil(from.getTime());
    return null;
  }

  #withCategory(product: Product | null): Product | null {
    if (product) this.#scope.loaders.category.remember(categoryOf(product));
    return product;
  }

  #readById(id: number): Promise<Product | null> {
    const read = this.#scope.inFlight.track(this.#reads.byId.load(id));
    return read.then((product) => this.#visible(this.#withCategory(product)));
  }

  async #readBySlug(slug: string): Promise<Product | null> {
    // No text in PostgreSQL has a NUL; as a parameter it would be an error.
    if (slug.includes('\0')) return null;
    const { hints, inFlight } = this.#scope;
    const product = await inFlight.track(this.#reads.bySlug.load(slug));
    // No other product can have the slug before this one changes.
    if (product) hints.dependsOnRow('product', product.id);
    else hints.dependsOn('product');
    return this.#visible(this.#withCategory(product));
  }

  #listOnce(key: ProductListKey, readRows: () => Promise<Product[]>): Product[] | Promise<Product[]> {
    const name = `${key.orderBy} ${key.limit} ${key.categoryIds}`;
    this.#lists ??= new Map();
    let list = this.#lists.get(name);
    if (!list) {
      list = this.#listOf(key, readRows);
      this.#lists.set(name, list);
    }
    return list;
  }

  /**
   * At once where heads and rows are known. Otherwise the heads are read, and those rows that are not known; or all rows by one statement, where most
   * are not known, and where a row has changed since its head was read.
   */
  #listOf(
    { categoryIds, orderBy, limit }: ProductListKey,
    readRows: () => Promise<Product[]>,
  ): Product[] | Promise<Product[]> {
    const { heads: knownHeads } = this.#reads;
    const { hints, inFlight, now } = this.#scope;
    const known = this.#known;
    const readAll = (): Promise<Product[]> => {
      this.#dependsOnGroups(categoryIds);
      return inFlight.track(readRows());
    };
    if (!known?.mayUse(hints)) return readAll();
    const groups = categoryIds.length > 0 ? categoryIds : [undefined];
    if (!sortKeysOf(orderBy) || groups.length > MAX_HEADS) return readAll();
    const found = groups.map((categoryId) => knownHeads.find(orderBy, categoryId, now));
    const heads = found.filter((head): head is FoundHead => head !== undefined && !(head instanceof Promise));
    if (heads.length === groups.length) {
      const [{ list } = {}] = heads;
      // A list of its own has its text with it.
      const isListed = list && heads.length === 1 && (list.isWhole || list.ids.length >= limit);
      const listed = isListed ? known.rowsOf(list, limit) : undefined;
      if (listed) {
        for (const head of heads) this.#dependsOnHead(head, limit);
        return listed;
      }
      const entries = mergeHeads(listsOf(heads), limit);
      const rows = entries?.map(({ id }) => known.find(id));
      if (entries && rows?.every((row) => row !== undefined)) {
        this.#dependsOnHeads(heads, entries);
        return rows;
      }
    } else if (!knownHeads.areRowsKnown() && !found.some((head) => head instanceof Promise)) return readAll();
    return inFlight.track(this.#readKnown(groups, orderBy, limit, found, readAll));
  }

  async #readKnown(
    groups: readonly (number | undefined)[],
    orderBy: ProductOrder,
    limit: number,
    found: readonly (FoundHead | Promise<FoundHead | undefined> | undefined)[],
    readAll: () => Promise<Product[]>,
  ): Promise<Product[]> {
    const { heads: knownHeads, byId } = this.#reads;
    const { hints, now } = this.#scope;
    const known = this.#known;
    const read = (index: number): Promise<FoundHead> => knownHeads.read(orderBy, groups[index], limit);
    let heads = await Promise.all(groups.map(async (_, index) => (await found[index]) ?? read(index)));
    // One that is too short is read again.
    let entries = mergeHeads(listsOf(heads), limit);
    if (!entries) {
      heads = await Promise.all(groups.map((_, index) => read(index)));
      entries = mergeHeads(listsOf(heads), limit);
    }
    if (entries) this.#dependsOnHeads(heads, entries);
    const mayFind = known?.mayUse(hints);
    const rows = await Promise.all(
      entries?.map(
        ({ id }) => (mayFind && known?.find(id)) || byId.load(id).then((product) => this.#withCategory(product)),
      ) ?? [],
    );
    const isTrue = entries?.every((entry, index) => {
      const row = rows[index];
      return row && visibility.holds(row, now) && isInPlace(entry, row);
    });
    return isTrue ? (rows as Product[]) : readAll();
  }

  #topOf(orderBy: ProductOrder, limit: number): DataLoader<number, Product[]> {
    const { inFlight, now } = this.#scope;
    const name = `${orderBy} ${limit}`;
    this.#topOfEach ??= new Map();
    let loader = this.#topOfEach.get(name);
    if (!loader) {
      loader = new DataLoader<number, Product[]>(async (ids) => {
        const rows = await inFlight.track(this.#reads.topOfEach(ids, orderBy, limit, now));
        const byCategory = Map.groupBy(rows, (row) => row.categoryId);
        return ids.map((categoryId) => byCategory.get(categoryId) ?? []);
      });
      this.#topOfEach.set(name, loader);
    }
    return loader;
  }

  /** What the responses depend on that show what a category has, or any. */
  #dependsOnGroups(categoryIds: readonly number[]): void {
    const { hints } = this.#scope;
    if (categoryIds.length === 0) hints.dependsOn('product');
    for (const id of categoryIds) hints.dependsOnGroup('product', id);
  }

  /** @param places of it that were looked at */
  #dependsOnHead({ list: { categoryId }, version }: FoundHead, places: number): void {
    if (version) this.#scope.hints.dependsOnList('product', version, places);
    else this.#dependsOnGroups(categoryId === undefined ? [] : [categoryId]);
  }

  #dependsOnHeads(heads: readonly FoundHead[], entries: readonly Entry[]): void {
    for (const head of heads) this.#dependsOnHead(head, placesLookedAt(head.list, entries));
  }
}
