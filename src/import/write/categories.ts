import type { ClientBase } from 'pg';
import type { Place } from '../record.ts';
import { type CheckContext, rejectUnknownCategories, toPlace } from './checks.ts';
import type { MergeOptions, Written } from './merge.ts';
import { STAGE } from './stage.ts';
import { COUNT_STAGED, countOf, type Range, type Statements } from './statements.ts';

/** Writes the staged categories. They refer to one another, so all rows are inserted before any parent is set. */
export const mergeCategories = async (options: MergeOptions, { insert, update }: Statements): Promise<Written> => {
  const { client, rowCount, onProgress } = options;
  const all: Range = { from: 1, to: rowCount };
  for (;;) {
    // A rejected category may leave others without a parent.
    while ((await rejectUnknownCategories(options, all)) > 0);
    await client.query('savepoint categories');
    const created = await countOf(client, insert, all);
    const createdCategories = await createMissingCategories(client, all);
    const changed = await countOf(client, update, all);
    const unchanged = (await countOf(client, COUNT_STAGED, all)) - created - changed;
    onProgress('writing', rowCount);
    const cycles = await findCycles(client);
    if (cycles.length === 0) return { created, changed, unchanged, createdCategories };
    await client.query('rollback to savepoint categories');
    await rejectCycles(options, cycles);
  }
};

/** Creates the missing categories that the paths of staged rows lead through, parents first. @returns how many */
export const createMissingCategories = async (client: ClientBase, { from, to }: Range): Promise<number> => {
  const isMissing = `s.ordinal between $1 and $2 and step ->> 1 is not null
       and not exists (select from category c where c.slug = step ->> 0)`;
  const { rows } = await client.query<{ depth: number | null }>(
    `select max(depth)::int as depth
     from ${STAGE} s cross join jsonb_array_elements(s.category_path) with ordinality steps (step, depth)
     where ${isMissing}`,
    [from, to],
  );
  let created = 0;
  for (let depth = 1; depth <= (rows[0]?.depth ?? 0); depth += 1) {
    const { rowCount } = await client.query(
      `insert into category (slug, name, parent_id)
       select step ->> 0, min(step ->> 1), min(parent.id)
       from ${STAGE} s cross join jsonb_array_elements(s.category_path) with ordinality steps (step, depth)
         left join category parent on depth > 1 and parent.slug = s.category_path -> (depth - 2)::int ->> 0
       where ${isMissing} and depth = $3
       group by step ->> 0
       order by min(s.ordinal)
       on conflict do nothing`,
      [from, to, depth],
    );
    created += rowCount ?? 0;
  }
  return created;
};

interface Cycle extends Place {
  readonly slug: string;
  readonly parent: string;
}

/** The staged categories that are, as they are written now, among their own ancestors. */
const findCycles = async (client: ClientBase): Promise<readonly Cycle[]> => {
  const { rows } = await client.query<Cycle>(`
    with recursive ancestors (slug, id) as (
      select t.slug, t.parent_id from category t join ${STAGE} s on s.slug = t.slug
      union
      select ancestors.slug, t.parent_id from ancestors join category t on t.id = ancestors.id)
    select s.line, s.record, s.slug, parent.slug as parent
    from ancestors join category t on t.slug = ancestors.slug and t.id = ancestors.id
      join category parent on parent.id = t.parent_id join ${STAGE} s on s.slug = t.slug
    order by s.ordinal`);
  return rows;
};

const rejectCycles = async ({ client, columnOf, onFault }: CheckContext, cycles: readonly Cycle[]): Promise<void> => {
  const reason = 'is below this category itself: choose another parent';
  for (const { parent, ...place } of cycles) {
    onFault({ ...toPlace(place), column: columnOf('parent'), value: parent, reason });
  }
  await client.query(`delete from ${STAGE} where slug = any ($1)`, [cycles.map(({ slug }) => slug)]);
};
