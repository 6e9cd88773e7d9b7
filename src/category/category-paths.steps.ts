import type { ClientBase } from 'pg';
import { createPrismaOn } from '../database/pool.ts';
import { type CategoryStep, categoryPath } from '../import/fields/lists.ts';
import { type Counts, type Field, field, fieldOf, type ImportContext, type Range } from '../import/kind.ts';
import { isPresent, reject, STAGE } from '../import/write/stage.ts';

/** A field that refers to a category by its path, whose last step tells which it is. */
export const categoryReference = (column: string, options: Partial<Field>): Field =>
  field('category_path', 'jsonb', categoryPath, {
    ...options,
    reference: { column, id: `(select id from category where slug = s.category_path -> -1 ->> 0)` },
  });

/** Creates the missing categories that the paths of staged rows lead through, parents first. */
export const createMissingCategories = async (
  client: ClientBase,
  { from, to }: Range,
  counts: Counts,
): Promise<void> => {
  const { rowCount } = await client.query(
    `insert into category (slug, name, parent_id)
     select step ->> 0, min(step ->> 1), min(parent.id)
     from ${STAGE} s cross join jsonb_array_elements(s.category_path) with ordinality steps (step, depth)
       left join category parent on depth > 1 and parent.slug = s.category_path -> (depth - 2)::int ->> 0
     where s.ordinal between $1 and $2 and step ->> 1 is not null and (depth = 1 or parent.id is not null)
       and not exists (select from category c where c.slug = step ->> 0)
     group by step ->> 0
     order by min(s.ordinal)
     on conflict do nothing`,
    [from, to],
  );
  if (!rowCount) return;
  counts.createdCategories += rowCount;
  await createMissingCategories(client, { from, to }, counts);
};

/**
 * Rejects rows whose category is named by slug alone, and is not in the catalogue.
 * @param isKnown SQL for what else makes the slug `step ->> 0` known
 */
export const rejectUnknownCategories = (context: ImportContext, isKnown = 'false'): Promise<number> => {
  return reject(
    context,
    `with missing as (
       select distinct on (ordinal) ordinal, step ->> 0 as slug
       from ${STAGE} cross join jsonb_array_elements(category_path) step
       where step ->> 1 is null and not (exists (select from category c where c.slug = step ->> 0) or ${isKnown}))
     delete from ${STAGE} s using missing where s.ordinal = missing.ordinal
     returning s.line, s.record, $1 as field, missing.slug as value, 'is the slug of no category: import the category first' as reason`,
    [fieldOf(context.kind, 'category_path')],
  );
};

type Path = readonly CategoryStep[];

/** A staged row that is a category itself. */
export interface StagedCategory {
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
 * @param categories the staged rows, where they are categories
 */
export const assignCategorySlugs = async (
  client: ClientBase,
  categories: readonly StagedCategory[] = [],
): Promise<void> => {
  const { rows } = await client.query<{ path: Path }>(
    `select category_path as path from ${STAGE} where category_path is not null group by 1 order by min(ordinal)`,
  );
  const paths = rows.map(({ path }) => path);
  if (!paths.some(hasNames) && categories.every(({ slugSource }) => slugSource === null)) return;

  const tree = await readTree(client);
  for (const { slug, slugSource } of categories) if (slugSource === null) tree.reserve(slug);
  for (const [slug, , isByName] of paths.flat()) if (!isByName) tree.reserve(slug);

  const slugs = categories.toSorted((one, other) => rank(one) - rank(other)).map((category) => place(tree, category));
  const resolved = paths.map((path) =>
    tree.follow(path).map((slug, at): CategoryStep => [slug, path[at]?.[1] ?? null]),
  );
  await client.query(
    `update ${STAGE} s set slug = assigned.slug
     from unnest($1::int[], $2::text[]) assigned (ordinal, slug)
     where s.ordinal = assigned.ordinal and s.slug is distinct from assigned.slug`,
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

export const readStagedCategories = async (client: ClientBase): Promise<StagedCategory[]> => {
  const { rows } = await client.query<StagedCategory>(
    `select ordinal, coalesce(slug, slug_base) as slug, name, category_path as path, ${isPresent('parent')} as "isParentPresent",
       case when slug is null then coalesce(path -> -1 ->> 1, name) end as "slugSource"
     from ${STAGE} s order by ordinal`,
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
    tree.place(slug, path ? tree.follow(path).at(-1) : oldParent, name ?? tree.nameOf(slug));
    return { ordinal, slug };
  }
  const parent = tree.follow(path ?? []).at(-1);
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
  return tree;
};

/** The catalogue's categories by slug, and by place: below which parent, under which name in any case. */
class CategoryTree {
  readonly #nodes = new Map<string, { readonly parent: string | undefined; readonly name: string }>();
  /** Of several at one place, the first. */
  readonly #slugAt = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** Keeps a slug from being given to another category. */
  reserve(slug: string): void {
    this.#taken.add(slug);
  }

  parentOf(slug: string): string | undefined {
    return this.#nodes.get(slug)?.parent;
  }

  nameOf(slug: string): string {
    return this.#nodes.get(slug)?.name ?? slug;
  }

  /** Adds a category, or moves it. */
  place(slug: string, parent: string | undefined, name: string): void {
    const old = this.#nodes.get(slug);
    const oldPlace = old && placeIn(old.parent, old.name);
    if (oldPlace !== undefined && this.#slugAt.get(oldPlace) === slug) this.#slugAt.delete(oldPlace);
    this.#nodes.set(slug, { parent, name });
    this.reserve(slug);
    this.addName(slug, parent, name);
  }

  /** Makes a category known under another name too. */
  addName(slug: string, parent: string | undefined, name: string): void {
    const place = placeIn(parent, name);
    if (!this.#slugAt.has(place)) this.#slugAt.set(place, slug);
  }

  /** The slug of the category below a parent under the first known one of some names; if there is none, a free slug like the proposed one. */
  find(parent: string | undefined, names: readonly string[], proposed: string): string {
    const found = names.flatMap((name) => this.#slugAt.get(placeIn(parent, name)) ?? [])[0];
    if (found !== undefined) return found;
    let free = proposed;
    for (let number = 2; this.#taken.has(free); number += 1) free = `${proposed}-${number}`;
    return free;
  }

  /** The slug of the category that each step of a path leads to. Missing categories are added. */
  follow(path: readonly CategoryStep[]): string[] {
    let parent: string | undefined;
    return path.map(([slug, name, isByName]) => {
      const found = isByName ? this.find(parent, [name ?? ''], slug) : slug;
      if (name !== null && !this.#nodes.has(found)) this.place(found, parent, name);
      parent = found;
      return found;
    });
  }
}

const placeIn = (parent: string | undefined, name: string): string =>
  JSON.stringify([parent ?? null, name.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase()]);
