import pg, { type ClientBase } from 'pg';
import type { ImportOptions } from '../file.ts';
import { type ImportKind, isCategoryKind, isProductKind, isVariantKind } from '../kind.ts';
import { keepStaged } from '../prune.ts';
import type { Fault } from '../record.ts';
import { assignCategorySlugs, createMissingCategories, mergeCategories } from './categories.ts';
import {
  type CheckContext,
  type Refused,
  rejectRefused,
  rejectRows,
  rejectSeparated,
  rejectUnterminated,
} from './checks.ts';
import { findProducts } from './product-slugs.ts';
import {
  createWriter,
  findExisting,
  type Range,
  STAGE,
  settleNewFields,
  VARIANT_STAGE,
  type Writer,
  type Written,
} from './stage.ts';
import {
  findVariantsOfFile,
  freeSkus,
  nameOptions,
  rejectUnfitProducts,
  type StagedVariants,
  stageVariants,
} from './variants.ts';

/** What was done with the rows of a file. */
export interface Counts extends Written {
  /** What was done with variants inside products; undefined if none were said. */
  variants?: (Written & { deleted: number }) | undefined;
  /** Categories that were created because paths lead through them. */
  createdCategories: number;
}

export interface MergeOptions extends CheckContext, Omit<ImportOptions, 'onProgress'> {
  /** Where the kind is that of products, the kind of their variants. */
  readonly variantKind: ImportKind | undefined;
  /** How many rows are staged. */
  readonly rowCount: number;
  readonly onProgress: (step: 'checking' | 'writing', rows: number) => void;
}

/** Rows in one statement: few enough that there is progress every second. */
const CHUNK_ROWS = 5000;

/** Writes the staged rows into the catalogue, all in one transaction. */
export const mergeStage = async (options: MergeOptions): Promise<Counts> => {
  const { client, kind, variantKind, rowCount, onProgress } = options;
  // A row that these checks reject would be rejected again after a deadlock, so they run before the transaction.
  if (isCategoryKind(kind)) await assignCategorySlugs(client, kind);
  if (isVariantKind(kind)) await findVariantsOfFile(options);
  else if (isProductKind(kind)) await findProducts(client, kind);
  else await findExisting(client, kind);
  if (isProductKind(kind)) {
    await rejectSeparated(options);
    await settleNewFields(client);
    await assignCategorySlugs(client, kind);
  }
  if (options.isPruning) await keepStaged(client, kind, STAGE);
  // Rows that were staged only because their keys count. They were reported when they were staged.
  await client.query(`delete from ${STAGE} where mark = 'rejected'`);
  const all: Range = { from: 1, to: rowCount };
  await rejectRows(options);
  onProgress('checking', rowCount);
  if (isProductKind(kind)) await rejectUnfitProducts(options);
  const writer = await createWriter(client, kind, options);
  const variants = variantKind && (await stageVariants(options, variantKind, all));
  if (options.isPruning && variants) await keepStaged(client, variantKind, VARIANT_STAGE);
  if (isProductKind(kind)) await rejectUnterminated(options, [writer, variants]);
  return transaction(options, async (onFault) => {
    const context = { ...options, onFault };
    if (isCategoryKind(kind)) return mergeCategories(context, writer, all);
    return mergeRows(context, writer, variants);
  });
};

/**
 * Writes all rows, and rejects those that the database refuses. A refused one keeps its variants and their skus, which others may have got before:
 * then all begins again without it.
 */
const mergeRows = async (
  context: MergeOptions,
  writer: Writer,
  variants: StagedVariants | undefined,
): Promise<Counts> => {
  const { client, kind, rowCount, onProgress } = context;
  for (;;) {
    const counts: Counts = { ...NONE, variants: variants && { ...NONE, deleted: 0 }, createdCategories: 0 };
    const refused: Refused[] = [];
    await client.query('savepoint file');
    if (variants) await variants.begin();
    else if (isVariantKind(kind)) await freeSkus(client, STAGE);
    for (let from = 1; from <= rowCount; from += CHUNK_ROWS) {
      const to = Math.min(from + CHUNK_ROWS - 1, rowCount);
      await mergeRange(context, writer, variants, { from, to }, counts, refused);
      onProgress('writing', to);
    }
    if (refused.length === 0) return counts;
    const isApart = !variants && !isVariantKind(kind);
    if (!isApart) await client.query('rollback to savepoint file');
    await (variants?.reject ?? rejectRefused)(context, refused);
    if (isApart) return counts;
  }
};

const NONE: Written = { created: 0, changed: 0, unchanged: 0 };

const add = (counts: Written, { created, changed, unchanged }: Written): void => {
  counts.created += created;
  counts.changed += changed;
  counts.unchanged += unchanged;
};

/** Writes a range of rows, and counts them. Where the database refuses one of them, it is found by halving the range. */
const mergeRange = async (
  options: MergeOptions,
  writer: Writer,
  variants: StagedVariants | undefined,
  range: Range,
  counts: Counts,
  refused: Refused[],
): Promise<void> => {
  const { client, kind } = options;
  const { from, to } = range;
  // Of statements without rows, too, there are triggers, which may refuse.
  const { rowCount } = await client.query(`select from ${STAGE} where ordinal between $1 and $2 limit 1`, [from, to]);
  if (rowCount === 0) return;
  try {
    await savepoint(client, async () => {
      const createdCategories = kind.categoryColumn ? await createMissingCategories(client, range) : 0;
      if (isVariantKind(kind)) await nameOptions(client, range);
      // Before their product is written, which takes its own price once it has none.
      const deleted = (await variants?.remove(range)) ?? 0;
      const rows = await writer.write(range);
      const ofVariants = await variants?.write(range);
      add(counts, rows);
      counts.createdCategories += createdCategories;
      if (!counts.variants || !ofVariants) return;
      add(counts.variants, ofVariants);
      counts.variants.deleted += deleted;
    });
  } catch (error) {
    if (!isRowError(error)) throw error;
    if (from < to) {
      const middle = Math.floor((from + to) / 2);
      await mergeRange(options, writer, variants, { from, to: middle }, counts, refused);
      return mergeRange(options, writer, variants, { from: middle + 1, to }, counts, refused);
    }
    const { message, table, column: ofError, detail = '' } = error as pg.DatabaseError;
    // "Key (sku)=(A-7) already exists.", in the language of the server.
    const [, field = ofError ?? null, value = null] = /\((.+)\)=\((.*)\)/s.exec(detail) ?? [];
    const isOfOther = table === 'product' && field === 'sku' && kind.keys?.includes('sku') && kind.key !== 'sku';
    const reason = `is refused by the database: ${message}${isOfOther ? ': --key sku finds the product that has it' : ''}`;
    refused.push({ ordinal: from, field, value, reason });
  }
};

/** The connection was lost during the commit, so nobody knows whether the rows are stored. */
export class UnknownOutcomeError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

const MAX_ATTEMPTS = 5;

/**
 * Runs the work in a transaction, and again after a deadlock with another writer. Its faults are reported after the commit, because the next
 * attempt finds those of a rolled back one again.
 */
const transaction = async <Result>(
  options: MergeOptions,
  work: (onFault: (fault: Fault) => void) => Promise<Result>,
  attempt = 1,
): Promise<Result> => {
  const { client, isInTransaction, onFault } = options;
  if (isInTransaction) return work(onFault);
  const faults: Fault[] = [];
  await client.query('begin');
  try {
    const result = await work((fault) => faults.push(fault));
    await commit(client);
    for (const fault of faults) onFault(fault);
    return result;
  } catch (error) {
    // If the connection is lost, the server rolls back by itself.
    await client.query('rollback').catch(() => undefined);
    if (isConflict(error) && attempt < MAX_ATTEMPTS) return transaction(options, work, attempt + 1);
    throw error;
  }
};

/** @throws UnknownOutcomeError if the connection is lost meanwhile */
export const commit = async (client: ClientBase): Promise<void> => {
  await client.query('commit').catch((error: unknown) => {
    // An error of the server's is a refusal; any other leaves the outcome open.
    throw error instanceof pg.DatabaseError ? error : new UnknownOutcomeError(error);
  });
};

/** Runs a part of a transaction that can be rolled back alone. */
const savepoint = async <Result>(client: ClientBase, work: () => Promise<Result>): Promise<Result> => {
  await client.query('savepoint part');
  try {
    const result = await work();
    await client.query('release savepoint part');
    return result;
  } catch (error) {
    if (error instanceof pg.DatabaseError) await client.query('rollback to savepoint part');
    throw error;
  }
};

const sqlState = (error: unknown): string => (error instanceof pg.DatabaseError ? (error.code ?? '') : '');

/** A deadlock, or a serialisation failure. */
const isConflict = (error: unknown): boolean => sqlState(error).startsWith('40');

/** Data exceptions, violated constraints and errors raised by triggers are the fault of a row. */
const isRowError = (error: unknown): boolean => /^(22|23|P0001)/.test(sqlState(error));
