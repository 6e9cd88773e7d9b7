import type { ClientBase } from 'pg';
import { createPrismaOn } from '../../database/pool.ts';
import type { CategoryStep } from '../fields/category-path.ts';
import { withoutEntities } from '../fields/html.ts';
import { type ImportKind, isCategoryKind, presentBit } from '../kind.ts';
import { CategoryTree } from './category-tree.ts';
import { STAGE } from './stage.ts';

type Path = readonly CategoryStep[];

interface StagedCategory {
  readonly ordinal: number;
  readonly slug: string;
  readonly name: string | null;
  /** The name from which the slug was made; null if the file has the slug. */
  readonly slugSource: string | null;
  readonly path: Path | null;
  readonly isParentPresent: boolean;
}

/**
 * Gives each category that the file names by its place in the tree (its parent and its name) the slug that it has in the catalogue, or a free
 * one. After this, slugs alone identify categories: `C`, `C#` and `C++` have `c`, `c-2` and `c-3`.
 */
export const assignCategorySlugs = async (client: ClientBase, kind: ImportKind): Promise<void> => {
  const { rows } = await client.query<{ path: Path }>(
    `select category_path as path from ${STAGE} where category_path is not null group by 1 order by min(ordinal)`,
  );
  const paths = rows.map(({ path }) => path);
  const categories = isCategoryKind(kind) ? await readStagedCategories(client, kind) : [];
  if (!paths.some(hasNames) && categories.every(({ slugSource }) => slugSource === null)) return;

  const tree = await readTree(client);
  for (const { slug, slugSource } of categories) if (slugSource === null) tree.reserve(slug);
  for (const [slug, , isByName] of paths.flat()) if (!isByName) tree.reserve(slug);

  const slugs = categories.toSorted((one, other) => rank(one) - rank(other)).map((category) => place(tree, category));
  const resolved = paths.map((path) => {
    tree.follow(path);
    return path.map(([slug, name, isByName], index): CategoryStep => {
      const found = isByName ? tree.follow(path.slice(0, index + 1)) : undefined;
      return [found ?? slug, name];
    });
  });
  await client.query(
    `update ${STAGE} s set slug = assigned.slug
     from unnest($1::int[], $2::text[]) assigned (ordinal, slug)
     where s.ordinal = assigned.ordinal and s.slug <> assigned.slug`,
    [slugs.map(({ ordinal }) => ordinal), slugs.map(({ slug }) => slug)],
  );
  await client.query(
    `update ${STAGE} s set category_path = resolved.steps
     from unnest($1::jsonb[], $2::jsonb[]) resolved (path, steps)
     where s.category_path = resolved.path and resolved.path <> resolved.steps`,
    [paths.map((path) => JSON.stringify(path)), resolved.map((steps) => JSON.stringify(steps))],
  );
};

const hasNames = (path: Path): boolean => path.some(([, , isByName]) => isByName);

const readStagedCategories = async (client: ClientBase, kind: ImportKind): Promise<StagedCategory[]> => {
  const { rows } = await client.query<StagedCategory>(
    `select ordinal, slug, name, slug_source as "slugSource", category_path as path,
       present_fields & ${presentBit(kind, 'parent')} <> 0 as "isParentPresent"
     from ${STAGE} order by ordinal`,
  );
  return rows;
};

/** Categories known by slugs come first, so that a path of names finds them. Then parents come before what is below them. */
const rank = ({ slugSource, path }: StagedCategory): number => {
  if (slugSource === null && !(path && hasNames(path))) return 0;
  return 2 * ((path?.length ?? 0) + 1) + (slugSource === null ? 0 : 1);
};

/** Puts a staged category into the tree. @returns its slug from now on */
const place = (tree: CategoryTree, category: StagedCategory): { ordinal: number; slug: string } => {
  const { ordinal, slug, name, slugSource, path, isParentPresent } = category;
  if (slugSource === null) {
    const oldParent = isParentPresent ? undefined : tree.parentOf(slug);
    tree.place(slug, path ? tree.follow(path) : oldParent, name ?? tree.nameOf(slug));
    return { ordinal, slug };
  }
  const parent = path ? tree.follow(path) : undefined;
  const found = tree.find(parent, [name ?? slugSource, slugSource], slug);
  tree.place(found, parent, name ?? tree.nameOf(found));
  // Its path may name it differently from its own column `name`, and other rows have the path.
  tree.addName(found, parent, slugSource);
  return { ordinal, slug: found };
};

const readTree = async (client: ClientBase): Promise<CategoryTree> => {
  const prisma = await createPrismaOn(client);
  const rows = await prisma.category.findMany({
    select: { slug: true, name: true, parent: { select: { slug: true } } },
    orderBy: { id: 'asc' },
  });
  const tree = new CategoryTree();
  for (const { slug, name, parent } of rows) tree.place(slug, parent?.slug, name);
  // Earlier imports did not decode entities. Whoever has a name as it is goes first.
  for (const { slug, name, parent } of rows) tree.addName(slug, parent?.slug, withoutEntities(name));
  return tree;
};
