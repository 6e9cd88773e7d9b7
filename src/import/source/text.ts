import { isUtf8 } from 'node:buffer';
import { OperatorError } from '../../errors.ts';
import type { SourceRecord } from '../record.ts';

/** The bytes of a file, or of standard input. */
export interface Source {
  /** As the operator named it. */
  readonly name: string;
  /** Can be read once, in blocks of about half a megabyte. */
  readonly blocks: (signal: AbortSignal) => AsyncGenerator<Buffer, void>;
}

/** A part of a text that ends with a line, or with the file. */
export interface TextBlock {
  readonly bytes: Buffer;
  /** The number of its first line, from 1. */
  readonly line: number;
  readonly isLast: boolean;
}

/** Reads the blocks of a file one after the other. @returns the records that end in the block */
export type BlockReader = (block: TextBlock) => SourceRecord[];

export const NEWLINE = 0x0a;
export const CARRIAGE_RETURN = 0x0d;

/** The longest record, which has to fit into memory. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** The end of a message about something whose end is missing. */
export const MAY_BE_CUT = ': the file may be cut off';

/**
 * The source as UTF-8 text in blocks of whole lines. The last block may be empty. A line longer than {@link MAX_RECORD_BYTES} is split between
 * two characters.
 * @throws OperatorError if the source is empty, or is not UTF-8
 */
export async function* readText(source: Source, signal: AbortSignal): AsyncGenerator<TextBlock, void> {
  let rest: Buffer = Buffer.alloc(0);
  let line = 1;
  let isFirst = true;
  for await (const block of source.blocks(signal)) {
    let bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
    if (isFirst) {
      bytes = withoutByteOrderMark(bytes, source.name);
      isFirst = false;
    }
    const end = bytes.lastIndexOf(NEWLINE) + 1 || (bytes.length > MAX_RECORD_BYTES ? lastCharacterStart(bytes) : 0);
    rest = bytes.subarray(end);
    if (end === 0) continue;
    const text = bytes.subarray(0, end);
    assertUtf8(text, source.name, line);
    yield { bytes: text, line, isLast: false };
    line += countNewlines(text, 0, end);
  }
  assertUtf8(rest, source.name, line);
  yield { bytes: rest, line, isLast: true };
}

export const countNewlines = (bytes: Buffer, from: number, to: number): number => {
  let count = 0;
  // A search in all bytes would go on behind the end.
  const part = bytes.subarray(from, to);
  for (let at = part.indexOf(NEWLINE); at !== -1; at = part.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
};

/** @throws OperatorError if the first bytes show that the file is no text: archives, workbooks and pictures have a NUL, and so has UTF-16 */
const withoutByteOrderMark = (bytes: Buffer, name: string): Buffer => {
  const head = bytes.toString('latin1', 0, 1024);
  if (/^(?:\xff\xfe|\xfe\xff)|\0/.test(head)) {
    const remedy = 'Unpack an archive, save a workbook as "CSV UTF-8", and convert UTF-16';
    throw new OperatorError(`${name} is no text in UTF-8. ${remedy}: ${conversion('UTF-16', name)}`);
  }
  return head.startsWith('\xef\xbb\xbf') ? bytes.subarray(3) : bytes;
};

/**
 * @param text whole lines
 * @param line the number of its first line
 * @throws OperatorError that names the first line that is not UTF-8: a guess would put wrong letters into the shop
 */
const assertUtf8 = (text: Buffer, name: string, line: number): void => {
  if (isUtf8(text)) return;
  for (let start = 0; start < text.length; line += 1) {
    const end = text.indexOf(NEWLINE, start) + 1 || text.length;
    const bytes = text.subarray(start, end);
    if (!isUtf8(bytes)) {
      const [words] = bytes.toString('latin1').match(/[\x20-\x7e]*[\x80-\xff][\x20-\xff]*/) ?? [''];
      throw new OperatorError(
        `${name}, line ${line}, is not UTF-8: "${words.slice(0, 40)}" if read as Latin-1. Convert it: ${conversion('WINDOWS-1252', name)}`,
      );
    }
    start = end;
  }
};

const conversion = (encoding: string, name: string): string =>
  `iconv -f ${encoding} -t UTF-8 ${name === 'standard input' ? '' : `${name} `}> utf8-file`;

/** Where the last character begins, which may be incomplete. */
const lastCharacterStart = (bytes: Buffer): number => {
  let at = bytes.length - 1;
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
};
