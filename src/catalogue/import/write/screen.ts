import type { ClientBase } from 'pg';
import { FIELDS, KEY_FIELD, type Kind } from '../fields/kinds.ts';
import type { Fault } from '../value.ts';
import { givenBit } from './encode.ts';
import { STAGE } from './stage.ts';
import { MATCH } from './statements.ts';

/** Ordinals of staged rows, both ends included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

interface Screen {
  readonly client: ClientBase;
  readonly kind: Kind;
  readonly columnOf: (field: string) => string;
  readonly onFault: (fault: Fault) => void;
}

const SAME_KEY: Readonly<Record<Kind, string>> = {
  product: 'other.slug = s.slug',
  category: 'other.slug = s.slug',
  notice: 'other.title = s.title and other.starts_at is not distinct from s.starts_at',
};

const keyOf = (kind: Kind): string => KEY_FIELD[kind];

/** Takes rows out of the stage that stand there again, further down. */
export const dropRepeated = async ({ client, kind, columnOf, onFault }: Screen, { from, to }: Range): Promise<void> => {
  const again = `from ${STAGE} other where ${SAME_KEY[kind]} and other.ordinal > s.ordinal`;
  const { rows } = await client.query<{ line: string; value: string; again: string }>(
    `delete from ${STAGE} s where s.ordinal between $1 and $2 and exists (select ${again})
     returning line, ${keyOf(kind)} as value, (select max(other.line) ${again}) as again`,
    [from, to],
  );
  for (const { line, value, again: last } of rows) {
    onFault({
      line: Number(line),
      column: columnOf(keyOf(kind)),
      value,
      reason: `stands again in line ${last}, which is taken`,
    });
  }
};

/** Finds which notices are there already: of the same title, and of the same start where the file has one (to the API's millisecond). */
export const findNotices = async (client: ClientBase): Promise<void> => {
  const startsAt = givenBit(Object.keys(FIELDS.notice).indexOf('startsAt'));
  await client.query(`
    update ${STAGE} s set target_id = found.id
    from (
      select distinct on (s.ordinal) s.ordinal, t.id from ${STAGE} s join notice t on t.title = s.title
      where s.given & ${startsAt} = 0
         or date_trunc('milliseconds', t.starts_at) = date_trunc('milliseconds', s.starts_at)
      order by s.ordinal, t.starts_at desc, t.id desc) found
    where found.ordinal = s.ordinal`);
};

/** Takes new rows out of the stage that lack what a row cannot do without. A row that is in the table already may name a few fields only. */
export const dropIncomplete = async (
  { client, kind, columnOf, onFault }: Screen,
  { from, to }: Range,
): Promise<void> => {
  const required = Object.entries(FIELDS[kind]).flatMap(([name, { isRequired }], index) =>
    isRequired ? [{ name, bit: givenBit(index) }] : [],
  );
  const all = required.reduce((sum, { bit }) => sum + bit, 0);
  const { rows } = await client.query<{ line: string; given: number; key: string }>(
    `delete from ${STAGE} s
     where s.ordinal between $1 and $2 and s.given & ${all} <> ${all}
       and not exists (select from ${kind} t where ${MATCH[kind]})
     returning line, given, ${keyOf(kind)} as key`,
    [from, to],
  );
  for (const { line, given, key } of rows) {
    const missing = required.filter(({ bit }) => !(given & bit));
    for (const { name } of missing) {
      onFault({
        line: Number(line),
        column: columnOf(name),
        value: '',
        reason: `is missing, and the ${kind} "${key}" is new`,
      });
    }
  }
};

/** Takes rows out of the stage that name a category by its slug which does not exist. @returns how many */
export const dropHomeless = async (
  { client, kind, columnOf, onFault }: Screen,
  { from, to }: Range,
): Promise<number> => {
  const inStage =
    kind === 'category' ? `and not exists (select from ${STAGE} other where other.slug = step ->> 0)` : '';
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
  const column = columnOf(kind === 'category' ? 'parent' : 'category');
  for (const { line, slug } of rows) {
    onFault({ line: Number(line), column, value: slug, reason: 'is the slug of no category' });
  }
  return rows.length;
};
