import { OperatorError } from '../../errors.ts';
import { type Fault, isObject, parseJson, type SourceRecord, syntaxReason } from '../record.ts';
import { CARRIAGE_RETURN, countNewlines, MAX_RECORD_BYTES, MAY_BE_CUT, NEWLINE, type TextBlock } from './source.ts';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === NEWLINE || byte === CARRIAGE_RETURN || byte === 0x09;

/**
 * `seek`: before the list; `opened`: after a bracket that may be its; `between`: in it, outside its elements; `inside`: in an element;
 * `resync`: after something broken, looking for a line that begins an element; `after`: behind the list.
 */
type Phase = 'seek' | 'opened' | 'between' | 'inside' | 'resync' | 'after';

/**
 * The objects of a JSON array, or of the first list of objects inside an object (`{"products": […], "total": 194}`).
 * Cut out by their brackets and given to JSON.parse one by one: one that is broken costs no other, each knows its line, and amounts keep
 * their digits. The streaming parsers end at the first fault, and are slower: 200 MB take 3.3 s here, 4.2 s by @streamparser/json, and 11.2 s
 * by stream-json (Node 24; memory is bounded in all).
 * @throws OperatorError where there is no such list
 */
export async function* readJsonArray(blocks: AsyncIterable<TextBlock>): AsyncGenerator<SourceRecord[], void> {
  let text: Buffer = Buffer.alloc(0);
  let at = 0;
  let phase = 'seek' as Phase;
  let isRootList: boolean | undefined;
  let isInString = false;
  let depth = 0;
  let start = 0;
  let startLine = 1;
  let line = 1;
  let countedTo = 0;
  let records: SourceRecord[] = [];

  const onFault = (fault: Fault): void => {
    records.push({ line: fault.line, fields: {}, fault });
  };

  const lineOf = (position: number): number => {
    line += countNewlines(text, countedTo, position);
    countedTo = position;
    return line;
  };

  /** How the line of an element begins, up to its bracket; undefined where it is not the first on its line. */
  const lineStart = (): Buffer | undefined => {
    let from = start;
    while (from > 0 && (text[from - 1] === 0x20 || text[from - 1] === 0x09)) from -= 1;
    if (from > 0 && text[from - 1] !== NEWLINE) return undefined;
    return Buffer.from(`\n${text.toString('latin1', from, start)}{`, 'latin1');
  };
  // A line that begins so begins an element: objects further in stand further right. Known from the first element that is well-formed.
  let marker: Buffer = Buffer.from('\n{');
  let isMarkerKnown = false;

  const begin = (position: number): void => {
    start = position;
    startLine = lineOf(position);
    if (!isMarkerKnown) marker = lineStart() ?? marker;
    depth = 0;
    isInString = false;
    phase = 'inside';
  };

  const fail = (reason: string, isWhole: boolean): void => {
    onFault({ line: startLine, value: text.toString('utf8', start, Math.min(at, start + 200)), reason });
    const next = text.indexOf(marker, start);
    if (next !== -1 && next < at) at = next;
    else if (!isWhole) {
      at = Math.max(start, at - marker.length);
      phase = 'resync';
      return;
    }
    phase = 'between';
  };

  const finish = (): void => {
    phase = 'between';
    try {
      const fields = parseJson(text.toString('utf8', start, at));
      if (isObject(fields)) {
        records.push({ line: startLine, fields });
        isMarkerKnown ||= lineStart() !== undefined;
      } else fail('is not an object', true);
    } catch (error) {
      fail(syntaxReason(error), true);
    }
  };

  const scanElement = (): void => {
    for (; at < text.length; at += 1) {
      const byte = text[at];
      if (isInString) {
        if (byte === QUOTE) isInString = false;
        else if (byte === BACKSLASH && text[at + 1] !== NEWLINE) at += 1;
        else if (byte === NEWLINE) {
          fail('has a text that does not end on its line: a quote is missing', false);
          return;
        }
      } else if (byte === QUOTE) isInString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
      else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && depth > 0) {
        depth -= 1;
        if (depth > 0) continue;
        at += 1;
        finish();
        return;
      } else if (depth === 0 && (byte === COMMA || byte === CLOSE_LIST)) {
        finish();
        return;
      }
    }
    if (at - start > MAX_RECORD_BYTES) {
      fail(`does not end within ${MAX_RECORD_BYTES / 1024 / 1024} MiB: a bracket is missing`, false);
    }
  };

  /** Looks for the list at one byte before it. */
  const seek = (byte: number): void => {
    at += 1;
    isRootList ??= isBlank(byte) ? undefined : byte === OPEN_LIST;
    if (isInString && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isInString = !isInString;
    else if (byte === OPEN_LIST && !isInString) phase = 'opened';
  };

  /** Whether the list is one of objects is told by the first byte in it. */
  const lookInto = (byte: number): void => {
    if (isBlank(byte)) at += 1;
    else phase = byte === OPEN_OBJECT || isRootList ? 'between' : 'seek';
  };

  const stepBetween = (byte: number): void => {
    if (!isBlank(byte) && byte !== COMMA && byte !== CLOSE_LIST) {
      begin(at);
      return;
    }
    if (byte === CLOSE_LIST) phase = 'after';
    at += 1;
  };

  const resync = (): void => {
    const next = text.indexOf(marker, at);
    at = next === -1 ? text.length : next;
    if (next !== -1) phase = 'between';
  };

  const lookBehind = (): void => {
    const rest = text.toString('latin1', at);
    const reason = isRootList ? 'something follows the list' : 'a second list is not read: give it a file of its own';
    const extra = rest.search(isRootList ? /\S/ : /\[\s*\{/);
    if (extra !== -1) {
      onFault({ line: lineOf(at + extra), reason });
      // Then the bracket was no end.
      if (isRootList) phase = 'resync';
      else at = text.length;
      return;
    }
    at = text.length;
  };

  for await (const { bytes, isLast } of blocks) {
    // What is before the element, or before the last line that could begin one, is done with.
    const keepFrom =
      phase === 'inside' ? start : phase === 'resync' ? Math.max(0, text.length - marker.length) : text.length;
    lineOf(Math.max(keepFrom, countedTo));
    at -= keepFrom;
    countedTo -= keepFrom;
    start -= keepFrom;
    text = Buffer.concat([text.subarray(keepFrom), bytes]);
    if (phase === 'resync') at = 0;

    while (at < text.length || (isLast && phase === 'inside')) {
      if (phase === 'inside') scanElement();
      else if (phase === 'resync') resync();
      else if (phase === 'after') lookBehind();
      else if (phase === 'seek') seek(text[at] ?? 0);
      else if (phase === 'opened') lookInto(text[at] ?? 0);
      else stepBetween(text[at] ?? 0);
      if (isLast && at >= text.length && phase === 'inside') fail(`does not end${MAY_BE_CUT}`, false);
    }
    if (isLast && phase === 'between')
      onFault({ line: lineOf(text.length), reason: `the list is not closed${MAY_BE_CUT}` });
    if (records.length > 0) yield records;
    records = [];
  }
  if (phase === 'seek' || phase === 'opened') throw new OperatorError('There is no list of objects in the file.');
}

/** The records of JSON Lines (https://jsonlines.org): each line is an object, and a line that is none costs no other. */
export async function* readJsonLines(blocks: AsyncIterable<TextBlock>): AsyncGenerator<SourceRecord[], void> {
  for await (const { bytes, line: firstLine, isLast } of blocks) {
    const records: SourceRecord[] = [];
    let line = firstLine;
    for (let start = 0; start < bytes.length; line += 1) {
      const end = bytes.indexOf(NEWLINE, start) + 1 || bytes.length;
      const text = bytes.toString('utf8', start, end).trim();
      start = end;
      if (text === '') continue;
      try {
        const fields = parseJson(text);
        if (isObject(fields)) records.push({ line, fields });
        else records.push({ line, fields: {}, fault: { line, value: text, reason: 'is not an object' } });
      } catch (error) {
        const isCut = isLast && end === bytes.length && bytes.at(-1) !== NEWLINE;
        const reason = `${syntaxReason(error)}${isCut ? MAY_BE_CUT : ''}`;
        records.push({ line, fields: {}, fault: { line, value: text, reason } });
      }
    }
    if (records.length > 0) yield records;
  }
}
