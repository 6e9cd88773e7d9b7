import type { ClientBase } from 'pg';
import type { ImportContext, ImportKind } from '../import/kind.ts';
import { findExisting, STAGE } from '../import/write/stage.ts';

/**
 * Finds the products of staged rows, and gives slugs to new ones that have none. By nested loops, as the planner wants, 100,000 rows would
 * take minutes.
 */
export const findProducts = async ({ client, kind }: ImportContext): Promise<void> => {
  await client.query('set enable_nestloop = off');
  await findExisting({ client, kind });
  if (kind.key === 'slug') await findByName(client);
  await assignSlugs(client, kind);
  await client.query('reset enable_nestloop');
};

/**
 * Finds the products of rows without a slug by their names: of several of one name, in the file and in the catalogue, each by its turn. Rejected
 * rows count, so that the others stay what they are when one is corrected.
 */
const findByName = async (client: ClientBase): Promise<void> => {
  const turn = (order: string) =>
    `lower(name) as name, row_number() over (partition by lower(name) order by ${order}) as turn`;
  await client.query(`
    update ${STAGE} s set target_id = found.id, slug = found.slug
    from (
      select ordinal, id, product.slug
      from (select ordinal, ${turn('ordinal')} from ${STAGE} where slug_base is not null) made
        join (
          select id, slug, ${turn('id')} from product t
          where not exists (select from ${STAGE} o where o.target_id = t.id)) product using (name, turn)) found
    where found.ordinal = s.ordinal`);
};

/** Slugs for new rows, made from their names. The first row of a base has it, if it is free: `mug`; others are numbered: `mug-2`, `mug-3`. */
const assignSlugs = async (client: ClientBase, { key }: ImportKind): Promise<void> => {
  const isNext = `slug is null and slug_base is not null and target_id is null`;
  // Of rows with one number of the shop's own, the last is imported.
  if (key !== 'slug')
    await client.query(`
      update ${STAGE} s set slug_base = null where ${isNext} and exists (
        select from ${STAGE} later where later.${key} = s.${key} and later.ordinal > s.ordinal and not later.is_rejected)`);
  await client.query(`
    update ${STAGE} s set slug = slug_base
    from (select min(ordinal) as ordinal from ${STAGE} where ${isNext} group by slug_base) first
    where first.ordinal = s.ordinal and not exists (select from product t where t.slug = s.slug_base)
      and not exists (select from ${STAGE} o where o.slug = s.slug_base)`);
  const { rows } = await client.query<{ ordinal: number; base: string }>(
    `select ordinal, slug_base as base from ${STAGE} where ${isNext} order by ordinal`,
  );
  if (rows.length === 0) return;
  const { rows: taken } = await client.query<{ slug: string }>(`
    with bases as (select slug_base from ${STAGE} where ${isNext})
    select slug from (select slug from product union all select slug from ${STAGE}) used
    where slug in (table bases) or regexp_replace(slug, '-[0-9]+$', '') in (table bases)`);
  const used = new Set(taken.map(({ slug }) => slug));
  const numbers = new Map<string, number>();
  const assigned = rows.map(({ base }) => {
    let number = numbers.get(base) ?? 1;
    do number += 1;
    while (used.has(`${base}-${number}`));
    numbers.set(base, number);
    return `${base}-${number}`;
  });
  await client.query(
    `update ${STAGE} s set slug = assigned.slug
     from unnest($1::int[], $2::text[]) assigned (ordinal, slug) where s.ordinal = assigned.ordinal`,
    [rows.map(({ ordinal }) => ordinal), assigned],
  );
};
