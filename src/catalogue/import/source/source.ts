import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { OperatorError } from '../../../errors.ts';

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
