import type { ClientBase } from 'pg';
import { OperatorError } from '../errors.ts';
import { type Draft, type Format, MAX_COLUMNS } from './formats/format.ts';
import { detectFormat, formatsOf } from './formats/formats.ts';
import { type ImportKind, kindOf } from './kind.ts';
import type { Progress } from './progress.ts';
import { type Fault, isObject, parseJson, type SourceRecord } from './record.ts';
import { readCsv } from './source/csv.ts';
import { readJsonArray, readJsonLines } from './source/json.ts';
import { readText, type Source, type TextBlock } from './source/source.ts';
import { type Merged, mergeStage } from './write/merge.ts';
import { copyIntoStage, createEncoder, STAGE } from './write/stage.ts';

export interface ImportOptions {
  readonly client: ClientBase;
  readonly source: Source;
  /** What the file may hold. */
  readonly kinds: readonly ImportKind[];
  /** @default the one that the columns speak for */
  readonly format?: Format | undefined;
  /** Of amounts that come without one. @default the database's own */
  readonly currency?: string | undefined;
  /** @default the whole file is one batch */
  readonly batchRows?: number | undefined;
  readonly isInTransaction: boolean;
  readonly onFault: (fault: Fault) => void;
  /** For the progress. */
  readonly rejectCount?: () => number;
  readonly progress?: Progress;
  readonly signal?: AbortSignal;
}

export interface Imported extends Merged {
  readonly kind: ImportKind;
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
  const { client, source, progress, onFault, rejectCount = () => 0 } = options;
  const { signal = new AbortController().signal } = options;
  const { container, batches } = await readRecords(source, signal);
  const { format, records } = await chooseFormat(options, batches);
  const kind = kindOf(options.kinds, format.kind);
  const reader = format.open();
  const encode = createEncoder(kind, reader);
  const columns = new Set<string>();
  let rowCount = 0;

  const encodeAll = (drafts: readonly Draft[]): string => {
    let text = '';
    for (const draft of drafts) {
      if ('currency' in kind.fields && options.currency) addCurrency(draft, options.currency);
      const { row, faults } = encode(draft, rowCount + 1);
      for (const fault of faults) onFault(fault);
      if (row === undefined) continue;
      rowCount += 1;
      text += row;
    }
    return text;
  };

  async function* rows(): AsyncGenerator<string, void> {
    let piece = '';
    for await (const batch of records) {
      for (const record of batch) {
        if (record.fault) {
          onFault(record.fault);
          reader.readBroken?.(record);
          continue;
        }
        noteColumns(columns, record);
        piece += encodeAll(reader.read(record));
        if (piece.length < PIECE_CHARACTERS) continue;
        yield piece;
        piece = '';
      }
      progress?.update({
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

  await copyIntoStage(client, kind, rows(), signal);
  const merged = await mergeStage({
    ...options,
    kind,
    batchRows: options.batchRows,
    rowCount,
    columnOf: reader.columnOf,
    onProgress: (step, rows) => {
      signal.throwIfAborted();
      progress?.update({ step, done: rows, total: rowCount, rows, rejected: rejectCount() });
    },
  });
  await client.query(`drop table ${STAGE}`);
  return { ...merged, kind, format, container, unusedColumns: [...columns].filter((column) => !reader.uses(column)) };
};

/** Looks at the first records, which are then read again with the others. */
const chooseFormat = async (
  { source, format, kinds }: ImportOptions,
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
  return { format: format ?? detectFormat(formatsOf(kinds), source.name, head), records: all() };
};

const noteColumns = (columns: Set<string>, { fields }: SourceRecord): void => {
  if (columns.size < MAX_COLUMNS) for (const column of Object.keys(fields)) columns.add(column);
};

const addCurrency = ({ values }: Draft, currency: string): void => {
  if ((values.price ?? '') !== '') values.currency ||= currency;
};

/** How records stand in a text. */
type Container = 'CSV' | 'JSON' | 'JSON Lines';

const READERS = { CSV: readCsv, JSON: readJsonArray, 'JSON Lines': readJsonLines };

/** A file's records, a few hundred at a time, and what kind of file it is. */
interface Records {
  readonly container: Container;
  readonly batches: AsyncIterable<SourceRecord[]>;
}

/** Looks at the first block to tell the kind of file. @throws OperatorError where it is not text in UTF-8, or empty */
export const readRecords = async (source: Source, signal: AbortSignal): Promise<Records> => {
  const blocks = readText(source, signal);
  const first = await blocks.next();
  const block = first.done ? undefined : first.value;
  const text = block?.bytes.toString('utf8') ?? '';
  if (!block || text.trim() === '') throw new OperatorError(`${source.name} is empty.`);

  async function* all(head: TextBlock): AsyncGenerator<TextBlock, void> {
    yield head;
    yield* blocks;
  }
  const container = detectContainer(text);
  return { container, batches: READERS[container](all(block)) };
};

/** By what the text begins with; an object is a line of JSON Lines if it ends on the first line and is not itself around a list. */
const detectContainer = (head: string): Container => {
  const text = head.trimStart();
  if (text.startsWith('[')) return 'JSON';
  if (!text.startsWith('{')) return 'CSV';
  const [firstLine = '', nextLine = ''] = text.split('\n', 2);
  try {
    const first = parseJson(firstLine);
    const isAroundList = isObject(first) && Object.values(first).some(isListOfObjects);
    return isAroundList && !nextLine.trim().startsWith('{') ? 'JSON' : 'JSON Lines';
  } catch {
    return nextLine.trimStart().startsWith('{"') && firstLine.trimEnd().endsWith('}') ? 'JSON Lines' : 'JSON';
  }
};

const isListOfObjects = (value: unknown): boolean =>
  (Array.isArray(value) && value.some(isObject)) ||
  (isObject(value as never) && Object.values(value as object).some(isListOfObjects));
