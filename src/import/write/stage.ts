import type { ClientBase } from 'pg';
import { oneRow } from '../../database/client.ts';
import type { ReadOptions } from '../fields/values.ts';
import { columnIn, type Field, type ImportKind, isCategoryKind, isCategoryReference } from '../kind.ts';
import type { Place } from '../record.ts';

/** The staging table of a file. It is temporary: gone with the session, and never written to the write-ahead log. */
export const STAGE = 'pg_temp.vitrine_import';

/** The variants of staged products. */
export const VARIANT_STAGE = 'pg_temp.vitrine_import_variants';

/** The columns of a staging table beside those of the fields. */
const OWN_COLUMNS = [
  // The number of the row in the file, from 1; of a variant that of its product.
  'ordinal int',
  // The place of a variant among those of its product, from 1.
  'place int',
  'line int',
  'record int',
  // The fields that the file has a value for, and those that only a new row takes.
  'present text[]',
  'if_new text[]',
  // Why the row may be incomplete; `rejected`: it is staged only because its slug is not free for others, and its product is in the file.
  'mark text',
  'slug_source text',
  // With `--key sku`, with what slugs of earlier versions ended.
  'slug_end text',
  // All variants of a product: their staged rows.
  'variants json',
  // What is found out about the row: which one of the table it is, once it is there, and of a variant the product.
  'target_id int',
  'owner_id int',
  'is_new boolean',
];

/** A row by the columns of its staging table, as JSON has them. */
export interface StagedRow extends Place {
  readonly present: string[];
  readonly if_new: string[];
  readonly option_names?: readonly string[];
  readonly option_values?: readonly string[];
  [column: string]: unknown;
}

/** Creates a staging table, which the caller drops. */
export const createStage = async (client: ClientBase, { fields }: ImportKind, stage = STAGE): Promise<void> => {
  const columns = [...OWN_COLUMNS, ...Object.values(fields).map(({ column, type }) => `${column} ${type}`)];
  await client.query(`create temporary table ${stage} (${columns.join(', ')})`);
};

export const insertIntoStage = async (client: ClientBase, rows: readonly StagedRow[]): Promise<void> => {
  const staged = `select * from json_populate_recordset(null::${STAGE}, $1)`;
  await client.query(`insert into ${STAGE} ${staged}`, [JSON.stringify(rows)]);
};

/** The staged variants of staged products, in a table of their own. */
export const unfoldVariants = async (client: ClientBase, kind: ImportKind): Promise<void> => {
  await createStage(client, kind, VARIANT_STAGE);
  await client.query(`
    insert into ${VARIANT_STAGE}
    select v.* from ${STAGE} s cross join json_populate_recordset(null::${VARIANT_STAGE}, s.variants) v;
    create index on ${VARIANT_STAGE} (ordinal)`);
};

/** Once all rows are staged. */
export const indexStage = async (client: ClientBase, kind: ImportKind): Promise<void> => {
  for (const column of ['ordinal', columnIn(kind, kind.key)])
    await client.query(`create index on ${STAGE} (${column})`);
  await client.query(`analyze ${STAGE}`);
};

/** The condition that the file has a value for a field of the staged row `s`. */
export const isPresent = (field: string): string => `'${field}' = any (s.present)`;

/** Staged rows by their ordinals, both ends included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** How many rows were written. */
export interface Written {
  created: number;
  changed: number;
  unchanged: number;
}

/** Writes staged rows into their table. */
export interface Writer {
  /**
   * Inserts the rows of a range that the table does not have, and updates those that differ in it; equal rows are not touched.
   * @param between is done after the insert
   */
  readonly write: (range: Range, between?: () => Promise<void>) => Promise<Written>;
  /** Selects the ordinals of all staged rows that differ in the table. */
  readonly differing: string;
}

/** Gives new products the values that only they take, and takes the paths among those from the others, because each staged path is created. */
export const settleNewFields = async (client: ClientBase): Promise<void> => {
  await client.query(`update ${STAGE} set present = present || if_new where if_new <> '{}' and target_id is null`);
  const ofNewOnly = `'category' = any (if_new)`;
  await client.query(`update ${STAGE} set category_path = null where ${ofNewOnly} and target_id is not null`);
};

export const createWriter = async (
  client: ClientBase,
  kind: ImportKind,
  options: ReadOptions,
  stage = STAGE,
): Promise<Writer> => {
  const { table, categoryColumn = '' } = kind;
  const defaults = await readDefaults(client, kind);
  const target = (field: Field): string => (isCategoryReference(field) ? categoryColumn : field.column);
  const staged = (field: Field): string => (isCategoryReference(field) ? 'reference.id' : `s.${field.column}`);
  const source = categoryColumn
    ? `${stage} s left join category reference on reference.slug = s.category_path -> -1 ->> 0`
    : `${stage} s`;

  const old = (field: Field): string => `t.${target(field)}`;
  const preset = ({ column, assumed }: Field): string => assumed?.(options) ?? defaults.get(column) ?? 'null';

  const kept = (field: Field, name: string): string =>
    field.keep === undefined
      ? old(field)
      : `case when '${name}' = any (s.if_new) then ${field.keep} else ${old(field)} end`;

  const written = Object.entries(kind.fields).filter(([, { isKeyOnly }]) => !isKeyOnly);
  const fields = written.map(([name, field]) => {
    const stagedOr = (otherwise: (field: Field, name: string) => string, current = old): string => {
      const choice = (name: string, field: Field): string =>
        `case when ${isPresent(name)} then ${field.merge?.(staged(field), current(field)) ?? staged(field)} else ${otherwise(field, name)} end`;
      const value = choice(name, field);
      const { mustExceed = '' } = field;
      const lower = kind.fields[mustExceed];
      if (!lower) return value;
      // A file with neither of the two changes neither.
      const isChanged = `(${isPresent(name)} or ${isPresent(mustExceed)})`;
      return `case when not ${isChanged} or ${value} > ${choice(mustExceed, lower)} then ${value} end`;
    };
    // The API returns times in milliseconds, so a row that comes back from there is equal.
    const compared = (sql: string): string =>
      field.type === 'timestamptz' ? `date_trunc('milliseconds', ${sql})` : sql;
    const unlessOfVariants = (value: string): string =>
      field.isOfVariants
        ? `case when exists (select from product_variant v where v.product_id = t.id) then ${old(field)} else ${value} end`
        : value;
    return {
      ...field,
      target: target(field),
      inserted: stagedOr(preset, () => 'null'),
      updated: unlessOfVariants(stagedOr(field.column === 'updated_at' ? () => 'now()' : kept)),
      comparedOld: compared(old(field)),
      comparedNew: compared(unlessOfVariants(stagedOr(kept))),
    };
  });
  const updatable = fields.filter(({ isInsertOnly }) => !isInsertOnly);
  const differs = `(${updatable.map(({ comparedOld }) => comparedOld).join(', ')}) is distinct from
              (${updatable.map(({ comparedNew }) => comparedNew).join(', ')})`;

  // Another writer may have deleted the row that was found.
  const isNew = `s.ordinal between $1 and $2 and not exists (select from ${table} t where t.id = s.target_id)`;
  const insert = `
    with done as (
      insert into ${table} as t (${fields.map((field) => field.target).join(', ')})
      select ${fields.map(({ inserted }) => inserted).join(', ')}
      from ${source}
      where ${isNew}
      order by s.ordinal, s.place
      ${isCategoryKind(kind) ? 'on conflict (slug) do nothing' : ''}
      returning t.*)
    ${'slug' in kind.fields ? `, marked as (update ${STAGE} s set target_id = done.id, is_new = true from done where s.slug = done.slug and ${isNew})` : ''}
    select count(*)::int as count from done`;
  const update = `
    with done as (
      update ${table} t set ${updatable.map((field) => `${field.target} = ${field.updated}`).join(', ')}
      from ${source}
      where s.ordinal between $1 and $2 and t.id = s.target_id and ${differs}
      returning s.is_new)
    select (count(*) filter (where is_new is not true))::int as count from done`;
  const count = async (sql: string, { from, to }: Range): Promise<number> =>
    (await oneRow<{ count: number }>(client, sql, [from, to])).count;

  return {
    write: async (range, between) => {
      const created = await count(insert, range);
      await between?.();
      const changed = await count(update, range);
      const staged = await count(`select count(*)::int as count from ${stage} where ordinal between $1 and $2`, range);
      return { created, changed, unchanged: Math.max(0, staged - created - changed) };
    },
    differing: `select s.ordinal from ${table} t, ${source} where t.id = s.target_id and ${differs}`,
  };
};

/** The table's own defaults, for fields that a new row's file does not have. */
const readDefaults = async (client: ClientBase, { table }: ImportKind): Promise<Map<string, string>> => {
  const { rows } = await client.query<{ column: string; expression: string }>(
    `select attname as column, pg_get_expr(adbin, adrelid) as expression
     from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum where adrelid = $1::regclass`,
    [table],
  );
  return new Map(rows.map(({ column, expression }) => [column, expression]));
};

/** Finds the existing rows of a kind, and notes their ids in the staging table. */
export const findExisting = async (client: ClientBase, kind: ImportKind): Promise<void> => {
  const isFound = kind.identity?.isFound?.(isPresent) ?? 't.slug = s.slug';
  await client.query(`
    update ${STAGE} s set target_id = found.id
    from (
      select distinct on (s.ordinal) s.ordinal, t.id from ${STAGE} s join ${kind.table} t on ${isFound}
      order by s.ordinal, ${kind.identity?.order ?? 't.id'}) found
    where found.ordinal = s.ordinal`);
};
