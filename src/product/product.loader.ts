import DataLoader from 'dataloader';
import { type KnownRowsOf, keepRows } from '../cache/known-rows.ts';
import { ReadAgain } from '../database/failures.ts';
import type { Category, Prisma, PrismaClient, Product } from '../database/generated/client/client.ts';
import { rowsBy } from '../database/prisma.ts';
import { isStorable, type Sql } from '../database/sql.ts';
import type { LoaderScope, ReadDeps } from '../graphql/context.ts';
import { memo } from '../memo.ts';
import { createAliasLoader } from '../translation/translation.loader.ts';
import type { ProductOrder } from './product.order.ts';
import {
  countOfEachCategory,
  countOfEachTree,
  type ListStatement,
  listOfAll,
  listOfCategories,
  mostUsedCurrency,
  relatedToEach,
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

/** A product with the category that was read with it. */
type ProductInCategory = Product & { readonly category: Category };

/** An item of a list that is read without its row, because that is most often known. */
type ListedId = Pick<Product, 'id' | 'categoryId'>;

type ProductReadDeps = Pick<ReadDeps, 'sql' | 'prisma' | 'knownRows'>;

/**
 * Reads lists of products: of ids alone while most rows are known, which takes 0.6 of the CPU time for 20 products and 0.3 for 100 (2026-11-28),
 * else of rows.
 */
class ProductLists {
  readonly #sql: Sql;
  readonly #known: KnownRowsOf<Product> | undefined;
  readonly #rowsById: DataLoader<number, Product | null>;
  /** In the last list. */
  #wereMostKnown = false;

  constructor({ sql, prisma }: ProductReadDeps, known: KnownRowsOf<Product> | undefined) {
    this.#sql = sql;
    this.#known = known;
    this.#rowsById = rowsBy('id', (where) => keepRows(known, () => prisma.product.findMany({ where })));
  }

  async read(
    list: ListStatement,
    order: ProductOrder,
    values: readonly unknown[],
    scope: LoaderScope,
  ): Promise<Product[]> {
    const known = this.#known;
    const { fallBacks } = scope.language;
    // An operation that has to be as new as possible uses no known rows: one statement reads ids and rows of one moment.
    if (this.#wereMostKnown && scope.dependencies.asOfMs !== undefined)
      return this.#rowsOf(await this.#sql.rows<ListedId>(list(order, 'ids', fallBacks), values), scope);
    return keepRows(known, async () => {
      const rows = await this.#sql.rows<Product>(list(order, 'rows', fallBacks), values);
      const knownRows = known ? rows.filter(({ id }) => known.has(id)) : [];
      this.#wereMostKnown = isMost(knownRows, rows);
      return rows;
    });
  }

  /** @throws ReadAgain where a product has left the list since its ids were read */
  async #rowsOf(list: readonly ListedId[], { now, dependencies }: LoaderScope): Promise<Product[]> {
    const rows = list.map(({ id }) => this.#known?.find(id, dependencies));
    const unknown = list.filter((_, place) => rows[place] === undefined);
    this.#wereMostKnown = !isMost(unknown, list);
    const read = (await Promise.all(unknown.map(({ id }) => this.#rowsById.load(id)))).values();
    return rows.map((row, place) => {
      const product = row ?? read.next().value;
      if (product && visibility.holds(product, now) && product.categoryId === list[place]?.categoryId) return product;
      throw new ReadAgain(`product ${list[place]?.id} changed while it was listed`);
    });
  }
}

const isMost = (part: readonly unknown[], whole: readonly unknown[]): boolean => part.length * 2 > whole.length;

// The page of a product shows its category: a join costs less than a second statement. Rows are kept without it, because a category may change alone.
const readInCategory = async (
  prisma: PrismaClient,
  known: KnownRowsOf<Product> | undefined,
  where: Prisma.ProductWhereInput,
): Promise<ProductInCategory[]> => {
  let found: ProductInCategory[] = [];
  await keepRows(known, async () => {
    found = await prisma.product.findMany({ where, include: { category: true }, relationLoadStrategy: 'join' });
    return found.map(({ category: _, ...product }) => product);
  });
  return found;
};

export type ProductReads = ReturnType<typeof createProductReads>;

/** What the loaders of all operations share. */
export const createProductReads = (deps: ProductReadDeps) => {
  const { sql, prisma } = deps;
  const known = deps.knownRows?.of<Product>('product');
  return {
    sql,
    known,
    byId: rowsBy('id', (where) => readInCategory(prisma, known, where)),
    bySlug: rowsBy('slug', (where) => readInCategory(prisma, known, where)),
    idsOfAlias: createAliasLoader(sql, 'product'),
    lists: new ProductLists(deps, known),
  };
};

/** Makes the loaders of each operation. */
export const createProductLoaders = (deps: ReadDeps) => {
  const reads = createProductReads(deps);
  return (scope: LoaderScope) => new ProductLoaders(reads, scope);
};

/** Loaders for one operation, whose `now` decides what is visible. */
class ProductLoaders {
  readonly #reads: ProductReads;
  readonly #scope: LoaderScope;
  readonly #ofEach = new Map<string, DataLoader<number, unknown>>();

  constructor(reads: ProductReads, scope: LoaderScope) {
    this.#reads = reads;
    this.#scope = scope;
  }

  /** A visible product, else null. */
  readonly byId = memo((id: number): Product | null | Promise<Product | null> => {
    const { dependencies, inFlight } = this.#scope;
    dependencies.addRow('product', id);
    const found = this.#reads.known?.find(id, dependencies);
    if (found) return this.#visible(found);
    return inFlight.track(this.#reads.byId.load(id)).then((product) => this.#withCategory(product));
  });

  /** A visible product, else null. */
  readonly bySlug = memo((slug: string) => this.#readBySlug(slug));

  /** The first `limit` visible products of the whole catalogue or of some categories taken together. */
  readonly list = memo((key: ProductListKey): Promise<Product[]> => {
    const { inFlight, dependencies, now } = this.#scope;
    const { lists } = this.#reads;
    const { orderBy, limit } = key;
    const categoryIds = [...new Set(key.categoryIds)];
    if (categoryIds.length === 0) {
      dependencies.add('product');
      return inFlight.track(lists.read(listOfAll, orderBy, [now, limit], this.#scope));
    }
    for (const id of categoryIds) dependencies.addGroup('product', id);
    return inFlight.track(lists.read(listOfCategories, orderBy, [categoryIds, now, limit], this.#scope));
  }, JSON.stringify);

  /** The first `limit` visible products of one category. */
  ofCategory(id: number, orderBy: ProductOrder, limit: number): Promise<Product[]> {
    const { dependencies, now } = this.#scope;
    dependencies.addGroup('product', id);
    return this.#forEach(`top ${orderBy} ${limit}`, id, async (ids) => {
      const rows = await this.#reads.lists.read(topOfEachCategory, orderBy, [ids, now, limit], this.#scope);
      const byCategory = Map.groupBy(rows, ({ categoryId }) => categoryId);
      return ids.map((each) => byCategory.get(each) ?? []);
    });
  }

  /** The first `limit` visible products that are related to another one. */
  relatedTo(id: number, limit: number): Promise<Product[]> {
    const { dependencies, now } = this.#scope;
    dependencies.add('product');
    return this.#forEach(`related ${limit}`, id, async (ids) => {
      const rows = await this.#reads.sql.rows<Product & { of: number }>(relatedToEach, [ids, now, limit]);
      const byProduct = Map.groupBy(rows, ({ of }) => of);
      return ids.map((each) => (byProduct.get(each) ?? []).map(({ of: _, ...product }) => product));
    });
  }

  /** The currency of most visible products. */
  async currency(): Promise<string | null> {
    const { dependencies, now, inFlight } = this.#scope;
    dependencies.add('product');
    const [most] = await inFlight.track(this.#reads.sql.rows<Pick<Product, 'currency'>>(mostUsedCurrency, [now]));
    return most?.currency ?? null;
  }

  /** How many visible products a category has. */
  countOfCategory(id: number, withDescendants: boolean): Promise<number> {
    const { dependencies, now } = this.#scope;
    if (withDescendants) {
      dependencies.add('category');
      dependencies.add('product');
    } else dependencies.addGroup('product', id);
    return this.#forEach(`count ${withDescendants}`, id, async (ids) => {
      const statement = withDescendants ? countOfEachTree : countOfEachCategory;
      const counts = await this.#reads.sql.rows<{ id: number; count: number }>(statement, [ids, now]);
      const byId = new Map(counts.map((each) => [each.id, each.count]));
      return ids.map((each) => byId.get(each) ?? 0);
    });
  }

  /** Reads something for all rows of a list in one statement. @param what different for different reads */
  #forEach<Value>(what: string, id: number, read: (ids: readonly number[]) => Promise<Value[]>): Promise<Value> {
    let loader = this.#ofEach.get(what) as DataLoader<number, Value> | undefined;
    if (!loader) {
      loader = new DataLoader((ids) => this.#scope.inFlight.track(read(ids)));
      this.#ofEach.set(what, loader);
    }
    return loader.load(id);
  }

  #visible(product: Product | null): Product | null {
    if (!product) return null;
    const { dependencies, now } = this.#scope;
    if (visibility.holds(product, now)) return product;
    const from = visibleFrom(product);
    if (from) dependencies.holdsUntil(from.getTime());
    return null;
  }

  #withCategory(product: ProductInCategory | null): Product | null {
    if (product) this.#scope.loaders.category.remember(product.category);
    return this.#visible(product);
  }

  async #readBySlug(slug: string): Promise<Product | null> {
    if (!isStorable(slug)) return null;
    const { dependencies, inFlight, language } = this.#scope;
    const product = this.#withCategory(await inFlight.track(this.#reads.bySlug.load(slug)));
    if (product) {
      // No other product can have the slug before this one changes.
      dependencies.addRow('product', product.id);
      return product;
    }
    // An alias may lead to another product without a change of this one.
    dependencies.add('product');
    for (const id of await inFlight.track(this.#reads.idsOfAlias(slug, language.fallBacks))) {
      const found = await this.byId(id);
      if (found) return found;
    }
    return null;
  }
}
