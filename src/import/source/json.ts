import { OperatorError } from '../../errors.ts';
import { isObject, type Place, type SourceRecord, type Value } from '../record.ts';
import { CARRIAGE_RETURN, countNewlines, MAX_RECORD_BYTES, MAY_BE_CUT, NEWLINE, type TextBlock } from './text.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [SPACE, TAB] = [0x20, 0x09];

const isWhiteSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === NEWLINE || byte === CARRIAGE_RETURN || byte === TAB;

/** Waits for the next block of the file wherever it yields. */
type Scan<Result> = Generator<void, Result>;

/**
 * The objects of a JSON array, or of the first list of objects inside an object (`{"products": […], "total": 194}`). Each is found by its
 * brackets and given to JSON.parse alone, so that a broken one costs no other, the line of each is known, and amounts keep their digits.
 * Streaming parsers end at the first error, and are slower: 200 MB take 3.3 s here, 4.2 s with @streamparser/json, and 11.2 s with stream-json
 * (Node 24; memory is bounded in all).
 * @throws OperatorError if there is no such list
 */
export async function* readJsonArray(
  blocks: AsyncIterable<TextBlock>,
  sourceName: string,
): AsyncGenerator<SourceRecord[], void> {
  let text: Buffer = Buffer.alloc(0);
  let isLast = false;
  let at = 0;
  // Where the element begins whose text is kept.
  let start = Number.POSITIVE_INFINITY;
  let line = 1;
  let countedTo = 0;
  let records: SourceRecord[] = [];
  // A line that begins like this begins an element, because inner objects are indented further. Taken from the first valid element.
  let marker: Buffer = Buffer.from('\n{');
  let isMarkerKnown = false;
  // Where the list begins on the line of its first element, all may be on that line, so each gets its number.
  let isNumbered: boolean | undefined;
  let record = 0;

  const lineOf = (position: number): number => {
    line += countNewlines(text, countedTo, position);
    countedTo = position;
    return line;
  };

  /** Whether there is a byte, perhaps in the next block. */
  function* hasMore(): Scan<boolean> {
    while (at >= text.length && !isLast) yield;
    return at < text.length;
  }

  /** Moves into the list. @returns whether the file begins with it */
  function* enterList(): Scan<boolean> {
    let isRoot: boolean | undefined;
    let isInString = false;
    while (at < text.length || (yield* hasMore())) {
      const byte = text[at];
      at += 1;
      if (!isWhiteSpace(byte)) isRoot ??= byte === OPEN_LIST;
      if (isInString && byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = !isInString;
      else if (byte === OPEN_LIST && !isInString) {
        while ((at < text.length || (yield* hasMore())) && isWhiteSpace(text[at])) at += 1;
        // The first byte in a list tells whether it holds objects.
        if (at < text.length && (isRoot || text[at] === OPEN_OBJECT)) return isRoot === true;
      }
    }
    throw new OperatorError(`${sourceName} has no list of objects: put the rows into [ … ], or one on each line.`);
  }

  /** The line break and indentation before the element; undefined if the element is not the first on its line. */
  const markerOfElement = (): Buffer | undefined => {
    let from = start;
    while (from > 0 && (text[from - 1] === SPACE || text[from - 1] === TAB)) from -= 1;
    if (from > 0 && text[from - 1] !== NEWLINE) return undefined;
    return Buffer.from(`\n${text.toString('latin1', from, start)}{`, 'latin1');
  };

  /** Moves to the next line that begins an element. @returns whether there is one */
  function* resync(): Scan<boolean> {
    for (;;) {
      const next = text.indexOf(marker, at);
      at = next === -1 ? Math.max(at, text.length - marker.length) : next;
      if (next !== -1 || isLast) return next !== -1;
      yield;
    }
  }

  /** Reads an element, and moves behind it. @returns whether the list goes on */
  function* readElement(): Scan<boolean> {
    start = at;
    record += 1;
    isNumbered ??= markerOfElement() === undefined;
    if (!isMarkerKnown) marker = markerOfElement() ?? marker;
    const place = { line: lineOf(at), record: isNumbered ? record : undefined };
    const fault = yield* findEnd();
    const fields = fault ?? parseObject(text.toString('utf8', start, at));
    if (typeof fields !== 'string') {
      records.push({ ...place, fields });
      isMarkerKnown ||= markerOfElement() !== undefined;
      start = Number.POSITIVE_INFINITY;
      return true;
    }
    records.push(broken(place, fields, text.toString('utf8', start, Math.min(at, start + 200))));
    const next = text.indexOf(marker, start);
    const isNextInside = next !== -1 && next < at;
    if (isNextInside) at = next;
    else if (fault !== undefined) at = Math.max(start, at - marker.length);
    start = Number.POSITIVE_INFINITY;
    return isNextInside || fault === undefined || (yield* resync());
  }

  /** Moves to the end of the element. @returns why there is none */
  function* findEnd(): Scan<string | undefined> {
    let isInString = false;
    let depth = 0;
    for (; at < text.length || (at - start <= MAX_RECORD_BYTES && (yield* hasMore())); at += 1) {
      const byte = text[at];
      if (isInString) {
        if (byte === QUOTE) isInString = false;
        else if (byte === BACKSLASH && text[at + 1] !== NEWLINE) at += 1;
        else if (byte === NEWLINE) return 'has a text that does not end on its line: a quote is missing';
      } else if (byte === QUOTE) isInString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
      else if (depth === 0 && (byte === COMMA || byte === CLOSE_LIST)) return undefined;
      else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && depth > 0) {
        depth -= 1;
        if (depth > 0) continue;
        at += 1;
        return undefined;
      }
    }
    return at - start > MAX_RECORD_BYTES
      ? `does not end within ${MAX_RECORD_BYTES / 1024 / 1024} MiB: a bracket is missing`
      : `does not end${MAY_BE_CUT}`;
  }

  /** Looks for what must not follow the list. @returns whether elements follow: the bracket may have been a wrong one inside the list */
  function* readRest(isRoot: boolean): Scan<boolean> {
    for (; at < text.length || (yield* hasMore()); at = text.length) {
      const extra = text.toString('latin1', at).search(isRoot ? /\S/ : /\[\s*\{/);
      if (extra === -1) continue;
      const reason = isRoot ? 'text follows the list: remove it' : 'a second list is not read: give it its own file';
      records.push(broken({ line: lineOf(at + extra) }, reason));
      if (isRoot) return yield* resync();
    }
    return false;
  }

  function* readList(): Scan<void> {
    const isRoot = yield* enterList();
    for (let goesOn = true; goesOn; ) {
      if (at >= text.length && !(yield* hasMore())) {
        records.push(broken({ line: lineOf(text.length) }, `the list is not closed${MAY_BE_CUT}`));
        return;
      }
      const byte = text[at];
      if (byte !== COMMA && byte !== CLOSE_LIST && !isWhiteSpace(byte)) goesOn = yield* readElement();
      else {
        at += 1;
        if (byte === CLOSE_LIST) goesOn = yield* readRest(isRoot);
      }
    }
  }

  const list = readList();
  for await (const block of blocks) {
    const keepFrom = Math.min(start, at, text.length);
    lineOf(Math.max(keepFrom, countedTo));
    at -= keepFrom;
    countedTo -= keepFrom;
    start -= keepFrom;
    text = Buffer.concat([text.subarray(keepFrom), block.bytes]);
    isLast = block.isLast;
    list.next();
    if (records.length > 0) yield records;
    records = [];
  }
}

/** The records of JSON Lines (https://jsonlines.org): each line is an object, and a line that is not valid costs no other. */
export async function* readJsonLines(blocks: AsyncIterable<TextBlock>): AsyncGenerator<SourceRecord[], void> {
  for await (const { bytes, line: firstLine, isLast } of blocks) {
    const records: SourceRecord[] = [];
    let line = firstLine;
    for (let start = 0; start < bytes.length; line += 1) {
      const end = bytes.indexOf(NEWLINE, start) + 1 || bytes.length;
      const text = bytes.toString('utf8', start, end).trim();
      const isCut = isLast && end === bytes.length && bytes.at(-1) !== NEWLINE;
      start = end;
      if (text === '') continue;
      const fields = parseObject(text);
      if (typeof fields !== 'string') records.push({ line, fields });
      else records.push(broken({ line }, `${fields}${isCut ? MAY_BE_CUT : ''}`, text));
    }
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

/** Parses JSON with each number as its source text. @throws SyntaxError */
export const parseJson = (text: string): Value => JSON.parse(text, keepDigits);

// Source text access: https://tc39.es/proposal-json-parse-with-source/
const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? (context?.source ?? String(value)) : value;
