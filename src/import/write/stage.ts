import { pipeline } from 'node:stream/promises';
import pg, { type ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { checkText } from '../fields.ts';
import type { Draft, FormatReader } from '../formats/format.ts';
import { givenBit, type ImportKind, isTree } from '../kind.ts';
import { type Fault, Problem, showValue, type Value } from '../record.ts';
import { MAY_BE_CUT } from '../source/source.ts';

/** The table that a file is copied into: the session's own, gone with it however it ends, and never in the write-ahead log. */
export const STAGE = 'pg_temp.vitrine_import';

/**
 * Creates the stage and copies rows into it, which shows to nobody. The caller drops it.
 * @param rows lines as COPY takes them; when it throws, nothing is copied
 */
export const copyIntoStage = async (
  client: ClientBase,
  kind: ImportKind,
  rows: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> => {
  const fields = Object.values(kind.fields);
  await client.query(`
    create temporary table vitrine_import (
      ordinal bigint, line bigint, given int, mark text, slug_from text,
      ${fields.map(({ column, type }) => `${column} ${type}`).join(', ')}, target_id int, is_new boolean not null default false)`);
  const columns = ['ordinal', 'line', 'given', 'mark', 'slug_from', ...fields.map(({ column }) => column)];
  await pipeline(rows, client.query(copyFrom(`copy ${STAGE} (${columns.join(', ')}) from stdin`)), { signal });
  await client.query(`create index on ${STAGE} (ordinal)`);
  await client.query(`create index on ${STAGE} (${kind.key})`);
  await client.query(`analyze ${STAGE}`);
};

export interface Encoded {
  /** A row of the stage as COPY takes it. A row with faults is staged where its slug still counts; see {@link Mark}. */
  readonly row: string | undefined;
  /** Everything that is wrong with it. */
  readonly faults: readonly Fault[];
}

/** What the stage knows of a row beside its fields. `rejected`: its slug is not free for others, and it is not written. */
export type Mark = NonNullable<Draft['doubt']> | 'rejected';

/** Rows of one file, checked and in the text format of COPY: https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2 */
export const createEncoder = (kind: ImportKind, reader: FormatReader) => {
  const fields = Object.entries(kind.fields).map(([name, field]) => ({ name, field, bit: givenBit(kind, name) }));
  const { key } = kind;

  return ({ line, values, slugFrom, refusal, doubt }: Draft, ordinal: number): Encoded => {
    const faults: Fault[] = [];
    const parsed: Record<string, string | null> = {};
    let given = 0;
    for (const { name, field, bit } of fields) {
      const value = values[name];
      const isEmpty = isEmptyValue(value);
      const result = isEmpty ? null : field.parse(value as Value);
      if (result instanceof Problem) faults.push(toFault(line, name, value, result));
      else {
        parsed[name] = result;
        if (!isEmpty || (field.isNullable && value !== undefined)) given += bit;
      }
    }
    if (faults.length === 0 && !parsed[key]) faults.push(toFault(line, key, values[key], new Problem('is missing')));
    const checked = kind.check?.(parsed);
    if (checked) faults.push(toFault(line, checked.field, values[checked.field], checked.problem));
    if (refusal && faults.length === 0) faults.push(toFault(line, key, values[key], new Problem(refusal)));
    const madeFrom = slugFrom === undefined ? null : checkText(slugFrom.trim());
    if (madeFrom instanceof Problem)
      return { row: undefined, faults: [...faults, toFault(line, key, slugFrom, madeFrom)] };
    const toRow = (mark: Mark | undefined): string => {
      const cells = fields.map(({ name }) =>
        toCell(mark === 'rejected' && !IDENTITY.includes(name) ? null : parsed[name]),
      );
      return `${[ordinal, line, given, toCell(mark), toCell(madeFrom), ...cells].join('\t')}\n`;
    };
    if (faults.length === 0) return { row: toRow(doubt), faults };
    const told =
      doubt === 'unterminated' ? faults.map((fault) => ({ ...fault, reason: `${fault.reason}${MAY_BE_CUT}` })) : faults;
    const isCounted = key === 'slug' && !isTree(kind) && parsed.slug;
    return { row: isCounted ? toRow('rejected') : undefined, faults: told };
  };

  function toFault(line: number, name: string, value: Value | undefined, { reason }: Problem): Fault {
    return { line, column: reader.columnOf(name), value: value === undefined ? '' : showValue(value), reason };
  }
};

/** What counts of a rejected row. */
const IDENTITY = ['slug', 'name'];

const isEmptyValue = (value: Value | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const toCell = (text: string | null | undefined): string =>
  text === null || text === undefined ? '\\N' : escaped(text);

const escaped = (text: string): string =>
  /[\\\n\r\t]/.test(text) ? text.replaceAll(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? '') : text;

/** The connection was lost while the server was asked to commit: the rows are in, or none of them. */
export class UnknownOutcomeError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

export interface TransactionOptions {
  readonly client: ClientBase;
  /** The caller has a transaction open, and ends it. */
  readonly isInTransaction: boolean;
  readonly onFault: (fault: Fault) => void;
}

const MAX_ATTEMPTS = 5;

/**
 * Another writer may hold rows in another order: whoever is told of the deadlock begins anew. Faults are told once it is committed, for those
 * of an attempt that is taken back are found again by the next.
 */
export const transaction = async <Result>(
  options: TransactionOptions,
  work: (onFault: (fault: Fault) => void) => Promise<Result>,
  attempt = 1,
): Promise<Result> => {
  const { client, isInTransaction, onFault } = options;
  if (isInTransaction) return work(onFault);
  const faults: Fault[] = [];
  await client.query('begin');
  try {
    const result = await work((fault) => faults.push(fault));
    await client.query('commit').catch((error: unknown) => {
      // The server has said no, or nothing any more.
      throw error instanceof pg.DatabaseError ? error : new UnknownOutcomeError(error);
    });
    for (const fault of faults) onFault(fault);
    return result;
  } catch (error) {
    // A client that cannot roll back has lost its connection, and the server rolls back.
    await client.query('rollback').catch(() => undefined);
    if (isConflict(error) && attempt < MAX_ATTEMPTS) return transaction(options, work, attempt + 1);
    throw error;
  }
};

/** A part that can be undone alone. */
export const savepoint = async <T>(client: ClientBase, work: () => Promise<T>): Promise<T> => {
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

/** Data exceptions, violated constraints, and what triggers raise: the fault of a row, not of the database. */
export const isFaultOfARow = (error: unknown): boolean => /^(22|23|P0001)/.test(sqlState(error));
