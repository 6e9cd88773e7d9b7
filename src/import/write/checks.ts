import type { ClientBase } from 'pg';
import { categoryFieldOf, columnIn, type ImportKind, isCategoryKind, singularOf } from '../kind.ts';
import { type Fault, type Place, placeOf } from '../record.ts';
import { MAY_BE_CUT } from '../source/text.ts';
import { STAGE, type Writer } from './stage.ts';

/** Each check removes the rows from the staging table that fail it, and reports them. */
export interface CheckContext {
  readonly client: ClientBase;
  readonly kind: ImportKind;
  readonly columnOf: (field: string) => string;
  readonly onFault: (fault: Fault) => void;
}

/** What a statement that deletes staged rows returns of each. */
interface Rejected extends Place {
  /** The field at fault, if it is one. */
  readonly field: string | null;
  readonly value: string | null;
  readonly reason: string;
}

/** Why the database refuses a staged row. */
export interface Refused extends Pick<Rejected, 'field' | 'value' | 'reason'> {
  readonly ordinal: number;
}

/** @param sql deletes staged rows, and returns them as {@link Rejected} @returns how many */
export const reject = async (
  { client, columnOf, onFault }: CheckContext,
  sql: string,
  values: unknown[],
): Promise<number> => {
  const { rows } = await client.query<Rejected>(sql, values);
  for (const { field, value, reason, ...place } of rows) {
    onFault({ ...placeOf(place), column: field ? columnOf(field) : undefined, value: value ?? undefined, reason });
  }
  return rows.length;
};

/** SQL for the columns of {@link Refused}; its parameter is a JSON text of several. */
export const REFUSED = 'json_to_recordset($1) refused (ordinal int, field text, value text, reason text)';

/** Removes rows that the database refuses. */
export const rejectRefused = (context: CheckContext, refused: readonly Refused[]): Promise<number> =>
  reject(
    context,
    `delete from ${STAGE} s using ${REFUSED} where refused.ordinal = s.ordinal returning line, record, field, value, reason`,
    [JSON.stringify(refused)],
  );

/** SQL for where a staged row is, as in a message. */
const placeIn = (row: string): string =>
  `format(case when ${row}.record is null then 'line %s' else 'record %2$s' end, ${row}.line, ${row}.record)`;

/** What can be said of the rows of every kind. */
export const rejectRows = async (context: CheckContext): Promise<void> => {
  await rejectRepeated(context);
  await rejectIncomplete(context);
  if (context.kind.categoryColumn && !isCategoryKind(context.kind)) await rejectUnknownCategories(context);
};

/** Of rows with the same key, the last is imported. */
const rejectRepeated = (context: CheckContext): Promise<number> => {
  const { key, identity } = context.kind;
  const later = `from ${STAGE} other where ${identity?.isSame ?? 'other.slug = s.slug'} and other.ordinal > s.ordinal`;
  return reject(
    context,
    `delete from ${STAGE} s where exists (select ${later})
     returning line, record, $1 as field, ${columnIn(context.kind, key)}::text as value,
       format('is repeated in %s, which is imported instead: remove one of the two',
         (select ${placeIn('other')} ${later} order by other.ordinal desc limit 1)) as reason`,
    [key],
  );
};

/** A new row needs all required fields; an existing one may be given a few fields only. */
const rejectIncomplete = (context: CheckContext): Promise<number> => {
  const { kind } = context;
  const { whyUnknown } = kind.identity ?? {};
  if (whyUnknown) {
    return reject(
      context,
      `delete from ${STAGE} where target_id is null
       returning line, record, $1 as field, ${kind.key}::text as value, $2 as reason`,
      [kind.key, whyUnknown],
    );
  }
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

/** A category that is named by slug alone must exist in the catalogue or, for a category's parent, in the file. */
export const rejectUnknownCategories = (context: CheckContext): Promise<number> => {
  const { kind } = context;
  const isStaged = isCategoryKind(kind) ? `or exists (select from ${STAGE} other where other.slug = step ->> 0)` : '';
  return reject(
    context,
    `with missing as (
       select distinct on (ordinal) ordinal, step ->> 0 as slug
       from ${STAGE} cross join jsonb_array_elements(category_path) step
       where step ->> 1 is null
         and not (exists (select from category c where c.slug = step ->> 0) ${isStaged}))
     delete from ${STAGE} s using missing where s.ordinal = missing.ordinal
     returning s.line, s.record, $1 as field, missing.slug as value, 'is the slug of no category: import the category first' as reason`,
    [categoryFieldOf(kind)],
  );
};

/**
 * Where the records of a product stand apart, or continue one without its first record, none of them is imported: either part would replace
 * what the other says.
 */
export const rejectSeparated = (context: CheckContext): Promise<number> => {
  const { table } = context.kind;
  return reject(
    context,
    `with separated as (
       select slug from ${STAGE} where slug in (select slug from ${STAGE} where mark in ('together', 'unterminated'))
       group by slug having count(*) > 1
       union select slug from ${STAGE} where mark = 'continuation'),
     removed as (
       delete from ${STAGE} s using separated where separated.slug = s.slug
       returning s.*, (
         select ${placeIn('o')} from ${STAGE} o where o.slug = s.slug and o.ordinal <> s.ordinal
         order by o.mark is distinct from 'continuation', o.ordinal limit 1) as other)
     select line, record, case mark when 'continuation' then 'name' else 'slug' end as field,
       case mark when 'continuation' then '' else slug end as value,
       case
         when mark is distinct from 'continuation'
           then format('has more rows elsewhere, in %s: put all its rows together', other)
         when target_id is not null then format('is missing: put this row below the first row of "%s"', slug)
         else format('is missing, and the ${table} "%s" is new', slug)
       end as reason
     from removed where mark is distinct from 'rejected'`,
    [],
  );
};

/**
 * Where the file may be cut inside the last product, it must not change an existing one. A new product, or one without a change, suggests that
 * only the last line end is missing.
 */
export const rejectUnterminated = (context: CheckContext, writers: readonly (Writer | undefined)[]): Promise<number> =>
  reject(
    context,
    `delete from ${STAGE} s where mark = 'unterminated' and ordinal in (${writers.flatMap((each) => each?.differing ?? []).join(' union ')})
     returning line, record, 'slug' as field, slug as value,
       'is not changed, because the last line of the file has no line end${MAY_BE_CUT}. If it is complete, add a line end' as reason`,
    [],
  );
