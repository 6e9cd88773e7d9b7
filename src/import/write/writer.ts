import type { ClientBase } from 'pg';
import { oneRow } from '../../database/connection.ts';
import type { Field, ImportContext, ImportKind, Range, Written } from '../kind.ts';
import { isPresent, STAGE, uniqueFieldsOf } from './stage.ts';

/** Writes the rows of a staging table into the table of their kind. */
export interface TableWriter {
  /**
   * Before the first range: takes values that no two rows may have from rows that get another, where a row of the file gets theirs, at whatever
   * place of the file, also in a circle.
   */
  readonly begin: () => Promise<void>;
  /** Inserts the rows of a range that the table does not have, and updates those that differ there; equal ones are not touched. */
  readonly write: (range: Range, counts: Written) => Promise<void>;
}

/** @param kind that of the rows in the stage */
export const createTableWriter = async (
  context: ImportContext,
  kind = context.kind,
  stage = STAGE,
): Promise<TableWriter> => {
  const { client } = context;
  const { table, isRow = 't.id = s.target_id' } = kind;
  const defaults = await readDefaults(client, kind);
  const columns = columnsOf(kind, ({ column, assumed }) => assumed?.(context) ?? defaults.get(column) ?? 'null');
  const updatable = columns.filter(({ isInsertOnly }) => !isInsertOnly);
  // Another writer may have deleted the row that was found.
  const isNew = `s.ordinal between $1 and $2 and not exists (select from ${table} t where ${isRow})`;
  const insert = `
    with done as (
      insert into ${table} as t (${columns.map(({ target }) => target).join(', ')})
      select ${columns.map(({ inserted }) => inserted).join(', ')}
      from ${stage} s
      where ${isNew}
      order by s.ordinal, s.place
      ${kind.onConflict ?? ''}
      returning t.*)
    ${'slug' in kind.fields ? `, marked as (update ${stage} s set target_id = done.id, is_new = true from done where s.slug = done.slug and ${isNew})` : ''}
    select count(*)::int as created from done`;
  const update = `
    with done as (
      update ${table} t set ${updatable.map(({ target, updated }) => `${target} = ${updated}`).join(', ')}
      from ${stage} s
      where s.ordinal between $1 and $2 and s.is_new is null and ${isRow} and (${updatable.map(({ differs }) => differs).join(' or ')})
      returning 1)
    select count(*)::int as changed, (select count(*)::int from ${stage} where ordinal between $1 and $2) as staged from done`;
  return {
    begin: () => freeValues(client, kind, stage),
    write: async ({ from, to }, counts) => {
      const { created } = await oneRow<{ created: number }>(client, insert, [from, to]);
      const { changed, staged } = await oneRow<{ changed: number; staged: number }>(client, update, [from, to]);
      counts.created += created;
      counts.changed += changed;
      counts.unchanged += Math.max(0, staged - created - changed);
    },
  };
};

interface WrittenColumn extends Pick<Field, 'isInsertOnly'> {
  /** The column of the table. */
  readonly target: string;
  /** SQL for the value of a new row, and of an existing one. */
  readonly inserted: string;
  readonly updated: string;
  /** SQL for whether the existing row has to be updated. */
  readonly differs: string;
}

/** @param preset SQL for the value of a new row whose file has none */
const columnsOf = (kind: ImportKind, preset: (field: Field) => string): WrittenColumn[] => {
  const target = ({ reference, column }: Field): string => reference?.column ?? column;
  const old = (field: Field): string => `t.${target(field)}`;

  /** What the file says of a field, or else. */
  const choice = (name: string, field: Field, current: string, cleared: string, otherwise: string): string => {
    const staged = field.reference?.id ?? `s.${field.column}`;
    const merged = field.merge?.(staged, current) ?? staged;
    const isClearable = !(field.isNullable || field.isRequired || field.keepsIfBlank);
    const said = isClearable ? `case when ${staged} is null then ${cleared} else ${merged} end` : merged;
    return `case when ${isPresent(name)} then ${said} else ${otherwise} end`;
  };
  const inserted = (name: string, field: Field): string => choice(name, field, 'null', preset(field), preset(field));
  const updated = (name: string, field: Field, otherwise = old(field)): string =>
    choice(name, field, old(field), field.cleared ?? preset(field), otherwise);

  /** A value that does not exceed that of another field is none. A file with neither of the two changes neither. */
  const bounded = (name: string, { mustExceed = '' }: Field, of: (name: string, field: Field) => string): string => {
    const [field, lower] = [kind.fields[name] as Field, kind.fields[mustExceed]];
    const value = of(name, field);
    if (!lower) return value;
    const isChanged = `(${isPresent(name)} or ${isPresent(mustExceed)})`;
    return `case when not ${isChanged} or ${value} > ${of(mustExceed, lower)} then ${value} end`;
  };
  const unlessDerived = (field: Field, value: string): string =>
    field.derivedIf ? `case when ${field.derivedIf} then ${old(field)} else ${value} end` : value;
  // The API returns times in milliseconds, so a row that comes back from there is equal.
  const compared = (field: Field, sql: string): string =>
    field.type === 'timestamptz' ? `date_trunc('milliseconds', ${sql})` : sql;

  const written = Object.entries(kind.fields).filter(([, { isKeyOnly }]) => !isKeyOnly);
  return written.map(([name, field]) => {
    const value = unlessDerived(field, bounded(name, field, updated));
    return {
      isInsertOnly: field.isInsertOnly ?? false,
      target: target(field),
      inserted: bounded(name, field, inserted),
      updated: field.column === 'updated_at' ? updated(name, field, 'now()') : value,
      differs: `${compared(field, old(field))} is distinct from ${compared(field, value)}`,
    };
  });
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

const freeValues = async (client: ClientBase, kind: ImportKind, stage: string): Promise<void> => {
  for (const [name, { column }] of uniqueFieldsOf(kind)) {
    const said = await client.query(`select from ${stage} s where ${isPresent(name)} limit 1`);
    if (said.rowCount === 0) continue;
    // Ids were found after the rows were staged: without figures of them the planner would compare each row with each.
    await client.query(`analyze ${stage} (target_id, ${column})`);
    const { rows } = await client.query<{ id: number }>(
      `select distinct t.id from ${kind.table} t join ${stage} s on s.target_id = t.id join ${stage} o on o.${column} = t.${column}
       where ${isPresent(name)} and s.${column} is distinct from t.${column} and o.target_id is distinct from t.id`,
    );
    if (rows.length === 0) continue;
    // A stopgap that nobody sees: the transaction gives the row its own.
    const ids = rows.map(({ id }) => id);
    await client.query(`update ${kind.table} set ${column} = gen_random_uuid()::text where id = any ($1)`, [ids]);
  }
};
