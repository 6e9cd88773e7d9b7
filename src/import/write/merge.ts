import pg, { type ClientBase } from 'pg';
import { type Counts, fieldOf, type ImportContext, type Range, type RangeSteps, type Refused } from '../kind.ts';
import { findExisting, rejectIncomplete, rejectRefused, rejectRepeated, rejectTaken, STAGE } from './stage.ts';
import { createTableWriter } from './writer.ts';

/** Rows in one statement: few enough that a refused one costs little to find. */
const CHUNK_ROWS = 5000;

/**
 * Writes the staged rows into the catalogue.
 *
 * A kind notes in the stage which row of its table each staged row is. Checks then delete staged rows that cannot be written, and report them. The
 * rest is written in ranges. Where the database refuses one, halves of it are tried, until the one row at fault is found and rejected. That undoes
 * all, and everything is written again without it and those that depend on it.
 */
export const mergeStage = async (context: ImportContext): Promise<Counts> => {
  const { client, kind, prune, onProgress } = context;
  const { find = findExisting, reject, prepare } = kind.write ?? {};
  await find(context);
  // New rows get the values that only they take.
  await client.query(`update ${STAGE} set present = present || if_new where if_new <> '{}' and target_id is null`);
  await prune?.keep(kind.table, STAGE);
  await rejectRepeated(context);
  await rejectIncomplete(context);
  await reject?.(context);
  const { check, begin, before, after }: RangeSteps = (await prepare?.(context)) ?? {};
  const table = await createTableWriter(context, kind);
  for (;;) {
    // The database would refuse each of these, too, and find each by halves.
    while (((await check?.()) ?? 0) + (await rejectTaken(context)) > 0);
    await client.query('savepoint file');
    await table.begin();
    await begin?.();
    const counts: Counts = { created: 0, changed: 0, unchanged: 0, createdCategories: 0 };
    const refused: Refused[] = [];
    for (const range of await readRanges(client)) {
      const write = async (part: Range): Promise<void> => {
        await before?.(part, counts);
        await table.write(part, counts);
        await after?.(part, counts);
      };
      refused.push(...(await writeRange(context, write, range)));
      onProgress('writing', range.to);
    }
    if (refused.length === 0) return counts;
    await client.query('rollback to savepoint file');
    await rejectRefused(context, refused);
  }
};

/** The ranges in their order. None has rows of several generations. */
const readRanges = async (client: ClientBase): Promise<readonly Range[]> => {
  const { rows } = await client.query<Range>(
    `select min(ordinal) as "from", max(ordinal) as "to" from ${STAGE} group by generation, ordinal / ${CHUNK_ROWS} order by 1`,
  );
  return rows;
};

/** Writes a range of rows. Where the database refuses one of them, it is found by halving the range. @returns those that it refuses */
const writeRange = async (
  context: ImportContext,
  write: (range: Range) => Promise<void>,
  range: Range,
): Promise<Refused[]> => {
  const { client } = context;
  const { from, to } = range;
  // Of statements without rows, too, there are triggers, which may refuse.
  const { rows } = await client.query(`select from ${STAGE} where ordinal between $1 and $2 limit 1`, [from, to]);
  if (rows.length === 0) return [];
  await client.query('savepoint part');
  try {
    await write(range);
    await client.query('release savepoint part');
    return [];
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && isRowError(error))) throw error;
    await client.query('rollback to savepoint part');
    if (from === to) return [refusal(context, from, error)];
    const middle = Math.floor((from + to) / 2);
    const first = await writeRange(context, write, { from, to: middle });
    return [...first, ...(await writeRange(context, write, { from: middle + 1, to }))];
  }
};

const refusal = ({ kind }: ImportContext, ordinal: number, error: pg.DatabaseError): Refused => {
  const { message, column = null, detail = '' } = error;
  // "Key (sku)=(A-7) already exists.", in the language of the server.
  const [, named = column, value = null] = /\((.+)\)=\((.*)\)/s.exec(detail) ?? [];
  // Of several columns, the database says more.
  if (named?.includes(',')) return { ordinal, field: null, value, reason: `is refused by the database: ${detail}` };
  const field = named === null ? null : fieldOf(kind, named);
  return { ordinal, field, value, reason: `is refused by the database: ${message}` };
};

/** Data exceptions, violated constraints and errors raised by triggers are the fault of a row. */
const isRowError = ({ code = '' }: pg.DatabaseError): boolean => /^(22|23|P0001)/.test(code);
