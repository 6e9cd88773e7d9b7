import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { OperatorError } from '../../errors.ts';

/** A file, or standard input, as blocks of bytes. */
export interface Source {
  /** As the operator named it. */
  readonly name: string;
  /** Undefined where nobody knows before the end. */
  readonly sizeBytes: number | undefined;
  readonly readBytes: () => number;
  /** Blocks of about {@link BLOCK_BYTES}, the last one shorter. Can be read once. */
  readonly blocks: (signal: AbortSignal) => AsyncGenerator<Buffer, void>;
}

/** Large enough that what a block costs does not count, small enough that a few of them are nothing. */
const BLOCK_BYTES = 512 * 1024;

/** The longest that one record may be: what is kept in memory while its end is looked for. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** The end of a sentence on what is not there any more. */
export const MAY_BE_CUT = ': the file may be cut off';

/** @param path a file, or `-` for standard input. @throws OperatorError where there is no such file */
export const openSource = async (path: string): Promise<Source> => {
  const isStdin = path === '-';
  const status = isStdin ? undefined : await stat(path).catch(refuse(path));
  if (status?.isDirectory()) throw new OperatorError(`${path} is a directory.`);
  let readBytes = 0;

  async function* blocks(signal: AbortSignal): AsyncGenerator<Buffer, void> {
    const stream: Readable = isStdin ? process.stdin : createReadStream(path, { highWaterMark: BLOCK_BYTES });
    addAbortSignal(signal, stream);
    let gathered: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        readBytes += chunk.length;
        gathered.push(chunk);
        bytes += chunk.length;
        if (bytes < BLOCK_BYTES) continue;
        yield Buffer.concat(gathered);
        gathered = [];
        bytes = 0;
      }
    } catch (error) {
      if (error instanceof Error && 'syscall' in error) refuse(path)(error);
      throw error;
    }
    if (bytes > 0) yield Buffer.concat(gathered);
  }

  return {
    name: isStdin ? 'standard input' : path,
    sizeBytes: status?.isFile() ? status.size : undefined,
    readBytes: () => readBytes,
    blocks,
  };
};

const refuse =
  (path: string) =>
  (error: Error): never => {
    const isAbsent = 'code' in error && error.code === 'ENOENT';
    throw new OperatorError(isAbsent ? `There is no file ${path}.` : `${path} cannot be read: ${error.message}`);
  };

const startsWith = (bytes: Buffer, ...prefix: number[]): boolean => prefix.every((byte, at) => bytes[at] === byte);

/** The head without the mark that some programs begin a UTF-8 file with. @throws OperatorError where the file is no UTF-8 text */
const withoutMark = (head: Buffer, name: string): Buffer => {
  if (startsWith(head, 0x1f, 0x8b)) {
    throw new OperatorError(`${name} is compressed. Unpack it on the way: gunzip -c ${name} | npx vitrine import -`);
  }
  if (startsWith(head, 0x50, 0x4b, 0x03, 0x04)) {
    throw new OperatorError(`${name} is a ZIP archive or a workbook. Unpack it, or save the sheet as "CSV UTF-8".`);
  }
  if (startsWith(head, 0xff, 0xfe) || startsWith(head, 0xfe, 0xff) || head.subarray(0, 1024).includes(0)) {
    throw new OperatorError(`${name} is not UTF-8: it looks like UTF-16. ${hint('UTF-16', name)}`);
  }
  return startsWith(head, 0xef, 0xbb, 0xbf) ? head.subarray(3) : head;
};

/**
 * @param text whole lines
 * @param line that the text begins with
 * @throws OperatorError where it is no UTF-8, naming the first such line: a guess would put wrong letters into the shop
 */
const assertUtf8 = (text: Buffer, name: string, line: number): void => {
  if (isUtf8(text)) return;
  let at = line;
  for (let start = 0; start < text.length; at += 1) {
    const end = text.indexOf(0x0a, start) + 1 || text.length;
    const bytes = text.subarray(start, end);
    if (!isUtf8(bytes)) {
      const word = bytes
        .toString('latin1')
        .match(/[\x20-\x7e]*[\x80-\xff][\x20-\xff]*/)?.[0]
        .slice(0, 40);
      throw new OperatorError(
        `${name}, line ${at}, is not UTF-8: "${word}" if read as Latin-1. ${hint('WINDOWS-1252', name)}`,
      );
    }
    start = end;
  }
};

const hint = (encoding: string, name: string): string =>
  `Convert it: iconv -f ${encoding} -t UTF-8 ${name === 'standard input' ? '' : `${name} `}> utf8-file`;

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
