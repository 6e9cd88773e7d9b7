import type { ClientBase } from 'pg';
import { columnIn, type ImportKind, identityOf, type StagedRow } from '../kind.ts';

/** The staging table of a file. It is temporary: gone with the session, and never written to the write-ahead log. */
export const STAGE = 'pg_temp.vitrine_import';

/** The rows that staged rows hold, such as the variants of products. */
export const INNER_STAGE = 'pg_temp.vitrine_import_inner';

/** The columns of a staging table beside those of the fields. */
const OWN_COLUMNS = [
  // The number of the row in the file, from 1; of an inner row that of the row that holds it.
  'ordinal int',
  // The place of an inner row among those of the same row, from 1.
  'place int',
  'line int',
  'record int',
  // The fields that the file says, also where it says that they have no value; and those that only a new row takes.
  'present text[]',
  'if_new text[]',
  // Whether the row is staged only because its slug is not free for others, and its product is in the file.
  'is_rejected boolean not null default false',
  'slug_source text',
  // The slug of a row that has none in the file, as it is made from its name.
  'slug_base text',
  // All rows that the row holds, as staged rows.
  'inner_rows json',
  // What is found out about the row: which one of the table it is, once it is there, and of a variant the product.
  'target_id int',
  'owner_id int',
  'is_new boolean',
];

/** Creates a staging table, which the caller drops. */
export const createStage = async (client: ClientBase, { fields }: ImportKind, stage = STAGE): Promise<void> => {
  const columns = [...OWN_COLUMNS, ...Object.values(fields).map(({ column, type }) => `${column} ${type}`)];
  await client.query(`create temporary table ${stage} (${columns.join(', ')})`);
};

export const insertIntoStage = async (client: ClientBase, rows: readonly StagedRow[]): Promise<void> => {
  const staged = `select * from json_populate_recordset(null::${STAGE}, $1)`;
  await client.query(`insert into ${STAGE} ${staged}`, [JSON.stringify(rows)]);
};

/** The rows that staged rows hold, in a table of their own. */
export const unfoldInnerRows = async (client: ClientBase, kind: ImportKind): Promise<void> => {
  await createStage(client, kind, INNER_STAGE);
  await client.query(`
    insert into ${INNER_STAGE}
    select i.* from ${STAGE} s cross join json_populate_recordset(null::${INNER_STAGE}, s.inner_rows) i;
    create index on ${INNER_STAGE} (ordinal)`);
};

/** Once all rows are staged. */
export const indexStage = async (client: ClientBase, kind: ImportKind): Promise<void> => {
  for (const column of ['ordinal', columnIn(kind, kind.key)])
    await client.query(`create index on ${STAGE} (${column})`);
  await client.query(`analyze ${STAGE}`);
};

/** The condition that the file says a field of the staged row `s`. */
export const isPresent = (field: string): string => `'${field}' = any (s.present)`;

/** Finds the existing rows of a kind, and notes their ids in the staging table. */
export const findExisting = async (client: ClientBase, kind: ImportKind): Promise<void> => {
  const { isFound, order } = identityOf(kind);
  await client.query(`
    update ${STAGE} s set target_id = found.id
    from (
      select distinct on (s.ordinal) s.ordinal, t.id
      from ${STAGE} s join ${kind.table} t on ${isFound}
      order by s.ordinal, ${order}) found
    where found.ordinal = s.ordinal`);
};
