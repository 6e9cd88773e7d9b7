import { OperatorError } from '../../errors.ts';
import { isObject, type SourceRecord } from '../record.ts';
import { type CsvOptions, readCsv } from './csv.ts';
import { parseJson, readJsonArray, readJsonLines } from './json.ts';
import { peek, type Source } from './source.ts';
import { readText } from './text.ts';
import { readXml } from './xml.ts';

/** A file's records, a few hundred at a time. */
export interface Records {
  readonly container: Container;
  readonly batches: AsyncGenerator<SourceRecord[], void>;
}

type Container = keyof typeof READERS;

const READERS = { CSV: readCsv, JSON: readJsonArray, 'JSON Lines': readJsonLines, XML: readXml };

/** Detects from the first block what kind of file it is. @throws OperatorError if it is empty, or is not UTF-8 text */
export const readRecords = async (source: Source, signal: AbortSignal, options: CsvOptions = {}): Promise<Records> => {
  const { first, all } = await peek(readText(source, signal));
  const head = first?.bytes.toString('utf8') ?? '';
  if (head.trim() === '') throw new OperatorError(`${source.name} is empty.`);
  const container = detectContainer(head);
  return { container, batches: READERS[container](all, source.name, options) };
};

/** By the first character; an object that ends on the first line is JSON Lines, unless it wraps a list. */
const detectContainer = (text: string): Container => {
  const head = text.trimStart();
  if (head.startsWith('[')) return 'JSON';
  if (head.startsWith('<')) return 'XML';
  if (!head.startsWith('{')) return 'CSV';
  const [firstLine = '', nextLine = ''] = head.split('\n', 2);
  try {
    return wrapsList(parseJson(firstLine)) && !nextLine.trim().startsWith('{') ? 'JSON' : 'JSON Lines';
  } catch {
    return nextLine.trimStart().startsWith('{"') && firstLine.trimEnd().endsWith('}') ? 'JSON Lines' : 'JSON';
  }
};

const wrapsList = (value: unknown): boolean =>
  isObject(value as never) &&
  Object.values(value as object).some((inner) => (Array.isArray(inner) ? inner.some(isObject) : wrapsList(inner)));
