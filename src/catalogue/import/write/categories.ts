import type { ClientBase } from 'pg';
import type { Fault } from '../value.ts';
import type { Range } from './screen.ts';
import { STAGE } from './stage.ts';

/** Creates the categories that paths of staged rows lead through and that are not there. Parents first. @returns how many */
export const createMissingCategories = async (client: ClientBase, { from, to }: Range): Promise<number> => {
  const { rows } = await client.query<{ depth: number | null }>(
    `select max(depth)::int as depth
     from ${STAGE} s cross join jsonb_array_elements(s.category_path) with ordinality steps (step, depth)
     where s.ordinal between $1 and $2 and step ->> 1 is not null
       and not exists (select from category c where c.slug = step ->> 0)`,
    [from, to],
  );
  let created = 0;
  for (let depth = 1; depth <= (rows[0]?.depth ?? 0); depth += 1) {
    const { rowCount } = await client.query(
      `insert into category (slug, name, parent_id)
       select step ->> 0, min(step ->> 1), min(parent.id)
       from ${STAGE} s cross join jsonb_array_elements(s.category_path) with ordinality steps (step, depth)
         left join category parent on depth > 1 and parent.slug = s.category_path -> (depth - 2)::int ->> 0
       where s.ordinal between $1 and $2 and depth = $3 and step ->> 1 is not null
         and not exists (select from category c where c.slug = step ->> 0)
       group by step ->> 0
       order by min(s.ordinal)
       on conflict do nothing`,
      [from, to, depth],
    );
    created += rowCount ?? 0;
  }
  return created;
};

/** The staged categories that are, as the table now has them, among their own ancestors. */
export const findCircles = async (
  client: ClientBase,
  columnOf: (field: string) => string,
): Promise<{ slug: string; fault: Fault }[]> => {
  const { rows } = await client.query<{ line: string; slug: string; parent: string }>(`
    with recursive up (slug, id) as (
      select t.slug, t.parent_id from category t join ${STAGE} s on s.slug = t.slug
      union
      select up.slug, t.parent_id from up join category t on t.id = up.id)
    select s.line, s.slug, parent.slug as parent
    from up join category t on t.slug = up.slug and t.id = up.id join category parent on parent.id = t.parent_id
      join ${STAGE} s on s.slug = t.slug
    order by s.line`);
  const reason = 'is the parent of a category that it is itself below';
  return rows.map(({ line, slug, parent }) => ({
    slug,
    fault: { line: Number(line), column: columnOf('parent'), value: parent, reason },
  }));
};
