import type { ClientBase } from 'pg';
import { createPrismaOn } from '../../database/pool.ts';
import type { CategoryStep } from '../fields.ts';
import { givenBit, type ImportKind, isTree } from '../kind.ts';
import { STAGE } from './stage.ts';

interface StagedCategory {
  readonly ordinal: string;
  readonly slug: string;
  readonly name: string | null;
  /** The name that the slug was made from; null where the file has the slug. */
  readonly slugFrom: string | null;
  readonly path: readonly CategoryStep[] | null;
  readonly isParentGiven: boolean;
}

/**
 * Finds for each category that the file names by its place in the tree (its parent and its name) the slug that it has in the catalogue, or
 * a free one, and writes it into the stage: from there on, slugs alone tell categories apart. `C`, `C#` and `C++` get `c`, `c-2` and `c-3`.
 */
export const giveCategorySlugs = async (client: ClientBase, kind: ImportKind): Promise<void> => {
  const { rows: paths } = await client.query<{ path: readonly CategoryStep[] }>(
    `select category_path as path from ${STAGE} where category_path is not null group by 1 order by min(ordinal)`,
  );
  const categories = isTree(kind) ? await readStagedCategories(client, kind) : [];
  const isByName = paths.some(({ path }) => path.some(([, , byName]) => byName));
  if (!isByName && categories.every(({ slugFrom }) => slugFrom === null)) return;

  const tree = await readTree(client);
  for (const { slug, slugFrom } of categories) if (slugFrom === null) tree.reserve(slug);
  for (const { path } of paths) for (const [slug, , byName] of path) if (!byName) tree.reserve(slug);

  // What has a slug in the file is placed first, so that a path of names finds it. Parents come before what is below them.
  const slugs = new Map<string, string>();
  for (const category of categories.toSorted(bySlugsThenDepth)) {
    const { ordinal, slug, name, slugFrom, path, isParentGiven } = category;
    const parent = path ? tree.follow(path) : isParentGiven || slugFrom !== null ? undefined : tree.parentOf(slug);
    const found = slugFrom === null ? slug : tree.find(parent, [name ?? slugFrom, slugFrom], slug);
    tree.place(found, parent, name ?? tree.nameOf(found));
    // A path may name it otherwise than its own column does, and others lead through that path.
    if (slugFrom !== null) tree.alias(found, parent, slugFrom);
    if (found !== slug) slugs.set(ordinal, found);
  }
  const resolved = new Map<string, string>();
  for (const { path } of paths) {
    const steps = path.map(([slug, name, byName], index): CategoryStep => {
      const found = byName ? (tree.follow(path.slice(0, index + 1)) ?? slug) : slug;
      return [found, name];
    });
    tree.follow(path);
    if (steps.some(([slug], index) => slug !== path[index]?.[0]))
      resolved.set(JSON.stringify(path), JSON.stringify(steps));
  }
  await client.query(
    `update ${STAGE} s set slug = given.slug from unnest($1::bigint[], $2::text[]) given (ordinal, slug) where s.ordinal = given.ordinal`,
    [[...slugs.keys()], [...slugs.values()]],
  );
  await client.query(
    `update ${STAGE} s set category_path = given.steps from unnest($1::jsonb[], $2::jsonb[]) given (path, steps) where s.category_path = given.path`,
    [[...resolved.keys()], [...resolved.values()]],
  );
};

const readStagedCategories = async (client: ClientBase, kind: ImportKind): Promise<StagedCategory[]> => {
  const { rows } = await client.query<StagedCategory>(
    `select ordinal, slug, name, slug_from as "slugFrom", category_path as path, given & ${givenBit(kind, 'parent')} <> 0 as "isParentGiven"
     from ${STAGE} order by ordinal`,
  );
  return rows;
};

const bySlugsThenDepth = (one: StagedCategory, other: StagedCategory): number => {
  const rank = ({ slugFrom, path }: StagedCategory): number => {
    const isBySlug = slugFrom === null && !path?.some(([, , byName]) => byName);
    return isBySlug ? 0 : 2 * ((path?.length ?? 0) + 1) + (slugFrom === null ? 0 : 1);
  };
  return rank(one) - rank(other);
};

const readTree = async (client: ClientBase): Promise<Tree> => {
  const prisma = await createPrismaOn(client);
  const rows = await prisma.category.findMany({
    select: { id: true, slug: true, name: true, parentId: true },
    orderBy: { id: 'asc' },
  });
  const slugs = new Map(rows.map(({ id, slug }) => [id, slug]));
  const tree = new Tree();
  for (const { slug, name, parentId } of rows)
    tree.place(slug, parentId === null ? undefined : slugs.get(parentId), name);
  return tree;
};

/** Which category stands at which place: below which parent, under which name, whatever its case. */
class Tree {
  readonly #slugsAt = new Map<string, string[]>();
  readonly #nodes = new Map<
    string,
    { readonly place: string; readonly parent: string | undefined; readonly name: string }
  >();
  readonly #taken = new Set<string>();
  readonly #lastNumber = new Map<string, number>();

  /** Keeps a slug from being given to a category at another place. */
  reserve(slug: string): void {
    this.#taken.add(slug);
  }

  parentOf(slug: string): string | undefined {
    return this.#nodes.get(slug)?.parent;
  }

  nameOf(slug: string): string {
    return this.#nodes.get(slug)?.name ?? slug;
  }

  /** Puts a category where it is from now on. */
  place(slug: string, parent: string | undefined, name: string): void {
    const before = this.#nodes.get(slug);
    const place = placeOf(parent, name);
    if (before?.place === place) return;
    if (before)
      this.#slugsAt.set(
        before.place,
        (this.#slugsAt.get(before.place) ?? []).filter((each) => each !== slug),
      );
    this.#nodes.set(slug, { place, parent, name });
    this.reserve(slug);
    this.alias(slug, parent, name);
  }

  alias(slug: string, parent: string | undefined, name: string): void {
    const place = placeOf(parent, name);
    const slugs = this.#slugsAt.get(place) ?? [];
    if (!slugs.includes(slug)) this.#slugsAt.set(place, [...slugs, slug]);
  }

  /** The slug of what stands below a parent under the first of some names that is known there; a free one like the given one where nothing does. */
  find(parent: string | undefined, names: readonly string[], slug: string): string {
    for (const name of names) {
      const slugs = this.#slugsAt.get(placeOf(parent, name)) ?? [];
      const found = slugs.includes(slug) ? slug : slugs[0];
      if (found !== undefined) return found;
    }
    return this.#free(slug);
  }

  /** The slug of the category that a path leads to. Whatever is not there on the way is placed. */
  follow(path: readonly CategoryStep[]): string | undefined {
    let parent: string | undefined;
    for (const [slug, name, byName] of path) {
      const found = byName ? this.find(parent, [name ?? ''], slug) : slug;
      if (name !== null && !this.#nodes.has(found)) this.place(found, parent, name);
      parent = found;
    }
    return parent;
  }

  #free(slug: string): string {
    for (let number = this.#lastNumber.get(slug) ?? 1; ; number += 1) {
      const candidate = number === 1 ? slug : `${slug}-${number}`;
      if (this.#taken.has(candidate)) continue;
      this.#lastNumber.set(slug, number);
      return candidate;
    }
  }
}

const placeOf = (parent: string | undefined, name: string): string =>
  JSON.stringify([parent ?? null, name.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase()]);

/** Staged rows without a slug of their own. `base`: the slug that their name makes; `nth`: which of the file's rows of that name it is. */
const MADE = 'pg_temp.vitrine_import_made';

/** Slugs that are taken in the series of a base: `mug` has number 1, `mug-2` number 2. `name`: of the row that has it; null in the file. */
const TAKEN = 'pg_temp.vitrine_import_taken';

/**
 * Gives each staged row without a slug of its own the one that it has in the catalogue, or a free one: `mug`, `mug-2`, `mug-3`. Such a
 * row is told by its name, and of several of one name in the file by which of them it is. Rejected rows are counted too, so that
 * a row that is mended later does not move the others.
 */
export const giveSlugs = async (client: ClientBase, { table }: ImportKind): Promise<void> => {
  const { rows } = await client.query(`select from ${STAGE} where slug_from is not null limit 1`);
  if (rows.length === 0) return;
  await client.query(`drop table if exists ${MADE}, ${TAKEN}`);
  // The planner expects one row of each join, and would take nested loops: quadratic in the rows of the file, minutes for 100,000.
  await client.query('set enable_nestloop = off');
  await client.query(`
    create temporary table vitrine_import_made as
      select ordinal, slug as base, lower(name) as name, count(*) over (partition by slug, lower(name)) as size,
        row_number() over (partition by slug, lower(name) order by ordinal) as nth
      from ${STAGE} where slug_from is not null;
    analyze ${MADE}`);
  await client.query(`
    create temporary table vitrine_import_taken as
      with bases as (select distinct base from ${MADE}),
      slugs as (
        select slug, lower(name) as name, true as is_fixed from ${table} t
        where not exists (select from ${STAGE} s where s.slug = t.slug and s.slug_from is null)
        union all
        select slug, null, bool_or(slug_from is null) from ${STAGE} s group by slug
        having bool_or(slug_from is null) or not exists (select from ${table} t where t.slug = s.slug))
      select base, slug, name, 1 as number from slugs join bases on base = slug where is_fixed
      union all
      -- A number of more digits would not fit its type.
      select base, slug, name, substring(slug from '[0-9]+$')::int
      from slugs join bases on base = regexp_replace(slug, '-[0-9]+$', '') where slug ~ '-[1-9][0-9]{0,8}$';
    analyze ${TAKEN}`);
  await client.query(`
    with known as (
      -- The n-th product of a name would have number n, if none of another name had a number before it.
      select base, name, slug, count(*) over (partition by base, name) as size,
        row_number() over (partition by base, name order by number) as rank,
        number - row_number() over (partition by base order by number)
          + row_number() over (partition by base, name order by number) as nth
      from ${TAKEN}),
    exact as (
      select ordinal, slug from ${MADE} made join known using (base, name)
      where made.nth = case when made.size = known.size then known.rank else known.nth end),
    ranked as (
      select made_left.ordinal, known_left.slug
      from (
        select *, row_number() over (partition by base, name order by nth) as place
        from ${MADE} made where not exists (select from exact where exact.ordinal = made.ordinal)) made_left
      join (
        select *, row_number() over (partition by base, name order by known.rank) as place
        from known where not exists (select from exact where exact.slug = known.slug)) known_left using (base, name, place)),
    found as (select * from exact union all select * from ranked),
    unfound as (
      select base, ordinal, row_number() over (partition by base order by ordinal) as rank
      from ${MADE} made where not exists (select from found where found.ordinal = made.ordinal)),
    free as (
      select base, candidate.slug, row_number() over (partition by base order by number) as rank
      from (select base, count(*) as count from unfound group by base) wanted
        left join (select base, count(*) as taken_count from ${TAKEN} group by base) counted using (base)
        cross join lateral generate_series(1, count + coalesce(taken_count, 0)) number
        cross join lateral (select case number when 1 then base else base || '-' || number end as slug) candidate
        left join ${TAKEN} taken using (base, number)
      where taken.slug is null),
    given as (
      select ordinal, slug from found
      union all
      select ordinal, slug from unfound join free using (base, rank))
    update ${STAGE} s set slug = given.slug from given where s.ordinal = given.ordinal and s.slug <> given.slug`);
  await client.query('reset enable_nestloop');
};
