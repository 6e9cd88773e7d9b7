import type { ClientBase } from 'pg';
import { OperatorError } from '../../errors.ts';
import { detectFormat } from './detect-format.ts';
import { MAX_COLUMNS } from './formats/columns.ts';
import type { Draft, Format } from './formats/format.ts';
import type { Progress } from './progress.ts';
import { type Records, readRecords } from './source/records.ts';
import type { Source } from './source/source.ts';
import type { Fault, SourceRecord } from './value.ts';
import { createEncoder } from './write/encode.ts';
import { type Merged, mergeStage } from './write/merge.ts';
import { copyIntoStage } from './write/stage.ts';

export interface ImportOptions {
  readonly client: ClientBase;
  readonly source: Source;
  /** Undefined: told by the columns. */
  readonly format: Format | undefined;
  /** Of amounts that come without one. Undefined: the database's default. */
  readonly currency: string | undefined;
  readonly batchRows: number | undefined;
  readonly isInTransaction: boolean;
  readonly onFault: (fault: Fault) => void;
  readonly rejectCount: () => number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

export interface Imported extends Merged {
  readonly format: Format;
  readonly container: string;
  /** Columns of the file that are not read. */
  readonly unusedColumns: readonly string[];
}

/** Rows for COPY are handed on in pieces of about this size. */
const PIECE_CHARACTERS = 64 * 1024;

/**
 * Brings one file into the catalogue. It is read to its end into a stage that nobody sees, in constant memory, and then written from there:
 * whatever happens before, and whatever happens while it is written without batches, leaves the catalogue as it was.
 * @throws OperatorError where the file as a whole cannot be taken
 */
export const importFile = async (options: ImportOptions): Promise<Imported> => {
  const { client, source, progress, onFault, rejectCount, signal } = options;
  const { container, batches } = await readRecords(source, onFault, signal);
  const { format, records } = await chooseFormat(options, batches);
  const reader = format.open();
  const encode = createEncoder(format.kind, reader);
  const columns = new Set<string>();
  let rowCount = 0;

  const encodeAll = (drafts: readonly Draft[]): string => {
    let text = '';
    for (const draft of drafts) {
      if (format.kind === 'product' && options.currency) addCurrency(draft, options.currency);
      const encoded = encode(draft, rowCount + 1);
      if (typeof encoded === 'string') {
        rowCount += 1;
        text += encoded;
      } else for (const fault of encoded) onFault(fault);
    }
    return text;
  };

  async function* rows(): AsyncGenerator<string, void> {
    let piece = '';
    for await (const batch of records) {
      for (const record of batch) {
        noteColumns(columns, record);
        piece += encodeAll(reader.read(record));
        if (piece.length < PIECE_CHARACTERS) continue;
        yield piece;
        piece = '';
      }
      progress.update({
        step: `reading ${source.name}`,
        done: source.readBytes(),
        total: source.sizeBytes,
        rows: rowCount,
        rejected: rejectCount(),
      });
      signal.throwIfAborted();
    }
    piece += encodeAll(reader.end?.() ?? []);
    if (piece) yield piece;
  }

  await copyIntoStage(client, format.kind, rows(), signal);
  const merged = await mergeStage({
    ...options,
    kind: format.kind,
    rowCount,
    columnOf: reader.columnOf,
    onProgress: (step, rows) => {
      signal.throwIfAborted();
      progress.update({ step, done: rows, total: rowCount, rows, rejected: rejectCount() });
    },
  });
  return { ...merged, format, container, unusedColumns: [...columns].filter((column) => !reader.uses(column)) };
};

/** Looks at the first records, which are then read again with the others. */
const chooseFormat = async (
  { source, format }: ImportOptions,
  batches: Records['batches'],
): Promise<{ format: Format; records: AsyncIterable<SourceRecord[]> }> => {
  const iterator = batches[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done && !format) throw new OperatorError(`${source.name} has no rows that can be read.`);
  const head = first.done ? [] : first.value;

  async function* all(): AsyncGenerator<SourceRecord[], void> {
    yield head;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { format: format ?? detectFormat(source.name, head), records: all() };
};

const noteColumns = (columns: Set<string>, { fields }: SourceRecord): void => {
  if (columns.size < MAX_COLUMNS) for (const column of Object.keys(fields)) columns.add(column);
};

const addCurrency = ({ values }: Draft, currency: string): void => {
  if ((values.price ?? '') !== '') values.currency ||= currency;
};
