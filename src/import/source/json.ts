import { OperatorError } from '../../errors.ts';
import { isObject, parseJson, type SourceRecord } from '../record.ts';
import { type BlockReader, MAX_RECORD_BYTES, MAY_BE_CUT, type TextBlock } from './text.ts';

/** What stands before the first list of objects inside an object: texts, which may hold anything, and its bracket. */
const BEFORE_LIST = /"[^"\\]*(?:\\.[^"\\]*)*("?)|\[\s*(?=\{)/gs;

/** Texts, which end on their line, and brackets. */
const BRACKETS = /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*("?)|[[\]{}]/g;
/** The same, and what ends an element that has no brackets. */
const BRACKETS_AND_COMMAS = new RegExp(`${BRACKETS.source}|,`, 'g');

/**
 * The objects of a JSON array, or of the first list of objects inside an object (`{"products": […], "total": 194}`). Each is found by its
 * brackets and given to JSON.parse alone, so that a broken one costs no other, the line of each is known, and amounts keep their digits. Where
 * brackets do not match, nothing tells where the next element begins: the rest is not read.
 * @throws OperatorError if there is no such list
 */
export const jsonArrayReader = (sourceName: string): BlockReader => {
  const reader = new ListReader();
  return (block) => {
    const records = reader.read(block);
    if (block.isLast && reader.isBefore)
      throw new OperatorError(`${sourceName} has no list of objects: put the rows into [ … ], or one on each line.`);
    return records;
  };
};

class ListReader {
  #state: 'before' | 'in' | 'after' | 'lost' = 'before';
  /** What is not read so far, and the number of its first line. */
  #text = '';
  #line = 1;
  #isRoot = false;

  get isBefore(): boolean {
    return this.#state === 'before';
  }

  /** The elements that end in this block. */
  read({ bytes, isLast }: TextBlock): SourceRecord[] {
    this.#text += bytes.toString();
    if (this.#state === 'before') this.#enterList();
    const records: SourceRecord[] = [];
    while (this.#state === 'in') {
      this.#advance(/^[\s,]*/.exec(this.#text)?.[0].length ?? 0);
      if (this.#text === '') break;
      const record = this.#element(isLast);
      if (record) records.push(record);
      else if (this.#state === 'in') return records;
    }
    if (this.#state === 'lost') this.#text = '';
    if (isLast && this.#state === 'in') records.push(broken(this.#line, `the list is not closed${MAY_BE_CUT}`));
    if (isLast && this.#state === 'after') records.push(...this.#rest());
    return records;
  }

  /** The next element; undefined at the end of the list, and where that is in the next block. */
  #element(isLast: boolean): SourceRecord | undefined {
    if (this.#text.startsWith(']')) {
      this.#advance(1);
      this.#state = 'after';
      return undefined;
    }
    const end = endOf(this.#text, isLast);
    if (end === undefined) return undefined;
    const line = this.#line;
    if (typeof end === 'string') {
      this.#state = 'lost';
      return broken(line, end, this.#text.slice(0, 200));
    }
    const text = this.#text.slice(0, end);
    this.#advance(end);
    const fields = parseObject(text);
    return typeof fields === 'string' ? broken(line, fields, text) : { line, fields };
  }

  #advance(to: number): void {
    this.#line += this.#text.slice(0, to).split('\n').length - 1;
    this.#text = this.#text.slice(to);
  }

  #enterList(): void {
    this.#isRoot = /^\s*\[/.test(this.#text);
    const start = this.#isRoot ? this.#text.indexOf('[') + 1 : listStart(this.#text);
    if (start === undefined) return;
    this.#advance(start);
    this.#state = 'in';
  }

  /** Looks for what must not follow the list. */
  #rest(): SourceRecord[] {
    const extra = this.#text.search(this.#isRoot ? /\S/ : /\[\s*\{/);
    if (extra === -1) return [];
    this.#advance(extra);
    const reason = this.#isRoot
      ? 'text follows the list: remove it'
      : 'a second list is not read: give it its own file';
    return [broken(this.#line, reason)];
  }
}

/** Behind the bracket of the first list of objects in an object; undefined if there is none so far. */
const listStart = (text: string): number | undefined => {
  for (const { 0: found, 1: closingQuote, index } of text.matchAll(BEFORE_LIST))
    if (closingQuote === undefined) return index + found.length;
  return undefined;
};

const NOT_READ = '. What follows is not read';

/** Where an element ends, or why it does not. Undefined if that is in the next block. */
const endOf = (text: string, isLast: boolean): number | string | undefined => {
  let depth = 0;
  for (const { 0: is, 1: closingQuote, index } of text.matchAll(
    text.startsWith('{') ? BRACKETS : BRACKETS_AND_COMMAS,
  )) {
    const end = index + is.length;
    if (closingQuote === '') {
      if (end + 1 < text.length) return `has a text that does not end on its line: a quote is missing${NOT_READ}`;
      break;
    }
    if (is === '{' || is === '[') depth += 1;
    else if (is === ',' || is === ']' || is === '}') {
      if (depth === 0 && is !== '}') return end - 1;
      if (is === ',' || depth === 0) continue;
      depth -= 1;
      if (depth === 0) return end;
    }
  }
  if (text.length > MAX_RECORD_BYTES)
    return `does not end within ${MAX_RECORD_BYTES / 1024 / 1024} MiB: a bracket is missing${NOT_READ}`;
  return isLast ? `does not end${MAY_BE_CUT}` : undefined;
};

/** The records of JSON Lines (https://jsonlines.org): each line is an object, and a line that is not valid costs no other. */
export const jsonLinesReader =
  (): BlockReader =>
  ({ bytes, line: firstLine, isLast }) => {
    const lines = bytes.toString().split('\n');
    return lines.flatMap((text, index): SourceRecord | readonly SourceRecord[] => {
      if (text.trim() === '') return [];
      const line = firstLine + index;
      const fields = parseObject(text);
      if (typeof fields !== 'string') return { line, fields };
      const isCut = isLast && index === lines.length - 1;
      return broken(line, `${fields}${isCut ? MAY_BE_CUT : ''}`, text.trim());
    });
  };

const broken = (line: number, reason: string, value?: string): SourceRecord => ({
  line,
  fields: {},
  fault: { value, reason },
});

/** The object, or why the text is none. */
const parseObject = (text: string): SourceRecord['fields'] | string => {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : 'is not an object';
  } catch (error) {
    // The engine's message quotes the text, which may be long.
    return `is not valid JSON: ${error instanceof Error ? error.message.replace(/, ?(?:\.\.\.)?".*" is not valid JSON$/s, '') : error}`;
  }
};
