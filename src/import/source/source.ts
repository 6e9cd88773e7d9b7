import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { hasCode } from '../../database/failures.ts';
import { OperatorError } from '../../errors.ts';
import type { ReadOptions } from '../options.ts';
import { isObject, parseJson, type SourceRecord, textIn, type Value } from '../record.ts';
import { csvReader } from './csv.ts';
import { jsonArrayReader, jsonLinesReader } from './json.ts';
import { type BlockReader, readText, type Source, type TextBlock } from './text.ts';
import { xmlReader } from './xml.ts';

/** Large enough that the work per block does not count, small enough that a few blocks in memory do not. */
const BLOCK_BYTES = 512 * 1024;

/** @param path a file, or `-` for standard input. @throws OperatorError if there is no such file */
export const openSource = async (path: string): Promise<Source> => {
  const isStdin = path === '-';
  const status = isStdin ? undefined : await stat(path).catch(rethrow(path));
  if (status?.isDirectory()) throw new OperatorError(`${path} is a directory: name its files instead.`);

  async function* blocks(signal: AbortSignal): AsyncGenerator<Buffer, void> {
    const stream: Readable = isStdin ? process.stdin : createReadStream(path, { highWaterMark: BLOCK_BYTES });
    addAbortSignal(signal, stream);
    // A pipe delivers much smaller chunks, in which too few records would tell the format and the columns of the file.
    let block: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        block = Buffer.concat([block, chunk]);
        if (block.length < BLOCK_BYTES) continue;
        yield block;
        block = Buffer.alloc(0);
      }
    } catch (error) {
      if (error instanceof Error && 'syscall' in error) rethrow(path)(error);
      throw error;
    }
    if (block.length > 0) yield block;
  }

  return { name: isStdin ? 'standard input' : path, blocks };
};

/** A source that is in memory already. */
export const sourceOf = (name: string, bytes: Buffer): Source => ({
  name,
  blocks: async function* () {
    yield bytes;
  },
});

const rethrow =
  (path: string) =>
  (error: Error): never => {
    throw new OperatorError(
      hasCode(error, 'ENOENT') ? `There is no file ${path}.` : `${path} cannot be read: ${error.message}.`,
    );
  };

/** A file's records, a few hundred at a time. */
export interface Records {
  readonly container: Container;
  readonly batches: AsyncGenerator<SourceRecord[], void>;
}

type Container = keyof typeof READERS;

const READERS = { CSV: csvReader, JSON: jsonArrayReader, 'JSON Lines': jsonLinesReader, XML: xmlReader };

/** Detects from the first block what kind of file it is. @throws OperatorError if it is empty, or is not UTF-8 text */
export const readRecords = async (source: Source, signal: AbortSignal, options: ReadOptions = {}): Promise<Records> => {
  // A block may have one line, and whether a list follows is seen from the next.
  const { first, all } = await peek(readText(source, signal), 2);
  const head = first
    .map(({ bytes }) => bytes.toString('utf8'))
    .join('')
    .trimStart();
  if (!head) throw new OperatorError(`${source.name} is empty.`);
  const container = containerOf(head);
  return { container, batches: recordsOf(all, READERS[container](source.name, options)) };
};

async function* recordsOf(blocks: AsyncIterable<TextBlock>, read: BlockReader): AsyncGenerator<SourceRecord[], void> {
  let isNumbered: boolean | undefined;
  let count = 0;
  for await (const block of blocks) {
    const records = read(block);
    if (records.length === 0) continue;
    // Where the first two records are on one line, all may be, so each gets its number.
    isNumbered ??= records[0]?.line === records[1]?.line;
    yield isNumbered ? records.map((record, at) => ({ ...record, record: count + at + 1 })) : records;
    count += records.length;
  }
}

/** By the first character; an object that ends on the first line is JSON Lines, unless it wraps a list, and is the only one. */
const containerOf = (head: string): Container => {
  if (head.startsWith('[')) return 'JSON';
  if (head.startsWith('<')) return 'XML';
  if (!head.startsWith('{')) return 'CSV';
  const [firstLine = '', nextLine = ''] = head.split('\n', 2);
  try {
    const object = parseJson(firstLine);
    return isRow(object) || nextLine.trim().startsWith('{') || !/\[\s*\{/.test(firstLine) ? 'JSON Lines' : 'JSON';
  } catch {
    return nextLine.trimStart().startsWith('{"') && firstLine.trimEnd().endsWith('}') ? 'JSON Lines' : 'JSON';
  }
};

/** Lists of objects that a product has. */
const OF_PRODUCT: ReadonlySet<string> = new Set(['attributes', 'images', 'options', 'translations', 'variants']);

const isRow = (value: Value): boolean =>
  isObject(value) &&
  ['slug', 'handle', 'sku'].some((name) => textIn(value[name]) !== undefined) &&
  Object.entries(value).every(([name, of]) => OF_PRODUCT.has(name) || !(Array.isArray(of) && of.some(isObject)));

/** The first elements of a generator, and all of them. */
export const peek = async <Element>(
  generator: AsyncGenerator<Element, void>,
  count: number,
): Promise<{ first: readonly Element[]; all: AsyncGenerator<Element, void> }> => {
  const first: Element[] = [];
  while (first.length < count) {
    const next = await generator.next();
    if (next.done) break;
    first.push(next.value);
  }
  async function* all(): AsyncGenerator<Element, void> {
    yield* first;
    yield* generator;
  }
  return { first, all: all() };
};
