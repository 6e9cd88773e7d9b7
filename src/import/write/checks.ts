import { columnIn, identityOf, type Refused, singularOf, type WriteContext } from '../kind.ts';
import { type Place, placeOf } from '../record.ts';
import { isPresent, STAGE } from './stage.ts';
import { uniqueFieldsOf } from './writer.ts';

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

/** Removes rows that the database refuses. */
export const rejectRefused = (context: CheckContext, refused: readonly Refused[]): Promise<number> =>
  reject(
    context,
    `delete from ${STAGE} s using json_to_recordset($1) refused (ordinal int, field text, value text, reason text)
     where refused.ordinal = s.ordinal returning line, record, field, value, reason`,
    [JSON.stringify(refused)],
  );

/** Rejects rows that would get a value of which there is one, and which a row of the catalogue keeps, until none is left. */
export const rejectTaken = async (context: CheckContext & Pick<WriteContext, 'keys'>): Promise<number> => {
  const { kind, keys } = context;
  let rejected = 0;
  for (const [name, { column }] of uniqueFieldsOf(kind)) {
    const other = keys.some((key) => key === name && key in (kind.foundBy ?? {}));
    rejected += await reject(
      context,
      `delete from ${STAGE} s using ${kind.table} t
       where t.${column} = s.${column} and t.id is distinct from s.target_id and ${isPresent(name)}
         and not exists (select from ${STAGE} o where o.target_id = t.id and '${name}' = any (o.present) and o.${column} is distinct from t.${column})
       returning line, record, $1 as field, s.${column} as value, $2 as reason`,
      [name, `is that of another ${singularOf(kind)}${other ? `: --key ${name} finds it` : ''}`],
    );
  }
  return rejected === 0 ? 0 : rejected + (await rejectTaken(context));
};

/** SQL for where a staged row is, as in a message. */
const placeIn = (row: string): string =>
  `format(case when ${row}.record is null then 'line %s' else 'record %2$s' end, ${row}.line, ${row}.record)`;

/** Of rows with the same key, the last is imported; none, where they are parts of one row. Those that are rejected count alone there. */
export const rejectRepeated = async (context: CheckContext & Pick<WriteContext, 'standTogether'>): Promise<void> => {
  const { kind, standTogether } = context;
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
  if (standTogether) await rejectWith('<> s.ordinal', 'has more rows elsewhere, in %s: put all its rows together');
  // Rows that were staged only because their keys count. They were reported when they were staged.
  await context.client.query(`delete from ${STAGE} where is_rejected`);
  await rejectWith('> s.ordinal', 'is repeated in %s, which is imported instead: remove one of the two');
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
