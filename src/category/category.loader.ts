import DataLoader from 'dataloader';
import { type KnownRowsOf, keepRows } from '../cache/known-rows.ts';
import { RowVanished } from '../database/failures.ts';
import type { Category, Prisma, PrismaClient } from '../database/generated/client/client.ts';
import { inList, MAX_KEYS } from '../database/prisma.ts';
import { createSharedLoader, type Sql } from '../database/sql.ts';
import { isStorable } from '../database/storable-text.ts';
import { type LoaderScope, memo } from '../graphql/context.ts';
import { categoriesAndAncestors, categoriesAndDescendants } from './category.sql.ts';

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly category: ReturnType<typeof createCategoryLoaders>;
  }
}

/** The order of the roots, and of the children of each category. */
const BY_POSITION: Prisma.CategoryOrderByWithRelationInput[] = [{ position: 'asc' }, { id: 'asc' }];

/** What the loaders of all operations share. */
export const createCategoryReads = (sql: Sql, prisma: PrismaClient, known?: KnownRowsOf<Category>) => ({
  byId: createSharedLoader({
    read: (ids: number[]) => keepRows(known, () => prisma.category.findMany({ where: { id: { in: inList(ids) } } })),
    keyOf: ({ id }) => id,
  }),
  bySlug: createSharedLoader({
    read: (slugs: string[]) => prisma.category.findMany({ where: { slug: { in: inList(slugs) } } }),
    keyOf: ({ slug }) => slug,
  }),
  lineage: (ids: readonly number[]) => sql.rows<Category>(categoriesAndAncestors, [ids]),
  withDescendants: async (ids: readonly number[]) => {
    const rows = await sql.rows<{ id: number }>(categoriesAndDescendants, [ids]);
    return rows.map(({ id }) => id);
  },
  roots: () => keepRows(known, () => prisma.category.findMany({ where: { parentId: null }, orderBy: BY_POSITION })),
  childrenOf: (parentIds: readonly number[]) =>
    keepRows(known, () =>
      prisma.category.findMany({ where: { parentId: { in: inList(parentIds) } }, orderBy: BY_POSITION }),
    ),
});

/** Loaders for one operation. A category that a list has read is not read again for a product of it. */
export const createCategoryLoaders = (
  reads: ReturnType<typeof createCategoryReads>,
  { hints, inFlight }: LoaderScope,
  known?: KnownRowsOf<Category>,
) => {
  const loaded = new Map<number, Category | Promise<Category | null>>();

  // Waits until all lists of products are read, so that their categories take one statement.
  const read = (id: number): Promise<Category | null> =>
    inFlight.isIdle
      ? reads.byId.load(id)
      : new Promise((resolve) => inFlight.whenIdle(() => resolve(reads.byId.load(id))));

  const byIdOrNull = (id: number): Category | Promise<Category | null> => {
    let category = loaded.get(id);
    if (!category) {
      hints.dependsOn('category');
      category = known?.find(id, hints) ?? read(id);
      loaded.set(id, category);
    }
    return category;
  };

  /** For an id in a foreign key; at once where the category was read before. @throws RowVanished */
  const byId = (id: number): Category | Promise<Category> => {
    const category = byIdOrNull(id);
    return category instanceof Promise ? category.then((found) => found ?? vanished(id)) : category;
  };

  /** A category that was read together with other rows is not read again. */
  const remember = (category: Category): void => {
    hints.dependsOn('category');
    loaded.set(category.id, category);
  };

  const rememberAll = async (categories: Promise<Category[]>): Promise<Category[]> => {
    hints.dependsOn('category');
    for (const category of await categories) loaded.set(category.id, category);
    return categories;
  };

  const bySlug = memo(async (slug: string): Promise<Category | null> => {
    hints.dependsOn('category');
    return isStorable(slug) ? reads.bySlug.load(slug) : null;
  });

  const lineages = new DataLoader<readonly number[], ReadonlyMap<number, Category>>(
    async (lists) => {
      const categories = await rememberAll(reads.lineage([...new Set(lists.flat())]));
      const byId = new Map(categories.map((category) => [category.id, category]));
      return lists.map(() => byId);
    },
    { cache: false },
  );

  /** Some categories and all that are above them, by id; an unknown id is left out. One statement for any number of calls at the same time. */
  const lineage = (ids: readonly number[]): Promise<ReadonlyMap<number, Category>> => {
    hints.dependsOn('category');
    return lineages.load(ids);
  };

  let roots: Promise<Category[]> | undefined;
  const children = new DataLoader<number, Category[]>(
    async (parentIds) => {
      const byParent = Map.groupBy(await rememberAll(reads.childrenOf(parentIds)), (category) => category.parentId);
      return parentIds.map((parentId) => byParent.get(parentId) ?? []);
    },
    { maxBatchSize: MAX_KEYS },
  );

  return {
    byIdOrNull,
    byId,
    bySlug,
    remember,
    lineage,
    /** Those above a category, root first. */
    ancestorsOf: async (category: Category): Promise<Category[]> => {
      hints.dependsOn('category');
      if (category.parentId === null) return [];
      const byId = await lineage([category.parentId]);
      return pathAbove(category, byId).reverse();
    },
    /** These ids and those of all categories below them. */
    withDescendants: (ids: readonly number[]): Promise<number[]> => {
      hints.dependsOn('category');
      return reads.withDescendants(ids);
    },
    /** The roots of the tree, by position then id. */
    roots: (): Promise<Category[]> => {
      roots ??= rememberAll(reads.roots());
      return roots;
    },
    /** By position then id. */
    childrenOf: (id: number): Promise<Category[]> => children.load(id),
  };
};

/** The categories above one, its parent first. Ends where the parents form a circle. */
export const pathAbove = ({ id, parentId }: Category, byId: ReadonlyMap<number, Category>): Category[] => {
  const path: Category[] = [];
  const seen = new Set([id]);
  for (let next = parentId; next !== null && !seen.has(next); ) {
    const parent = byId.get(next);
    if (!parent) return vanished(next);
    seen.add(next);
    path.push(parent);
    next = parent.parentId;
  }
  return path;
};

const vanished = (id: number): never => {
  throw new RowVanished(`category ${id} vanished while it was referred to`);
};
