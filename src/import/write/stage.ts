import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { CheckedRow } from '../fields/check.ts';
import { toArray } from '../fields/lists.ts';
import type { ImportKind } from '../kind.ts';

/** The staging table of a file. It is temporary: gone with the session, and never written to the write-ahead log. */
export const STAGE = 'pg_temp.vitrine_import';

/**
 * A staged row has its number in the file in `ordinal`, from 1, a bit for each field that the file has in `present_fields`, and for each that
 * only a new row takes in `new_fields`.
 */
const OWN_COLUMNS = [
  'ordinal int',
  'line int',
  'record int',
  'present_fields int',
  'new_fields int',
  'mark text',
  'slug_source text',
  'other_slugs text[]',
];

/**
 * Creates the staging table, which the caller drops, and copies rows into it.
 * @param rows rows as {@link toCopyRow} writes them; if reading one throws, nothing is copied
 */
export const copyIntoStage = async (
  client: ClientBase,
  kind: ImportKind,
  rows: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> => {
  const columns = [...OWN_COLUMNS, ...Object.values(kind.fields).map(({ column, type }) => `${column} ${type}`)];
  await client.query(`create temporary table vitrine_import (
    ${columns.join(', ')}, target_id int, is_new boolean not null default false)`);
  const names = columns.map((column) => column.split(' ', 1)[0]).join(', ');
  await pipeline(rows, client.query(copyFrom(`copy ${STAGE} (${names}) from stdin`)), { signal });
  await client.query(`create index on ${STAGE} (ordinal)`);
  await client.query(`create index on ${STAGE} (${kind.key})`);
  await client.query(`analyze ${STAGE}`);
};

/** The row in COPY's text format: https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2 */
export const toCopyRow = (kind: ImportKind, ordinal: number, row: CheckedRow): string => {
  const { line, record, presentFields, newFields, mark, slugSource, otherSlugs, values } = row;
  const others = otherSlugs.length > 0 ? toArray(otherSlugs) : undefined;
  const texts = [record?.toString(), presentFields.toString(), newFields.toString(), mark, slugSource, others];
  const cells = [...texts, ...Object.keys(kind.fields).map((name) => values[name])].map(toCell);
  return `${[ordinal, line, ...cells].join('\t')}\n`;
};

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const toCell = (text: string | null | undefined): string =>
  text === null || text === undefined ? '\\N' : text.replaceAll(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? '');
