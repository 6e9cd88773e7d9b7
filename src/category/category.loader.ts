import DataLoader from 'dataloader';
import type { GatheredPolicy } from '../cache/policy.ts';
import type { Category, PrismaClient } from '../database/generated/client/client.ts';
import { createSharedLoader } from '../database/shared-loader.ts';
import type { Sql } from '../database/sql.ts';
import type { InFlight } from '../graphql/in-flight.ts';
import { memo } from '../graphql/memo.ts';
import { categoriesById, categoriesOfParents } from './category.sql.ts';

export interface CategoryLoaders {
  readonly byIdOrNull: (id: number) => Category | Promise<Category | null>;
  /** For an id that a foreign key vouches for; at once where it was read before. */
  readonly byId: (id: number) => Category | Promise<Category>;
  /** Takes one that was read otherwise, and need not be read again. */
  readonly remember: (category: Category) => void;
  /** The roots of the tree, by position then id. */
  readonly roots: () => Promise<Category[]>;
  /** By position then id. */
  readonly childrenOf: (id: number) => Promise<Category[]>;
}

/** What the loaders of all operations share. */
export interface CategoryReads {
  readonly byId: DataLoader<number, Category | null>;
  readonly roots: () => Promise<Category[]>;
  readonly childrenOf: (parentIds: readonly number[]) => Promise<Category[]>;
}

export const createCategoryReads = (prisma: PrismaClient, sql: Sql): CategoryReads => ({
  byId: createSharedLoader({
    read: (ids) => sql.rows<Category>(categoriesById, [ids]),
    keyOf: ({ id }) => id,
  }),
  roots: () => prisma.category.findMany({ where: { parentId: null }, orderBy: [{ position: 'asc' }, { id: 'asc' }] }),
  childrenOf: (parentIds) => sql.rows<Category>(categoriesOfParents, [parentIds]),
});

/** Loaders for one operation. A category that a list has read is not read again for a product of it. */
export const createCategoryLoaders = (
  reads: CategoryReads,
  policy: GatheredPolicy,
  inFlight: InFlight,
): CategoryLoaders => {
  const known = new Map<number, Category | Promise<Category | null>>();

  // The categories of several lists of products are one statement, whichever list comes first.
  const read = (id: number): Promise<Category | null> =>
    inFlight.isIdle
      ? reads.byId.load(id)
      : new Promise((resolve) => inFlight.whenIdle(() => resolve(reads.byId.load(id))));

  const byIdOrNull = (id: number): Category | Promise<Category | null> => {
    policy.dependsOn('category');
    let category = known.get(id);
    if (!category) {
      category = read(id);
      known.set(id, category);
    }
    return category;
  };

  const existing = memo(async (id: number): Promise<Category> => {
    const category = await byIdOrNull(id);
    if (!category) throw new Error(`category ${id} vanished while it was referred to`);
    return category;
  });

  const byId = (id: number): Category | Promise<Category> => {
    const category = byIdOrNull(id);
    return category instanceof Promise ? existing(id) : category;
  };

  const remember = (category: Category): void => {
    known.set(category.id, category);
  };

  const rememberAll = async (categories: Promise<Category[]>): Promise<Category[]> => {
    policy.dependsOn('category');
    for (const category of await categories) remember(category);
    return categories;
  };

  let roots: Promise<Category[]> | undefined;
  let children: DataLoader<number, Category[]> | undefined;

  return {
    byIdOrNull,
    byId,
    remember,
    roots: () => {
      roots ??= rememberAll(reads.roots());
      return roots;
    },
    childrenOf: (id) => {
      children ??= new DataLoader(async (parentIds) => {
        const byParent = Map.groupBy(await rememberAll(reads.childrenOf(parentIds)), (category) => category.parentId);
        return parentIds.map((parentId) => byParent.get(parentId) ?? []);
      });
      return children.load(id);
    },
  };
};
