import { OperatorError } from '../../../errors.ts';
import { assertUtf8, withoutMark } from './encoding.ts';
import { MAX_RECORD_BYTES, type Source } from './source.ts';

/** A part of a text that ends with a line, or with the file. */
export interface TextBlock {
  readonly bytes: Buffer;
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly isLast: boolean;
}

export const NEWLINE = 0x0a;
export const CARRIAGE_RETURN = 0x0d;

export const countNewlines = (bytes: Buffer, from: number, to: number): number => {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE, from); at !== -1 && at < to; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
};

/**
 * The source as UTF-8 text, cut at ends of lines. The last block may be empty.
 * A line that does not end within {@link MAX_RECORD_BYTES} is given in pieces that end between two characters.
 * @throws OperatorError where it is not UTF-8, or is empty
 */
export async function* readText(source: Source, signal: AbortSignal): AsyncGenerator<TextBlock, void> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  let isFirst = true;
  let lineEnd = NEWLINE;
  for await (const block of source.blocks(signal)) {
    let bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
    if (isFirst) {
      bytes = withoutMark(bytes, source.name);
      // Before OS X, Macs ended lines with a carriage return alone.
      if (!bytes.includes(NEWLINE) && bytes.includes(CARRIAGE_RETURN)) lineEnd = CARRIAGE_RETURN;
      isFirst = false;
    }
    const cut = bytes.lastIndexOf(lineEnd) + 1 || (bytes.length > MAX_RECORD_BYTES ? betweenCharacters(bytes) : 0);
    rest = bytes.subarray(cut);
    if (cut === 0) continue;
    const text = bytes.subarray(0, cut);
    assertUtf8(text, source.name, line);
    yield { bytes: text, line, isLast: false };
    line += countNewlines(text, 0, cut);
  }
  if (isFirst) throw new OperatorError(`${source.name} is empty.`);
  assertUtf8(rest, source.name, line);
  yield { bytes: rest, line, isLast: true };
}

/** Before the first byte of the last character, which may be incomplete. */
const betweenCharacters = (bytes: Buffer): number => {
  let at = bytes.length - 1;
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
};
