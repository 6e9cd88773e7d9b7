import pg, { type ClientBase } from 'pg';
import { type Counts, fieldOf, type Range, type Refused, type RowWriter, type WriteContext } from '../kind.ts';
import { findExisting, rejectIncomplete, rejectRefused, rejectRepeated, rejectTaken, STAGE } from './stage.ts';
import { createTableWriter, freeValues } from './writer.ts';

/** Rows in one statement: few enough that a refused one costs little to find. */
const CHUNK_ROWS = 5000;

/**
 * Writes the staged rows into the catalogue.
 *
 * A kind notes in the stage which row of its table each staged row is. Checks then delete staged rows that cannot be written, and report them. The
 * rest is written in ranges. Where the database refuses one, halves of it are tried, until the one row at fault is found and rejected. That undoes
 * all, and everything is written again without it and those that depend on it.
 */
export const mergeStage = async (context: WriteContext): Promise<Counts> => {
  const { client, kind, prune } = context;
  const { find, reject, prepare } = kind.write ?? {};
  await (find ? find(context) : findExisting(client, kind));
  await prune?.keep(kind.table, STAGE);
  await rejectRepeated(context);
  await rejectIncomplete(context);
  await reject?.(context);
  const table = await createTableWriter(context, kind);
  const rows: RowWriter = {
    check: () => rejectTaken(context),
    begin: () => freeValues(client, kind),
    write: async (range) => ({ ...(await table.write(range)), createdCategories: 0 }),
  };
  const writer = prepare ? await prepare(context, rows) : rows;
  return writeRows(context, writer);
};

/** Writes all rows. Where the database refuses some, all begins again without them, because others may depend on them. */
const writeRows = async (context: WriteContext, writer: RowWriter): Promise<Counts> => {
  const { client, stagedRows, onProgress } = context;
  for (;;) {
    // The database would refuse each of these, too, and find each by halves.
    await writer.check();
    await client.query('savepoint file');
    await writer.begin();
    const parts: Part[] = [];
    for (let from = 1; from <= stagedRows; from += CHUNK_ROWS) {
      const to = Math.min(from + CHUNK_ROWS - 1, stagedRows);
      parts.push(...(await writeRange(context, writer, { from, to })));
      onProgress('writing', to);
    }
    const refused = parts.flatMap((part) => ('reason' in part ? [part] : []));
    const counts = parts.flatMap((part) => ('reason' in part ? [] : [part])).reduce(sum, NONE);
    if (refused.length === 0) return counts;
    await client.query('rollback to savepoint file');
    await rejectRefused(context, refused);
  }
};

/** What became of a part of the rows: it was written, or it is one row that the database refuses. */
type Part = Counts | Refused;

const NONE: Counts = { created: 0, changed: 0, unchanged: 0, createdCategories: 0 };

/** Adds the counts of a part to those of others. */
const sum = <Of extends { readonly [name in keyof Of]: unknown }>(all: Of, part: Of): Of => {
  const names = [...new Set([...Object.keys(all), ...Object.keys(part)])] as (keyof Of)[];
  const added = (one: unknown, other: unknown): unknown => {
    if (one === undefined || other === undefined) return one ?? other;
    return typeof one === 'number' ? one + Number(other) : sum(one, other);
  };
  return Object.fromEntries(names.map((name) => [name, added(all[name], part[name])])) as Of;
};

/** Writes a range of rows. Where the database refuses one of them, it is found by halving the range. */
const writeRange = async (context: WriteContext, writer: RowWriter, range: Range): Promise<Part[]> => {
  const { client } = context;
  const { from, to } = range;
  // Of statements without rows, too, there are triggers, which may refuse.
  const { rows } = await client.query(`select from ${STAGE} where ordinal between $1 and $2 limit 1`, [from, to]);
  if (rows.length === 0) return [];
  try {
    return [await savepoint(client, () => writer.write(range))];
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && isRowError(error))) throw error;
    if (from === to) return [refusal(context, from, error)];
    const middle = Math.floor((from + to) / 2);
    const first = await writeRange(context, writer, { from, to: middle });
    return [...first, ...(await writeRange(context, writer, { from: middle + 1, to }))];
  }
};

const refusal = ({ kind }: WriteContext, ordinal: number, error: pg.DatabaseError): Refused => {
  const { message, column = null, detail = '' } = error;
  // "Key (sku)=(A-7) already exists.", in the language of the server.
  const [, named = column, value = null] = /\((.+)\)=\((.*)\)/s.exec(detail) ?? [];
  // Of several columns, the database says more.
  if (named?.includes(',')) return { ordinal, field: null, value, reason: `is refused by the database: ${detail}` };
  const field = named === null ? null : fieldOf(kind, named);
  return { ordinal, field, value, reason: `is refused by the database: ${message}` };
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

/** Data exceptions, violated constraints and errors raised by triggers are the fault of a row. */
const isRowError = ({ code = '' }: pg.DatabaseError): boolean => /^(22|23|P0001)/.test(code);
