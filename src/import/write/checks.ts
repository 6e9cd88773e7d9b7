import { columnIn, identityOf, type Refused, singularOf, type WriteContext } from '../kind.ts';
import { type Place, placeOf } from '../record.ts';
import { MAY_BE_CUT } from '../source/text.ts';
import { STAGE } from './stage.ts';

type CheckContext = Pick<WriteContext, 'client' | 'kind' | 'columnOf' | 'onFault'>;

/** What a statement that deletes staged rows returns of each. */
type Rejected = Place & Omit<Refused, 'ordinal'>;

/** @param sql deletes staged rows, and returns them as {@link Rejected} @returns how many */
export const reject = async (
  { client, columnOf, onFault }: CheckContext,
  sql: string,
  values: unknown[] = [],
): Promise<number> => {
  const { rows } = await client.query<Rejected>(sql, values);
  for (const { field, value, reason, ...place } of rows) {
    onFault({ ...placeOf(place), column: field ? columnOf(field) : undefined, value: value ?? undefined, reason });
  }
  return rows.length;
};

/** SQL for the columns of {@link Refused}; its parameter is a JSON text of several. */
export const REFUSED = 'json_to_recordset($1) refused (ordinal int, field text, value text, reason text)';

/** Removes rows that the database refuses. @param dependent SQL for the rows that need what a rejected row `r` then keeps */
export const rejectRefused = (
  context: CheckContext,
  refused: readonly Refused[],
  dependent: readonly string[],
): Promise<number> => {
  const also = `union select also.*, false from rejected r cross join lateral (${dependent.join(' union all ')}) also`;
  return reject(
    context,
    `with recursive rejected (ordinal, field, value, reason, is_refused) as (
       select ordinal, field, value, reason, true from ${REFUSED} ${dependent.length > 0 ? also : ''}),
     removed as (
       delete from ${STAGE} s using (select distinct on (ordinal) * from rejected order by ordinal, is_refused desc) r
       where r.ordinal = s.ordinal returning s.ordinal, line, record, r.field, r.value, r.reason, is_refused)
     select line, record, field, value, reason from removed order by is_refused desc, ordinal`,
    [JSON.stringify(refused)],
  );
};

/** SQL for where a staged row is, as in a message. */
const placeIn = (row: string): string =>
  `format(case when ${row}.record is null then 'line %s' else 'record %2$s' end, ${row}.line, ${row}.record)`;

/** Of rows with the same key, the last is imported. */
export const rejectRepeated = (context: CheckContext): Promise<number> => {
  const { key } = context.kind;
  const later = `from ${STAGE} other where ${identityOf(context.kind).isSame} and other.ordinal > s.ordinal`;
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
export const rejectIncomplete = (context: CheckContext): Promise<number> => {
  const { kind } = context;
  const { whyUnknown } = kind;
  if (whyUnknown) {
    return reject(
      context,
      `delete from ${STAGE} where target_id is null
       returning line, record, $1 as field, ${columnIn(kind, kind.key)}::text as value, $2 as reason`,
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

/**
 * Where the records of a row stand apart, or continue one without its first record, none of them is imported: either part would replace what the
 * other says.
 */
export const rejectSeparated = (context: CheckContext): Promise<number> =>
  reject(
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
         else format('is missing, and the ${singularOf(context.kind)} "%s" is new', slug)
       end as reason
     from removed where mark is distinct from 'rejected'`,
  );

/**
 * Where the file may be cut inside its last row, that must not change an existing one. A new row, or one without a change, suggests that only the
 * last line end is missing.
 * @param differing selects the ordinals of the rows that would be changed
 */
export const rejectUnterminated = (context: CheckContext, differing: string): Promise<number> =>
  reject(
    context,
    `delete from ${STAGE} s where mark = 'unterminated' and ordinal in (${differing})
     returning line, record, 'slug' as field, slug as value,
       'is not changed, because the last line of the file has no line end${MAY_BE_CUT}. If it is complete, add a line end' as reason`,
  );
