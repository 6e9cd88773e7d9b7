import type { ClientBase } from 'pg';
import type { ImportKind } from '../import/kind.ts';
import { findExisting, STAGE } from '../import/write/stage.ts';

/** Rows whose names make one slug, the base, with what is numbered after it: `mug`, `mug-2`, `mug-3`. */
interface Series {
  readonly base: string;
  /** The staged rows without a slug, in the order of the file. */
  readonly rows: readonly { readonly ordinal: number; readonly name: string }[];
  /**
   * The slugs that are taken, by their numbers; `mug` has number 1. The name is that of the product in the catalogue, or null for a row of the file.
   */
  readonly taken: readonly { readonly slug: string; readonly name: string | null; readonly number: number }[];
}

/**
 * Finds the products of staged rows, and gives slugs to those that have none. By nested loops, as the planner wants, 100,000 rows would
 * take minutes.
 */
export const findProducts = async (client: ClientBase, kind: ImportKind): Promise<void> => {
  await client.query('set enable_nestloop = off');
  if (kind.key !== 'slug') await findExisting(client, kind);
  if (kind.key === 'sku') await findByEarlierSlugs(client, kind);
  await assignProductSlugs(client, kind);
  if (kind.key === 'slug') await findExisting(client, kind);
  await client.query('reset enable_nestloop');
};

/**
 * Gives each staged row without a slug the slug that it has in the catalogue, or a free one. The catalogue's product is found by its name, and
 * among several of one name by their order in the file. Rejected rows count, so that the others keep their slugs when one is corrected.
 * With `--key sku` names find nothing, and new rows alone get a slug.
 */
const assignProductSlugs = async (client: ClientBase, kind: ImportKind): Promise<void> => {
  const { rowCount } = await client.query(`select from ${STAGE} where slug_source is not null limit 1`);
  if (rowCount === 0) return;
  if (kind.key !== 'slug') {
    await client.query(`
      update ${STAGE} s set slug_source = null, slug = t.slug
      from ${STAGE} o left join ${kind.table} t on t.id = o.target_id
      where o.ordinal = s.ordinal and o.slug_source is not null and (o.target_id is not null or o.mark = 'rejected' or exists (
        select from ${STAGE} later where later.sku = o.sku and later.ordinal > o.ordinal and later.mark is distinct from 'rejected'))`);
  }
  const assigned = (await readSeries(client, kind)).flatMap((series) => [...assign(series)]);
  await client.query(
    `update ${STAGE} s set slug = assigned.slug
     from unnest($1::int[], $2::text[]) assigned (ordinal, slug) where s.ordinal = assigned.ordinal`,
    [assigned.map(([ordinal]) => ordinal), assigned.map(([, slug]) => slug)],
  );
};

/** The slug of each row, by its ordinal. */
const assign = ({ base, rows, taken }: Series): Map<number, string> => {
  const slugs = new Map<number, string>();
  for (const [name, named] of Map.groupBy(rows, (row) => row.name)) {
    const products = taken.flatMap((each, index) => (each.name === name ? [{ ...each, index }] : []));
    const unmatched = products.filter(({ slug, number, index }, rank) => {
      // With as many rows as products, they match in order. Otherwise a product may have been deleted from the catalogue: then a product's
      // number, without the taken ones of other names before it, tells how many rows of its name came before it.
      const othersBefore = index - rank;
      const row = named[named.length === products.length ? rank : number - 1 - othersBefore];
      if (row) slugs.set(row.ordinal, slug);
      return !row;
    });
    const rest = named.filter(({ ordinal }) => !slugs.has(ordinal));
    for (const [index, { slug }] of unmatched.entries()) {
      const row = rest[index];
      if (row) slugs.set(row.ordinal, slug);
    }
  }
  const numbers = new Set(taken.map(({ number }) => number));
  let number = 1;
  for (const { ordinal } of rows) {
    if (slugs.has(ordinal)) continue;
    while (numbers.has(number)) number += 1;
    slugs.set(ordinal, number === 1 ? base : `${base}-${number}`);
    number += 1;
  }
  return slugs;
};

/** The series in which a row may get another slug than its base; a file has few, so they fit into memory. */
const readSeries = async (client: ClientBase, { table, key }: ImportKind): Promise<readonly Series[]> => {
  const { rows } = await client.query<Series>(`
    with made as (
      select slug as base, min(lower(name)) as name, count(*) as count,
        jsonb_agg(jsonb_build_object('ordinal', ordinal, 'name', coalesce(lower(name), '')) order by ordinal) as rows
      from ${STAGE} where slug_source is not null group by slug),
    slugs as (
      select slug, ${key === 'slug' ? 'lower(name)' : 'null'} as name, true as is_fixed from ${table} t
      where not exists (select from ${STAGE} s where s.slug = t.slug and s.slug_source is null)
      union all
      select slug, null, bool_or(slug_source is null) from ${STAGE} s group by slug
      having bool_or(slug_source is null) or not exists (select from ${table} t where t.slug = s.slug)),
    taken as (
      select base, slug, slugs.name, 1 as number from slugs join made on base = slug where is_fixed
      union all
      -- A number with more digits would not fit into an int.
      select base, slug, slugs.name, substring(slug from '[0-9]+$')::int
      from slugs join made on base = regexp_replace(slug, '-[0-9]+$', '') where slug ~ '-[1-9][0-9]{0,8}$'),
    taken_series as (
      select base, count(*) = 1 and min(slug) = base as is_base_only, min(name) as name,
        jsonb_agg(jsonb_build_object('slug', slug, 'name', name, 'number', number) order by number, slug) as taken
      from taken group by base)
    select base, rows, coalesce(taken, '[]') as taken
    from made left join taken_series using (base)
    where made.count > 1 or (taken is not null and not (is_base_only and taken_series.name is not distinct from made.name))`);
  return rows;
};

/**
 * Finds, for staged rows whose sku the catalogue does not have, products without one whose slug ends with that sku: earlier versions kept it
 * there. Each is that of one row, whose sku it then gets.
 */
const findByEarlierSlugs = async (client: ClientBase, { table }: ImportKind): Promise<void> => {
  await client.query(`
    with ended as (
      select id, split_part(slug, '--', -1) as slug_end from ${table} where sku is null and strpos(slug, '--') > 0),
    found as (
      select distinct on (id) ordinal, id
      from ${STAGE} s join ended using (slug_end)
      where target_id is null order by id, mark is not distinct from 'rejected', ordinal desc)
    update ${STAGE} s set target_id = found.id from (select distinct on (ordinal) * from found order by ordinal, id) found
    where found.ordinal = s.ordinal`);
};
