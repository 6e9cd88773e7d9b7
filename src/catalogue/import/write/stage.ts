import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { FIELDS, type Kind } from '../fields/kinds.ts';

/** The table that a file is copied into: the session's own, gone with it however it ends, and never in the write-ahead log. */
export const STAGE = 'pg_temp.vitrine_import';

/**
 * Creates the stage and copies rows into it, which shows to nobody.
 * @param rows lines as COPY takes them; when it throws, nothing is copied
 */
export const copyIntoStage = async (
  client: ClientBase,
  kind: Kind,
  rows: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> => {
  const fields = Object.values(FIELDS[kind]);
  await client.query(`drop table if exists ${STAGE}`);
  await client.query(`
    create temporary table vitrine_import (
      ordinal bigint, line bigint, given int,
      ${fields.map(({ column, type }) => `${column} ${type}`).join(', ')}, target_id int, is_new boolean not null default false)`);
  const columns = ['ordinal', 'line', 'given', ...fields.map(({ column }) => column)];
  await pipeline(rows, client.query(copyFrom(`copy ${STAGE} (${columns.join(', ')}) from stdin`)), { signal });
  await client.query(`create index on ${STAGE} (ordinal)`);
  await client.query(`create index on ${STAGE} (${kind === 'notice' ? 'title' : 'slug'})`);
  await client.query(`analyze ${STAGE}`);
};
