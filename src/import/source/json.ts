import { OperatorError } from '../../errors.ts';
import { isObject, type Place, parseJson, type SourceRecord } from '../record.ts';
import { MAX_RECORD_BYTES, MAY_BE_CUT, type TextBlock } from './text.ts';

/** What stands before the first list of objects inside an object: texts, which may hold anything, and its bracket. */
const BEFORE_LIST = /"[^"\\]*(?:\\.[^"\\]*)*("?)|\[\s*(?=\{)/gs;

/** Texts, which end on their line, and brackets. */
const BRACKETS = /"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*("?)|[[\]{}]/g;
/** The same, and what ends an element that has no brackets. */
const BRACKETS_AND_COMMAS = new RegExp(`${BRACKETS.source}|,`, 'g');

/**
 * The objects of a JSON array, or of the first list of objects inside an object (`{"products": […], "total": 194}`). Each is found by its
 * brackets and given to JSON.parse alone, so that a broken one costs no other, the line of each is known, and amounts keep their digits.
 * Streaming parsers end at the first error, and are slower.
 * @throws OperatorError if there is no such list
 */
export async function* readJsonArray(
  blocks: AsyncIterable<TextBlock>,
  sourceName: string,
): AsyncGenerator<SourceRecord[], void> {
  const reader = new ListReader(sourceName);
  for await (const block of blocks) {
    const records = reader.read(block);
    if (records.length > 0) yield records;
  }
}

/** Reads on in the text. Returns the next step, or undefined where that needs more of the file. */
type Step = () => Step | undefined;

class ListReader {
  readonly #sourceName: string;
  #text = '';
  #isLast = false;
  /** Where reading goes on. */
  #at = 0;
  #line = 1;
  #countedTo = 0;
  #records: SourceRecord[] = [];
  #step: Step = () => this.#enterList();
  #isRoot = true;
  /** A line that begins like this begins an element, because inner objects are indented further. Taken from the first valid element. */
  #marker = '\n{';
  #isMarkerKnown = false;
  #ownMarker: string | undefined;
  /** Where the list begins on the line of its first element, all may be on that line, so each gets its number. */
  #isNumbered: boolean | undefined;
  #count = 0;

  constructor(sourceName: string) {
    this.#sourceName = sourceName;
  }

  /** The elements that end in this block. */
  read(block: TextBlock): SourceRecord[] {
    this.#lineOf(Math.max(this.#at, this.#countedTo));
    this.#text = this.#text.slice(this.#at) + block.bytes.toString();
    this.#countedTo -= this.#at;
    this.#at = 0;
    this.#isLast = block.isLast;
    for (let next: Step | undefined = this.#step; next; next = this.#step()) this.#step = next;
    const records = this.#records;
    this.#records = [];
    return records;
  }

  #lineOf(position: number): number {
    this.#line += this.#text.slice(this.#countedTo, position).split('\n').length - 1;
    this.#countedTo = position;
    return this.#line;
  }

  /** The line break and indentation before an element; undefined if it is not the first on its line. */
  #markerBefore(start: number): string | undefined {
    const [, indentation] = /(?:^|\n)([ \t]*)$/.exec(this.#text.slice(Math.max(0, start - 200), start)) ?? [];
    return indentation === undefined ? undefined : `\n${indentation}{`;
  }

  #enterList(): Step | undefined {
    if (/^\s*\[/.test(this.#text)) {
      this.#at = this.#text.indexOf('[') + 1;
      return () => this.#readList();
    }
    this.#isRoot = false;
    BEFORE_LIST.lastIndex = this.#at;
    for (let found = BEFORE_LIST.exec(this.#text); found && found[1] !== ''; found = BEFORE_LIST.exec(this.#text)) {
      this.#at = BEFORE_LIST.lastIndex;
      if (found[1] === undefined) return () => this.#readList();
    }
    if (!this.#isLast) return undefined;
    throw new OperatorError(
      `${this.#sourceName} has no list of objects: put the rows into [ … ], or one on each line.`,
    );
  }

  #readList(): Step | undefined {
    while (this.#at < this.#text.length && /[\s,]/.test(this.#text.charAt(this.#at))) this.#at += 1;
    if (this.#at >= this.#text.length) {
      if (this.#isLast)
        this.#records.push(broken({ line: this.#lineOf(this.#at) }, `the list is not closed${MAY_BE_CUT}`));
      return undefined;
    }
    if (this.#text[this.#at] === ']') {
      this.#at += 1;
      return () => this.#readRest();
    }
    this.#ownMarker = this.#markerBefore(this.#at);
    return () => this.#readElement();
  }

  #readElement(): Step | undefined {
    const start = this.#at;
    const end = endOf(this.#text, start, this.#isLast);
    if (end === undefined) return undefined;
    this.#count += 1;
    this.#isNumbered ??= this.#ownMarker === undefined;
    if (!this.#isMarkerKnown) this.#marker = this.#ownMarker ?? this.#marker;
    const place = { line: this.#lineOf(start), record: this.#isNumbered ? this.#count : undefined };
    if (typeof end === 'string') {
      this.#records.push(broken(place, end, this.#text.slice(start, start + 200)));
      return () => this.#findNext();
    }
    const fields = parseObject(this.#text.slice(start, end));
    if (typeof fields !== 'string') {
      this.#records.push({ ...place, fields });
      this.#isMarkerKnown ||= this.#ownMarker !== undefined;
      this.#at = end;
      return () => this.#readList();
    }
    this.#records.push(broken(place, fields, this.#text.slice(start, end)));
    const next = this.#text.indexOf(this.#marker, start);
    this.#at = next === -1 ? end : Math.min(next, end);
    return () => this.#readList();
  }

  /** Moves to the next line that begins an element. */
  #findNext(): Step | undefined {
    const next = this.#text.indexOf(this.#marker, this.#at);
    this.#at = next === -1 ? Math.max(this.#at, this.#text.length - this.#marker.length) : next;
    return next === -1 ? undefined : () => this.#readList();
  }

  /** Looks for what must not follow the list. Its bracket may have been a wrong one inside the list. */
  #readRest(): Step | undefined {
    const extra = this.#text.slice(this.#at).search(this.#isRoot ? /\S/ : /\[\s*\{/);
    if (extra !== -1) {
      const reason = this.#isRoot
        ? 'text follows the list: remove it'
        : 'a second list is not read: give it its own file';
      this.#records.push(broken({ line: this.#lineOf(this.#at + extra) }, reason));
      if (this.#isRoot) return () => this.#findNext();
    }
    this.#at = this.#text.length;
    return undefined;
  }
}

/** Where an element ends, or why it does not. Undefined if that is in the next block. */
const endOf = (text: string, start: number, isLast: boolean): number | string | undefined => {
  const token = text[start] === '{' ? BRACKETS : BRACKETS_AND_COMMAS;
  let depth = 0;
  token.lastIndex = start;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [is, closingQuote] = found;
    const end = token.lastIndex;
    if (closingQuote === '') {
      const isOver = end < text.length && (text[end] === '\n' || end + 1 < text.length);
      if (isOver) return 'has a text that does not end on its line: a quote is missing';
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
  if (text.length - start > MAX_RECORD_BYTES)
    return `does not end within ${MAX_RECORD_BYTES / 1024 / 1024} MiB: a bracket is missing`;
  return isLast ? `does not end${MAY_BE_CUT}` : undefined;
};

/** The records of JSON Lines (https://jsonlines.org): each line is an object, and a line that is not valid costs no other. */
export async function* readJsonLines(blocks: AsyncIterable<TextBlock>): AsyncGenerator<SourceRecord[], void> {
  for await (const { bytes, line: firstLine, isLast } of blocks) {
    const lines = bytes.toString().split('\n');
    const records = lines.flatMap((text, index): SourceRecord | readonly SourceRecord[] => {
      if (text.trim() === '') return [];
      const line = firstLine + index;
      const fields = parseObject(text);
      if (typeof fields !== 'string') return { line, fields };
      const isCut = isLast && index === lines.length - 1;
      return broken({ line }, `${fields}${isCut ? MAY_BE_CUT : ''}`, text.trim());
    });
    if (records.length > 0) yield records;
  }
}

const broken = (place: Place, reason: string, value?: string): SourceRecord => ({
  ...place,
  fields: {},
  fault: { ...place, value, reason },
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
