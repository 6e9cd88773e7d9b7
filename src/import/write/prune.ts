import type { ClientBase } from 'pg';
import type { ImportKind, Withdrawal } from '../kind.ts';
import { STAGE } from './stage.ts';
import { isMatch } from './statements.ts';

/** The rows on sale that no file of this run had so far. */
const CANDIDATES = 'pg_temp.vitrine_prune';

/** How many rows no file had, of those that were on sale at the start. */
export interface Missing {
  readonly missing: number;
  readonly total: number;
}

/** The kind's table and how its rows are withdrawn. */
interface Withdrawn {
  readonly table: string;
  readonly withdrawal: Withdrawal;
}

/** Notes which rows are on sale: a row that another writer adds during the import is not withdrawn. */
export const beginPrune = async (
  client: ClientBase,
  { table, withdrawal: { column, from } }: Withdrawn,
): Promise<void> => {
  await client.query(`create temporary table vitrine_prune on commit drop as
    select id, false as is_kept from ${table} where ${column} = '${from}'`);
  await client.query(`create index on ${CANDIDATES} (id)`);
};

/** Keeps what the staged file has, also in rows that are rejected later. */
export const keepStaged = async (client: ClientBase, kind: ImportKind): Promise<void> => {
  await client.query(`update ${CANDIDATES} c set is_kept = true from ${kind.table} t, ${STAGE} s
    where t.id = c.id and ${isMatch(kind)} and not c.is_kept`);
};

export const countMissing = async (client: ClientBase): Promise<Missing> => {
  const { rows } = await client.query<Missing>(
    `select count(*) filter (where not is_kept)::int as missing, count(*)::int as total from ${CANDIDATES}`,
  );
  return rows[0] ?? { missing: 0, total: 0 };
};

/** Withdraws the rows that no file had. @returns how many */
export const withdrawMissing = async (
  client: ClientBase,
  { table, withdrawal: { column, from, to } }: Withdrawn,
): Promise<number> => {
  const { rowCount } = await client.query(`
    update ${table} t set ${column} = '${to}', updated_at = now() from ${CANDIDATES} c
    where t.id = c.id and not c.is_kept and t.${column} = '${from}'`);
  return rowCount ?? 0;
};
