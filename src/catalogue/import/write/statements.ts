import type { ClientBase } from 'pg';
import type { Field } from '../fields/field.ts';
import { FIELDS, type Kind } from '../fields/kinds.ts';
import { givenBit } from './encode.ts';
import { STAGE } from './stage.ts';

/** What brings staged rows `between $1 and $2` (their ordinals) into their table. Each answers one row `{ count }`. */
export interface Statements {
  /** Rows that the table does not have. */
  readonly insert: string;
  /** Rows that it has otherwise; a row that is the same is not touched. */
  readonly update: string;
}

/** How a kind refers to a category: the column of its table. */
const REFERENCE: Readonly<Partial<Record<Kind, string>>> = { product: 'category_id', category: 'parent_id' };

/** The slug that a path ends with. */
const LAST_SLUG = `(s.category_path -> -1 ->> 0)`;

/** Which row of the table a staged one is. */
export const MATCH: Readonly<Record<Kind, string>> = {
  product: 't.slug = s.slug',
  category: 't.slug = s.slug',
  notice: 't.id = s.target_id',
};

/** The table's own defaults, which a row gets that the file does not speak of. */
const readDefaults = async (client: ClientBase, kind: Kind): Promise<Map<string, string>> => {
  const { rows } = await client.query<{ column: string; expression: string }>(
    `select attname as column, pg_get_expr(adbin, adrelid) as expression
     from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum where adrelid = $1::regclass`,
    [kind],
  );
  return new Map(rows.map(({ column, expression }) => [column, expression]));
};

export const createStatements = async (client: ClientBase, kind: Kind): Promise<Statements> => {
  const defaults = await readDefaults(client, kind);
  const fields = Object.values(FIELDS[kind]);
  const isReference = ({ column }: Field): boolean => column === 'category_path';
  const target = (field: Field): string => (isReference(field) ? (REFERENCE[kind] ?? '') : field.column);
  const staged = (field: Field): string => (isReference(field) ? 'reference.id' : `s.${field.column}`);
  const isGiven = (field: Field): string => `s.given & ${givenBit(fields.indexOf(field))} <> 0`;
  const otherwise = (field: Field, value: string): string =>
    `case when ${isGiven(field)} then ${staged(field)} else ${value} end`;

  const source = REFERENCE[kind]
    ? `${STAGE} s left join category reference on reference.slug = ${LAST_SLUG}`
    : `${STAGE} s`;
  const updatable = fields.filter(({ isInsertOnly, column }) => !isInsertOnly && column !== 'updated_at');
  const updatedAt = fields.find(({ column }) => column === 'updated_at');
  // The API tells moments to the millisecond: what comes back from there is the same.
  const compared = (field: Field, value: string): string =>
    field.type === 'timestamptz' ? `date_trunc('milliseconds', ${value})` : value;
  const keptOrNew = [...updatable, ...(updatedAt ? [updatedAt] : [])].map((field) => {
    const kept = `t.${target(field)}`;
    return [compared(field, kept), compared(field, otherwise(field, kept))] as const;
  });

  return {
    insert: `
      with done as (
        insert into ${kind} as t (${fields.map(target).join(', ')})
        select ${fields.map((field) => otherwise(field, defaults.get(field.column) ?? 'null')).join(', ')}
        from ${source}
        where s.ordinal between $1 and $2 and not exists (select from ${kind} t where ${MATCH[kind]})
        order by s.ordinal
        on conflict do nothing
        returning t.id${kind === 'category' ? ', t.slug' : ''})
      ${
        kind === 'category'
          ? `, marked as (update ${STAGE} s set is_new = true from done where s.slug = done.slug)`
          : ''
      }
      select count(*)::int as count from done`,
    update: `
      with done as (
        update ${kind} t
        set ${updatable.map((field) => `${target(field)} = ${otherwise(field, `t.${target(field)}`)}`).join(', ')},
            updated_at = ${updatedAt ? otherwise(updatedAt, 'now()') : 'now()'}
        from ${source}
        where s.ordinal between $1 and $2 and ${MATCH[kind]}
          and (${keptOrNew.map(([kept]) => kept).join(', ')}) is distinct from
              (${keptOrNew.map(([, value]) => value).join(', ')})
        returning s.is_new)
      select (count(*) filter (where not is_new))::int as count from done`,
  };
};
