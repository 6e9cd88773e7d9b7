import type { ClientBase } from 'pg';
import type { Field } from '../fields.ts';
import { givenBit, type Identity, type ImportKind, isReference, isTree } from '../kind.ts';
import type { Fault } from '../record.ts';
import { MAY_BE_CUT } from '../source/source.ts';
import { type Mark, STAGE } from './stage.ts';

/** Ordinals of staged rows, both ends included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

interface Screen {
  readonly client: ClientBase;
  readonly kind: ImportKind;
  readonly columnOf: (field: string) => string;
  readonly onFault: (fault: Fault) => void;
}

/** Takes rows out of the stage that stand there again, further down. */
export const dropRepeated = async ({ client, kind, columnOf, onFault }: Screen, { from, to }: Range): Promise<void> => {
  const again = `from ${STAGE} other where ${kind.identity?.isSame ?? 'other.slug = s.slug'} and other.ordinal > s.ordinal`;
  const { rows } = await client.query<{ line: string; value: string; again: string }>(
    `delete from ${STAGE} s where s.ordinal between $1 and $2 and exists (select ${again})
     returning line, ${kind.key} as value, (select max(other.line) ${again}) as again`,
    [from, to],
  );
  for (const { line, value, again: last } of rows) {
    onFault({
      line: Number(line),
      column: columnOf(kind.key),
      value,
      reason: `stands again in line ${last}, which is taken`,
    });
  }
};

/**
 * Takes rows out of the stage that are some of a thing's rows without the one that begins it, and with them the thing itself where it stands
 * elsewhere in the file: written, either would replace what the other says.
 */
export const dropHeadless = async ({ client, kind, columnOf, onFault }: Screen): Promise<void> => {
  const { rows } = await client.query<{ line: string; slug: string; mark: Mark | null; other: string; isNew: boolean }>(
    `with headless as (select slug, min(line) as line from ${STAGE} where mark = 'headless' group by slug)
     delete from ${STAGE} s using headless where headless.slug = s.slug
     returning s.line, s.slug, s.mark, headless.line as other,
       not exists (select from ${kind.table} t where t.slug = s.slug) as "isNew"`,
  );
  for (const { line, slug, mark, other, isNew } of rows) {
    if (mark === 'rejected') continue;
    const fault =
      mark === 'headless'
        ? {
            column: columnOf('name'),
            value: '',
            reason: isNew
              ? `is missing, and the ${kind.table} "${slug}" is new`
              : `is missing: the row that begins "${slug}" is not before this one`,
          }
        : {
            column: columnOf('slug'),
            value: slug,
            reason: `has more rows elsewhere, in line ${other}: they must stand together`,
          };
    onFault({ line: Number(line), ...fault });
  }
};

/** Takes rows out of the stage that were only kept for their slugs. */
export const dropRejected = async ({ client }: Screen): Promise<void> => {
  await client.query(`delete from ${STAGE} where mark = 'rejected'`);
};

/**
 * Takes a product out of the stage whose last row may be cut, where it would change one that is there. A new one, and one that says nothing new,
 * shows that the file is whole but for its last line end, as far as can be told.
 */
export const dropUnterminated = async (
  { client, columnOf, onFault }: Screen,
  { differing }: Statements,
): Promise<void> => {
  const { rows } = await client.query<{ line: string; slug: string }>(
    `delete from ${STAGE} s where mark = 'unterminated' and ordinal in (${differing}) returning line, slug`,
  );
  for (const { line, slug } of rows) {
    const reason = `is not changed, because the last line of the file has no line end${MAY_BE_CUT}. Add one if it is whole`;
    onFault({ line: Number(line), column: columnOf('slug'), value: slug, reason });
  }
};

/** Finds which rows of a kind without slugs are there already. */
export const findIdentified = async (client: ClientBase, kind: ImportKind, identity: Identity): Promise<void> => {
  const isFound = identity.isFound((field) => `(s.given & ${givenBit(kind, field)} <> 0)`);
  await client.query(`
    update ${STAGE} s set target_id = found.id
    from (
      select distinct on (s.ordinal) s.ordinal, t.id from ${STAGE} s join ${kind.table} t on ${isFound}
      order by s.ordinal, ${identity.order}) found
    where found.ordinal = s.ordinal`);
};

/** Takes new rows out of the stage that lack what a row cannot do without. A row that is in the table already may name a few fields only. */
export const dropIncomplete = async (
  { client, kind, columnOf, onFault }: Screen,
  { from, to }: Range,
): Promise<void> => {
  const required = Object.entries(kind.fields).flatMap(([name, { isRequired }]) =>
    isRequired ? [{ name, bit: givenBit(kind, name) }] : [],
  );
  const all = required.reduce((sum, { bit }) => sum + bit, 0);
  const { rows } = await client.query<{ line: string; given: number; key: string }>(
    `delete from ${STAGE} s
     where s.ordinal between $1 and $2 and s.given & ${all} <> ${all}
       and not exists (select from ${kind.table} t where ${matchOf(kind)})
     returning line, given, ${kind.key} as key`,
    [from, to],
  );
  for (const { line, given, key } of rows) {
    const missing = required.filter(({ bit }) => !(given & bit));
    for (const { name } of missing) {
      onFault({
        line: Number(line),
        column: columnOf(name),
        value: '',
        reason: `is missing, and the ${kind.table} "${key}" is new`,
      });
    }
  }
};

/** Takes rows out of the stage that name a category by its slug which does not exist. @returns how many */
export const dropHomeless = async (
  { client, kind, columnOf, onFault }: Screen,
  { from, to }: Range,
): Promise<number> => {
  const inStage = isTree(kind) ? `and not exists (select from ${STAGE} other where other.slug = step ->> 0)` : '';
  const { rows } = await client.query<{ line: string; slug: string }>(
    `with missing as (
       select distinct on (ordinal) ordinal, step ->> 0 as slug
       from ${STAGE} cross join jsonb_array_elements(category_path) step
       where ordinal between $1 and $2 and step ->> 1 is null
         and not exists (select from category c where c.slug = step ->> 0) ${inStage})
     delete from ${STAGE} s using missing where s.ordinal = missing.ordinal
     returning s.line, missing.slug`,
    [from, to],
  );
  const [field = ''] = Object.entries(kind.fields).find(([, each]) => isReference(each)) ?? [];
  const column = columnOf(field);
  for (const { line, slug } of rows) {
    onFault({ line: Number(line), column, value: slug, reason: 'is the slug of no category' });
  }
  return rows.length;
};

/** What brings staged rows `between $1 and $2` (their ordinals) into their table. Each answers one row `{ count }`. */
export interface Statements {
  /** Rows that the table does not have. */
  readonly insert: string;
  /** Rows that it has otherwise; a row that is the same is not touched. */
  readonly update: string;
  /** Selects the ordinals of staged rows that the table has otherwise, before anything is written. */
  readonly differing: string;
}

/** The slug that a path ends with. */
const LAST_SLUG = `(s.category_path -> -1 ->> 0)`;

/** Which row of the table a staged one is. */
const matchOf = ({ identity }: ImportKind): string => (identity ? 't.id = s.target_id' : 't.slug = s.slug');

/** The table's own defaults, which a row gets that the file does not speak of. */
const readDefaults = async (client: ClientBase, { table }: ImportKind): Promise<Map<string, string>> => {
  const { rows } = await client.query<{ column: string; expression: string }>(
    `select attname as column, pg_get_expr(adbin, adrelid) as expression
     from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum where adrelid = $1::regclass`,
    [table],
  );
  return new Map(rows.map(({ column, expression }) => [column, expression]));
};

export const createStatements = async (client: ClientBase, kind: ImportKind): Promise<Statements> => {
  const { table, categoryColumn = '' } = kind;
  const isMatch = matchOf(kind);
  const defaults = await readDefaults(client, kind);
  const fields = Object.values(kind.fields);
  const target = (field: Field): string => (isReference(field) ? categoryColumn : field.column);
  const staged = (field: Field): string => (isReference(field) ? 'reference.id' : `s.${field.column}`);
  const isGiven = (field: Field): string => `s.given & ${2 ** fields.indexOf(field)} <> 0`;
  const otherwise = (field: Field, value: string): string =>
    `case when ${isGiven(field)} then ${staged(field)} else ${value} end`;

  const source = categoryColumn
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

  const differs = `(${keptOrNew.map(([kept]) => kept).join(', ')}) is distinct from
              (${keptOrNew.map(([, value]) => value).join(', ')})`;

  return {
    differing: `select s.ordinal from ${table} t, ${source} where ${isMatch} and ${differs}`,
    insert: `
      with done as (
        insert into ${table} as t (${fields.map(target).join(', ')})
        select ${fields.map((field) => otherwise(field, defaults.get(field.column) ?? 'null')).join(', ')}
        from ${source}
        where s.ordinal between $1 and $2 and not exists (select from ${table} t where ${isMatch})
        order by s.ordinal
        on conflict do nothing
        returning t.id${isTree(kind) ? ', t.slug' : ''})
      ${isTree(kind) ? `, marked as (update ${STAGE} s set is_new = true from done where s.slug = done.slug)` : ''}
      select count(*)::int as count from done`,
    update: `
      with done as (
        update ${table} t
        set ${updatable.map((field) => `${target(field)} = ${otherwise(field, `t.${target(field)}`)}`).join(', ')},
            updated_at = ${updatedAt ? otherwise(updatedAt, 'now()') : 'now()'}
        from ${source}
        where s.ordinal between $1 and $2 and ${isMatch}
          and ${differs}
        returning s.is_new)
      select (count(*) filter (where not is_new))::int as count from done`,
  };
};
