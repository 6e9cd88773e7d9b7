import { OperatorError } from '../../../errors.ts';
import type { Fault, SourceRecord } from '../value.ts';
import { readCsv } from './csv.ts';
import { readJsonArray } from './json-array.ts';
import { readJsonLines } from './json-lines.ts';
import { isObject, parseJson } from './json-text.ts';
import { readText, type TextBlock } from './lines.ts';
import type { Source } from './source.ts';

/** How records stand in a text. */
export type Container = 'CSV' | 'JSON' | 'JSON Lines';

const READERS = { CSV: readCsv, JSON: readJsonArray, 'JSON Lines': readJsonLines };

/** A file's records, a few hundred at a time, and what kind of file it is. */
export interface Records {
  readonly container: Container;
  readonly batches: AsyncIterable<SourceRecord[]>;
}

/** Looks at the first block to tell the kind of file. @throws OperatorError where it is not text in UTF-8, or empty */
export const readRecords = async (
  source: Source,
  onFault: (fault: Fault) => void,
  signal: AbortSignal,
): Promise<Records> => {
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
  return { container, batches: READERS[container](all(block), onFault) };
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
