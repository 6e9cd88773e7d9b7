import { createInterface } from 'node:readline/promises';
import type { ClientBase } from 'pg';
import { OperatorError } from '../errors.ts';
import type { ImportKind } from './kind.ts';
import { isMatch, STAGE } from './write/stage.ts';

interface PruneOptions {
  readonly client: ClientBase;
  /** Whether the operator has agreed beforehand. */
  readonly isAgreed?: boolean;
  readonly isDryRun: boolean;
  /** Whether somebody can be asked. */
  readonly canAsk: boolean;
  readonly signal: AbortSignal;
}

/** A file that lacks more of the catalogue may be the wrong one, or be cut off. */
const LARGEST_SHARE = 0.2;

/** The rows of the import are locked while it waits for an answer. */
const ANSWER_TIMEOUT_MS = 60_000;

/** The products on sale that no file of this run had so far. */
const CANDIDATES = 'pg_temp.vitrine_prune';

/** Begins inside the transaction of a run. Notes which products are on sale: one that another writer adds during the import stays. */
export const beginPrune = async (client: ClientBase): Promise<void> => {
  await client.query(`create temporary table vitrine_prune on commit drop as
    select id, false as is_kept from product where status = 'ON_SALE'`);
  await client.query(`create index on ${CANDIDATES} (id)`);
};

/** Keeps what the staged file has, also in rows that are rejected later. */
export const keepStaged = async (client: ClientBase, kind: ImportKind): Promise<void> => {
  await client.query(`update ${CANDIDATES} c set is_kept = true from product t, ${STAGE} s
    where t.id = c.id and ${isMatch(kind)} and not c.is_kept`);
};

/** After the files, takes the products off sale that none of them had. @throws OperatorError if it must not be */
export const endPrune = async (rejected: number, options: PruneOptions): Promise<void> => {
  const { client, isAgreed = false, isDryRun } = options;
  if (rejected > 0 && !isAgreed) {
    console.error('Nothing was taken off sale, because some rows were rejected: correct them, or say --yes.');
    return;
  }
  const { rows } = await client.query<{ missing: number; total: number }>(
    `select count(*) filter (where not is_kept)::int as missing, count(*)::int as total from ${CANDIDATES}`,
  );
  const { missing = 0, total = 0 } = rows[0] ?? {};
  if (missing > total * LARGEST_SHARE && !isAgreed && !isDryRun)
    await confirm(`${missing} of ${total} products on sale are in no file, and would be taken off sale.`, options);
  const { rowCount } = await client.query(`
    update product t set status = 'OFF_SALE', updated_at = now() from ${CANDIDATES} c
    where t.id = c.id and not c.is_kept and t.status = 'ON_SALE'`);
  const dryRun = isDryRun ? 'dry run, nothing is stored: ' : '';
  console.log(`${dryRun}products that no file has: ${rowCount} taken off sale`);
};

const confirm = async (question: string, { canAsk, signal: stop }: PruneOptions): Promise<void> => {
  if (!canAsk) throw new OperatorError(`${question} If that is right, say --yes. Nothing was imported.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    const answer = await terminal.question(`${question} Go on? [y/N] `, { signal }).catch(() => '');
    if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('Not confirmed. Nothing was imported.');
  } finally {
    terminal.close();
  }
};
