import DataLoader from 'dataloader';
import type { Category, PrismaClient } from '../database/generated/client/client.ts';

export interface CategoryLoaders {
  readonly categoryOrNull: DataLoader<number, Category | null>;
  /** For keys that a foreign key vouches for. */
  readonly categoryById: Pick<DataLoader<number, Category>, 'load'>;
  /** The roots of the tree, by position then id. */
  readonly categoryRoots: () => Promise<Category[]>;
  /** By position then id. */
  readonly categoryChildren: DataLoader<number, Category[]>;
}

const ORDER = [{ position: 'asc' }, { id: 'asc' }] as const;

/** Loaders for one operation. A category that a list has read is not read again for a product of it. */
export const createCategoryLoaders = ({ prisma }: { readonly prisma: PrismaClient }): CategoryLoaders => {
  const categoryOrNull = new DataLoader<number, Category | null>(async (ids) => {
    const categories = await prisma.category.findMany({ where: { id: { in: [...ids] } } });
    const byId = new Map(categories.map((category) => [category.id, category]));
    return ids.map((id) => byId.get(id) ?? null);
  });

  const categoryById = {
    load: async (id: number): Promise<Category> => {
      const category = await categoryOrNull.load(id);
      if (!category) throw new Error(`category ${id} vanished while it was referred to`);
      return category;
    },
  };

  const readChildren = async (parentId: null | { in: number[] }): Promise<Category[]> => {
    const categories = await prisma.category.findMany({ where: { parentId }, orderBy: [...ORDER] });
    for (const category of categories) categoryOrNull.prime(category.id, category);
    return categories;
  };

  const categoryChildren = new DataLoader<number, Category[]>(async (parentIds) => {
    const byParent = Map.groupBy(await readChildren({ in: [...parentIds] }), (category) => category.parentId);
    return parentIds.map((id) => byParent.get(id) ?? []);
  });

  let roots: Promise<Category[]> | undefined;
  const categoryRoots = (): Promise<Category[]> => {
    roots ??= readChildren(null);
    return roots;
  };

  return { categoryOrNull, categoryById, categoryRoots, categoryChildren };
};
