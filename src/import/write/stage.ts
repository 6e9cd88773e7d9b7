import type { ClientBase } from 'pg';
import {
  columnIn,
  type Field,
  type ImportContext,
  type ImportKind,
  identityOf,
  type Refused,
  type StagedRow,
  singularOf,
} from '../kind.ts';
import { type Place, placeOf } from '../record.ts';

/** The staging table of a file. It is temporary: gone with the session, and never written to the write-ahead log. */
export const STAGE = 'pg_temp.vitrine_import';

/** The rows that staged rows hold, such as the variants of products. */
export const INNER_STAGE = 'pg_temp.vitrine_import_inner';

/** Rows in one statement: a format may hold all its rows back until the end. */
const MAX_STAGED_ROWS = 1000;

/** The columns of a staging table beside those of the fields. */
const OWN_COLUMNS = [
  // The number of the row in the file, from 1; of an inner row that of the row that holds it.
  'ordinal int',
  // The place of an inner row among those of the same row, from 1.
  'place int',
  'line int',
  'record int',
  // The fields that the file says, also where it says that they have no value; and those that only a new row takes.
  'present text[]',
  'if_new text[]',
  // Whether the row is staged only because its key is not free for others, and what it is of is in the file.
  'is_rejected boolean not null default false',
  // The slug that is made from the name of a row that has none in the file.
  'slug_base text',
  // Whether the file says which rows the row holds.
  'has_inner boolean',
  // What is found out about the row: which one of the table it is, once it is there, and of a variant the product.
  'target_id int',
  'owner_id int',
  'is_new boolean',
  // Rows are written after all those of a lower one: that of a category is how many are above it.
  'generation int',
];

/** Creates the staging tables, which the caller drops. */
export const createStages = async ({ client, kind }: ImportContext): Promise<void> => {
  const create = (stage: string, { fields }: ImportKind): Promise<unknown> => {
    const columns = [...OWN_COLUMNS, ...Object.values(fields).map(({ column, type }) => `${column} ${type}`)];
    return client.query(`create temporary table ${stage} (${columns.join(', ')})`);
  };
  await create(STAGE, kind);
  if (kind.inner) await create(INNER_STAGE, kind.inner);
};

/** @param rows those that others hold have a place */
export const insertIntoStages = async (client: ClientBase, rows: readonly StagedRow[]): Promise<void> => {
  for (const [stage, staged] of Map.groupBy(rows, ({ place }) => (place ? INNER_STAGE : STAGE))) {
    const insert = `insert into ${stage} select * from json_populate_recordset(null::${stage}, $1)`;
    for (let at = 0; at < staged.length; at += MAX_STAGED_ROWS)
      await client.query(insert, [JSON.stringify(staged.slice(at, at + MAX_STAGED_ROWS))]);
  }
};

/** Once all rows are staged. */
export const indexStages = async ({ client, kind }: ImportContext): Promise<void> => {
  for (const column of ['ordinal', columnIn(kind, kind.key)])
    await client.query(`create index on ${STAGE} (${column})`);
  if (kind.inner) await client.query(`create index on ${INNER_STAGE} (ordinal)`);
  await client.query(`analyze ${STAGE}`);
};

/** The condition that the file says a field of the staged row `s`. */
export const isPresent = (field: string): string => `'${field}' = any (s.present)`;

/** Finds the existing rows of a kind, and notes their ids in the staging table. */
export const findExisting = async ({ client, kind }: Pick<ImportContext, 'client' | 'kind'>): Promise<void> => {
  const { isFound, order } = identityOf(kind);
  await client.query(`
    update ${STAGE} s set target_id = found.id
    from (
      select distinct on (s.ordinal) s.ordinal, t.id
      from ${STAGE} s join ${kind.table} t on ${isFound}
      order by s.ordinal, ${order}) found
    where found.ordinal = s.ordinal and s.target_id is distinct from found.id`);
};

/** The fields whose values rows of the catalogue may give to one another. The key finds the row, and so stays. */
export const uniqueFieldsOf = ({ fields, key }: ImportKind): [string, Field][] =>
  Object.entries(fields).filter(([name, { isUnique }]) => isUnique && name !== key);

/** What a statement that deletes staged rows returns of each. */
type Rejected = Place & Omit<Refused, 'ordinal'>;

/** @param sql deletes staged rows, and returns them as {@link Rejected} @returns how many */
export const reject = async (
  { client, columnOf, onFault }: ImportContext,
  sql: string,
  values: unknown[] = [],
): Promise<number> => {
  const { rows } = await client.query<Rejected>(sql, values);
  for (const { field, value, reason, ...place } of rows) {
    onFault({ ...placeOf(place), column: field ? columnOf(field) : undefined, value: value ?? undefined, reason });
  }
  return rows.length;
};

/** Removes rows that the database refuses. */
export const rejectRefused = (context: ImportContext, refused: readonly Refused[]): Promise<number> =>
  reject(
    context,
    `delete from ${STAGE} s using json_to_recordset($1) refused (ordinal int, field text, value text, reason text)
     where refused.ordinal = s.ordinal returning line, record, field, value, reason`,
    [JSON.stringify(refused)],
  );

/** Rejects rows that would get a value of which there is one, and which a row of the catalogue keeps. */
export const rejectTaken = async (context: ImportContext): Promise<number> => {
  const { kind, fileFormat } = context;
  let rejected = 0;
  for (const [name, { column }] of uniqueFieldsOf(kind)) {
    rejected += await reject(
      context,
      `delete from ${STAGE} s using ${kind.table} t
       where t.${column} = s.${column} and t.id is distinct from s.target_id and ${isPresent(name)}
         and not exists (select from ${STAGE} o where o.target_id = t.id and '${name}' = any (o.present) and o.${column} is distinct from t.${column})
       returning line, record, $1 as field, s.${column} as value, $2 as reason`,
      [name, `is that of another ${singularOf(kind)}${name === fileFormat.otherKey ? `: --key ${name} finds it` : ''}`],
    );
  }
  return rejected;
};

/** SQL for where a staged row is, as in a message. */
const placeIn = (row: string): string =>
  `format(case when ${row}.record is null then 'line %s' else 'record %2$s' end, ${row}.line, ${row}.record)`;

/** Of rows with the same key, the last is imported; none, where they are parts of one row. Those that are rejected count alone there. */
export const rejectRepeated = async (context: ImportContext): Promise<void> => {
  const { kind, fileFormat } = context;
  const others = (condition: string) =>
    `from ${STAGE} other where ${identityOf(kind).isSame} and other.ordinal ${condition}`;
  const rejectWith = (condition: string, reason: string): Promise<number> =>
    reject(
      context,
      `delete from ${STAGE} s where not is_rejected and exists (select ${others(condition)})
       returning line, record, $1 as field, ${columnIn(kind, kind.key)}::text as value,
         format($2, (select ${placeIn('other')} ${others(condition)} order by other.ordinal desc limit 1)) as reason`,
      [kind.key, reason],
    );
  if (fileFormat.standTogether)
    await rejectWith('<> s.ordinal', 'has more rows elsewhere, in %s: put all its rows together');
  // Rows that were staged only because their keys count. They were reported when they were staged.
  await context.client.query(`delete from ${STAGE} where is_rejected`);
  await rejectWith('> s.ordinal', 'is repeated in %s, which is imported instead: remove one of the two');
};

/** A new row needs all required fields; an existing one may be given a few fields only. */
export const rejectIncomplete = (context: ImportContext): Promise<number> => {
  const { kind } = context;
  const required = Object.keys(kind.fields).filter((name) => kind.fields[name]?.isRequired);
  return reject(
    context,
    `with removed as (
       delete from ${STAGE} where target_id is null and not present @> $1
       returning ordinal, line, record, present, ${columnIn(kind, kind.key)} as key)
     select line, record, field, '' as value, format('is missing, and the ${singularOf(kind)} "%s" is new', key) as reason
     from removed join unnest($1::text[]) with ordinality required (field, rank) on field <> all (present)
     order by ordinal, rank`,
    [required],
  );
};
