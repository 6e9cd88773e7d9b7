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
  let text = '';
  let isLast = false;
  let at = 0;
  let line = 1;
  let countedTo = 0;
  let records: SourceRecord[] = [];
  let isRoot = true;
  // A line that begins like this begins an element, because inner objects are indented further. Taken from the first valid element.
  let marker = '\n{';
  let isMarkerKnown = false;
  let ownMarker: string | undefined;
  // Where the list begins on the line of its first element, all may be on that line, so each gets its number.
  let isNumbered: boolean | undefined;
  let record = 0;

  const lineOf = (position: number): number => {
    line += text.slice(countedTo, position).split('\n').length - 1;
    countedTo = position;
    return line;
  };

  /** The line break and indentation before an element; undefined if it is not the first on its line. */
  const markerBefore = (start: number): string | undefined => {
    const [, indentation] = /(?:^|\n)([ \t]*)$/.exec(text.slice(Math.max(0, start - 200), start)) ?? [];
    return indentation === undefined ? undefined : `\n${indentation}{`;
  };

  /** Each reads on from `at`. Returns the next step, or undefined where that needs more of the file, and `at` is where to go on then. */
  type Step = () => Step | undefined;

  const enterList: Step = () => {
    if (/^\s*\[/.test(text)) {
      at = text.indexOf('[') + 1;
      return readList;
    }
    isRoot = false;
    BEFORE_LIST.lastIndex = at;
    for (let found = BEFORE_LIST.exec(text); found && found[1] !== ''; found = BEFORE_LIST.exec(text)) {
      at = BEFORE_LIST.lastIndex;
      if (found[1] === undefined) return readList;
    }
    if (!isLast) return undefined;
    throw new OperatorError(`${sourceName} has no list of objects: put the rows into [ … ], or one on each line.`);
  };

  const readList: Step = () => {
    while (at < text.length && /[\s,]/.test(text.charAt(at))) at += 1;
    if (at >= text.length) {
      if (isLast) records.push(broken({ line: lineOf(at) }, `the list is not closed${MAY_BE_CUT}`));
      return undefined;
    }
    if (text[at] === ']') {
      at += 1;
      return readRest;
    }
    ownMarker = markerBefore(at);
    return readElement;
  };

  const readElement: Step = () => {
    const end = endOf(text, at, isLast);
    if (end === undefined) return undefined;
    record += 1;
    isNumbered ??= ownMarker === undefined;
    if (!isMarkerKnown) marker = ownMarker ?? marker;
    const place = { line: lineOf(at), record: isNumbered ? record : undefined };
    const fields = typeof end === 'string' ? end : parseObject(text.slice(at, end));
    if (typeof fields !== 'string') {
      records.push({ ...place, fields });
      isMarkerKnown ||= ownMarker !== undefined;
      at = end as number;
      return readList;
    }
    records.push(broken(place, fields, text.slice(at, typeof end === 'string' ? at + 200 : end)));
    if (typeof end === 'string') return findNext;
    const next = text.indexOf(marker, at);
    at = next === -1 ? end : Math.min(next, end);
    return readList;
  };

  /** Moves to the next line that begins an element. */
  const findNext: Step = () => {
    const next = text.indexOf(marker, at);
    at = next === -1 ? Math.max(at, text.length - marker.length) : next;
    return next === -1 ? undefined : readList;
  };

  /** Looks for what must not follow the list. Its bracket may have been a wrong one inside the list. */
  const readRest: Step = () => {
    const extra = text.slice(at).search(isRoot ? /\S/ : /\[\s*\{/);
    if (extra !== -1) {
      const reason = isRoot ? 'text follows the list: remove it' : 'a second list is not read: give it its own file';
      records.push(broken({ line: lineOf(at + extra) }, reason));
      if (isRoot) return findNext;
    }
    at = text.length;
    return undefined;
  };

  let step: Step = enterList;
  for await (const block of blocks) {
    lineOf(Math.max(at, countedTo));
    text = text.slice(at) + block.bytes.toString();
    countedTo -= at;
    at = 0;
    isLast = block.isLast;
    for (let next: Step | undefined = step; next; next = step()) step = next;
    if (records.length > 0) yield records;
    records = [];
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
