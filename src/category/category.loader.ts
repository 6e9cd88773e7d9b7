import DataLoader from 'dataloader';
import { type KnownRowsOf, keepRows } from '../cache/known-rows.ts';
import { type Category, Prisma } from '../database/generated/client/client.ts';
import { columnsOf, createSharedLoader, type Sql, type Statement } from '../database/sql.ts';
import { isStorable } from '../database/storable-text.ts';
import { type LoaderScope, memo, RowVanished } from '../graphql/context.ts';

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly category: CategoryLoaders;
  }
}

export interface CategoryLoaders {
  readonly byIdOrNull: (id: number) => Category | Promise<Category | null>;
  readonly bySlug: (slug: string) => Promise<Category | null>;
  /** For an id in a foreign key; at once where the category was read before. @throws RowVanished */
  readonly byId: (id: number) => Category | Promise<Category>;
  /** Takes a category that was read with other rows, so that it is not read again. */
  readonly remember: (category: Category) => void;
  /** The roots of the tree, by position then id. */
  readonly roots: () => Promise<Category[]>;
  /** By position then id. */
  readonly childrenOf: (id: number) => Promise<Category[]>;
  /** Those above a category, root first. */
  readonly ancestorsOf: (category: Category) => Promise<Category[]>;
  /** Some categories and all that are above them, by id; an unknown id is left out. One statement for any number of calls at the same time. */
  readonly lineage: (ids: readonly number[]) => Promise<ReadonlyMap<number, Category>>;
  /** These ids and those of all categories below them. */
  readonly withDescendants: (ids: readonly number[]) => Promise<number[]>;
}

/** What the loaders of all operations share. */
export interface CategoryReads {
  readonly byId: DataLoader<number, Category | null>;
  readonly roots: () => Promise<Category[]>;
  readonly bySlug: DataLoader<string, Category | null>;
  readonly childrenOf: (parentIds: readonly number[]) => Promise<Category[]>;
  readonly lineage: (ids: readonly number[]) => Promise<Category[]>;
  readonly withDescendants: (ids: readonly number[]) => Promise<number[]>;
}

export const createCategoryReads = (sql: Sql, known?: KnownRowsOf<Category>): CategoryReads => ({
  byId: createSharedLoader({
    read: (ids) => keepRows(known, () => sql.rows<Category>(categoriesById, [ids])),
    keyOf: ({ id }) => id,
  }),
  bySlug: createSharedLoader({
    read: (slugs) => sql.rows<Category>(categoriesBySlug, [slugs]),
    keyOf: ({ slug }) => slug,
  }),
  lineage: (ids) => sql.rows<Category>(categoriesAndAncestors, [ids]),
  withDescendants: async (ids) => {
    const rows = await sql.rows<{ id: number }>(categoriesAndDescendants, [ids]);
    return rows.map(({ id }) => id);
  },
  roots: () => keepRows(known, () => sql.rows<Category>(rootCategories, [])),
  childrenOf: (parentIds) => keepRows(known, () => sql.rows<Category>(childCategories, [parentIds])),
});

/** Loaders for one operation. A category that a list has read is not read again for a product of it. */
export const createCategoryLoaders = (
  reads: CategoryReads,
  { hints, inFlight }: LoaderScope,
  known?: KnownRowsOf<Category>,
): CategoryLoaders => {
  const loaded = new Map<number, Category | Promise<Category | null>>();

  // Once all lists of products are read, so that their categories take one statement.
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

  const existing = memo(async (id: number): Promise<Category> => {
    const category = await byIdOrNull(id);
    if (!category) throw new RowVanished(`category ${id} vanished while it was referred to`);
    return category;
  });

  const byId = (id: number): Category | Promise<Category> => {
    const category = byIdOrNull(id);
    return category instanceof Promise ? existing(id) : category;
  };

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

  let lineages: DataLoader<readonly number[], ReadonlyMap<number, Category>> | undefined;

  const lineage = (ids: readonly number[]): Promise<ReadonlyMap<number, Category>> => {
    hints.dependsOn('category');
    lineages ??= new DataLoader(
      async (lists) => {
        const categories = await rememberAll(reads.lineage([...new Set(lists.flat())]));
        const byId = new Map(categories.map((category) => [category.id, category]));
        return lists.map(() => byId);
      },
      { cache: false },
    );
    return lineages.load(ids);
  };

  let roots: Promise<Category[]> | undefined;
  let children: DataLoader<number, Category[]> | undefined;

  return {
    byIdOrNull,
    byId,
    bySlug,
    remember,
    lineage,
    ancestorsOf: async (category) => {
      hints.dependsOn('category');
      if (category.parentId === null) return [];
      const byId = await lineage([category.parentId]);
      return pathAbove(category, byId).reverse();
    },
    withDescendants: (ids) => {
      hints.dependsOn('category');
      return reads.withDescendants(ids);
    },
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

/** The categories above one, its parent first. Ends where a tree that is none leads round in a circle. */
export const pathAbove = ({ id, parentId }: Category, byId: ReadonlyMap<number, Category>): Category[] => {
  const path: Category[] = [];
  const seen = new Set([id]);
  for (let next = parentId; next !== null && !seen.has(next); ) {
    const parent = byId.get(next);
    if (!parent) throw new RowVanished(`category ${next} vanished while it was referred to`);
    seen.add(next);
    path.push(parent);
    next = parent.parentId;
  }
  return path;
};

const COLUMNS = columnsOf(Prisma.CategoryScalarFieldEnum, 'c');

// By Prisma's `findMany`, 16 categories cost 219 µs of CPU and not 89; and its first query takes 31 MB of memory, for good (2026-11-23).

/** Values: ids. For lists of products. */
const categoriesById: Statement = {
  name: 'categories_by_id',
  text: `select ${COLUMNS} from category c where c.id = any($1::int[])`,
};

/** Values: slugs. */
const categoriesBySlug: Statement = {
  name: 'categories_by_slug',
  text: `select ${COLUMNS} from category c where c.slug = any($1::text[])`,
};

const rootCategories: Statement = {
  name: 'root_categories',
  text: `select ${COLUMNS} from category c where c.parent_id is null order by c.position, c.id`,
};

/** Values: ids of the parents. */
const childCategories: Statement = {
  name: 'child_categories',
  text: `select ${COLUMNS} from category c where c.parent_id = any($1::int[]) order by c.position, c.id`,
};

// `union` leaves out what is there already, so that a circle of categories ends too.

/** Values: ids. */
const categoriesAndAncestors: Statement = {
  name: 'categories_and_ancestors',
  text: `
    with recursive above (id, parent_id) as (
      select c.id, c.parent_id from category c where c.id = any($1::int[])
      union
      select c.id, c.parent_id from above a join category c on c.id = a.parent_id
    )
    select ${COLUMNS} from above a join category c on c.id = a.id`,
};

/** Values: ids. */
const categoriesAndDescendants: Statement = {
  name: 'categories_and_descendants',
  text: `
    with recursive below (id) as (
      select unnest($1::int[])
      union
      select c.id from below b join category c on c.parent_id = b.id
    )
    select b.id from below b`,
};
