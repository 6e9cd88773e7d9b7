import type { ClientBase, DatabaseError } from 'pg';
import { type ImportKind, isTree } from '../kind.ts';
import type { Fault } from '../record.ts';
import { giveCategorySlugs, giveSlugs } from './slugs.ts';
import { isFaultOfARow, STAGE, savepoint, type TransactionOptions, transaction } from './stage.ts';
import {
  createStatements,
  dropHeadless,
  dropHomeless,
  dropIncomplete,
  dropRejected,
  dropRepeated,
  dropUnterminated,
  findIdentified,
  type Range,
  type Statements,
} from './statements.ts';

export interface Merged {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Made because paths of products or categories lead through them. */
  readonly createdCategories: number;
}

export interface MergeOptions extends TransactionOptions {
  readonly kind: ImportKind;
  /** How many rows are staged; their ordinals go from 1 to it. */
  readonly rowCount: number;
  /** Commits after so many rows. Undefined: all at once, at the end. */
  readonly batchRows: number | undefined;
  readonly columnOf: (field: string) => string;
  /** Told how many rows are through. */
  readonly onProgress: (step: 'checking' | 'writing', rows: number) => void;
}

/** Rows in one statement: few statements, and still a sign of life every second. */
const CHUNK_ROWS = 5000;

const NOTHING: Merged = { created: 0, changed: 0, unchanged: 0, createdCategories: 0 };

const sum = (one: Merged, other: Merged): Merged => ({
  created: one.created + other.created,
  changed: one.changed + other.changed,
  unchanged: one.unchanged + other.unchanged,
  createdCategories: one.createdCategories + other.createdCategories,
});

/** Brings what is staged into the catalogue: all of it, or (with batches) whole batches of it. */
export const mergeStage = async (options: MergeOptions): Promise<Merged> => {
  const { client, kind, rowCount, onProgress } = options;
  // What is taken out of the stage for one of these reasons would be so again: it need not wait for the transaction.
  if (kind.identity) await findIdentified(client, kind, kind.identity);
  if (kind.categoryColumn) await giveCategorySlugs(client, kind);
  const hasSlugSeries = kind.key === 'slug' && !isTree(kind);
  if (hasSlugSeries) {
    await giveSlugs(client, kind);
    await dropHeadless(options);
    await dropRejected(options);
  }
  for (const range of ranges(rowCount, CHUNK_ROWS)) {
    await dropRepeated(options, range);
    await dropIncomplete(options, range);
    if (kind.categoryColumn && !isTree(kind)) await dropHomeless(options, range);
    onProgress('checking', range.to);
  }

  const statements = await createStatements(client, kind);
  if (hasSlugSeries) await dropUnterminated(options, statements);
  if (isTree(kind)) return transaction(options, (onFault) => mergeCategories({ ...options, onFault }, statements));

  const { batchRows } = options;
  const mergeAll = async (within: MergeOptions, whole: Range): Promise<Merged> => {
    let merged = NOTHING;
    for (const range of ranges(whole.to, CHUNK_ROWS, whole.from)) {
      merged = sum(merged, await mergeRange(within, statements, range));
      onProgress('writing', range.to);
    }
    return merged;
  };
  let merged = NOTHING;
  for (const batch of ranges(rowCount, batchRows ?? rowCount)) {
    merged = sum(merged, await transaction(options, (onFault) => mergeAll({ ...options, onFault }, batch)));
  }
  return merged;
};

function* ranges(rowCount: number, size: number, first = 1): Generator<Range> {
  for (let from = first; from <= rowCount; from += size) yield { from, to: Math.min(from + size - 1, rowCount) };
}

/** What every reader would have refused is not here any more. What the database itself refuses is looked for by halving. */
const mergeRange = async (options: MergeOptions, statements: Statements, range: Range): Promise<Merged> => {
  const { client, kind, onFault } = options;
  try {
    return await savepoint(client, async () => {
      const createdCategories = kind.categoryColumn ? await createMissingCategories(client, range) : 0;
      return { ...(await write(client, statements, range)), createdCategories };
    });
  } catch (error) {
    if (!isFaultOfARow(error)) throw error;
    if (range.from < range.to) {
      const middle = Math.floor((range.from + range.to) / 2);
      const lower = await mergeRange(options, statements, { from: range.from, to: middle });
      return sum(lower, await mergeRange(options, statements, { from: middle + 1, to: range.to }));
    }
    const { rows } = await client.query<{ line: string }>(`delete from ${STAGE} where ordinal = $1 returning line`, [
      range.from,
    ]);
    const { message, column } = error as DatabaseError;
    for (const { line } of rows)
      onFault({ line: Number(line), column, reason: `is refused by the database: ${message}` });
    return NOTHING;
  }
};

const write = async (client: ClientBase, { insert, update }: Statements, { from, to }: Range): Promise<Merged> => {
  const created = await count(client, insert, [from, to]);
  // After the insert, so that a row which somebody else has inserted meanwhile is found here.
  const changed = await count(client, update, [from, to]);
  const staged = await count(client, `select count(*)::int as count from ${STAGE} where ordinal between $1 and $2`, [
    from,
    to,
  ]);
  return { created, changed, unchanged: Math.max(0, staged - created - changed), createdCategories: 0 };
};

const count = async (client: ClientBase, sql: string, values: unknown[]): Promise<number> =>
  (await client.query<{ count: number }>(sql, values)).rows[0]?.count ?? 0;

/** Categories refer to one another, so all of a file go together: first every row, then who is whose parent. */
const mergeCategories = async (options: MergeOptions, statements: Statements): Promise<Merged> => {
  const { client, rowCount, columnOf, onFault, onProgress } = options;
  const all: Range = { from: 1, to: rowCount };
  for (;;) {
    // A category that is refused may leave others without a parent.
    while ((await dropHomeless(options, all)) > 0);
    await client.query('savepoint whole');
    const merged = await savepoint(client, async () => {
      const created = await count(client, statements.insert, [all.from, all.to]);
      const createdCategories = await createMissingCategories(client, all);
      const rest = await write(client, { ...statements, insert: 'select 0 as count where $1::int <= $2::int' }, all);
      return { ...rest, created, unchanged: rest.unchanged - created, createdCategories };
    });
    onProgress('writing', rowCount);
    const circles = await findCircles(client, columnOf);
    if (circles.length === 0) return merged;
    await client.query('rollback to savepoint whole');
    for (const { fault } of circles) onFault(fault);
    await client.query(`delete from ${STAGE} where slug = any ($1)`, [circles.map(({ slug }) => slug)]);
  }
};

/** Creates the categories that paths of staged rows lead through and that are not there. Parents first. @returns how many */
const createMissingCategories = async (client: ClientBase, { from, to }: Range): Promise<number> => {
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
const findCircles = async (
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
