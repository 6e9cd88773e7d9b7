import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { OperatorError } from '../../errors.ts';

/** The bytes of a file, or of standard input. */
export interface Source {
  /** As the operator named it. */
  readonly name: string;
  /** Undefined if it is known only at the end. */
  readonly sizeBytes: number | undefined;
  readonly readBytes: () => number;
  /** Can be read once, in blocks of about {@link BLOCK_BYTES}. */
  readonly blocks: (signal: AbortSignal) => AsyncGenerator<Buffer, void>;
}

/** Large enough that the work per block does not count, small enough that a few blocks in memory do not. */
const BLOCK_BYTES = 512 * 1024;

/** @param path a file, or `-` for standard input. @throws OperatorError if there is no such file */
export const openSource = async (path: string): Promise<Source> => {
  const isStdin = path === '-';
  const status = isStdin ? undefined : await stat(path).catch(rethrow(path));
  if (status?.isDirectory()) throw new OperatorError(`${path} is a directory: name its files instead.`);
  let readBytes = 0;

  async function* blocks(signal: AbortSignal): AsyncGenerator<Buffer, void> {
    const stream: Readable = isStdin ? process.stdin : createReadStream(path, { highWaterMark: BLOCK_BYTES });
    addAbortSignal(signal, stream);
    // A pipe delivers much smaller chunks.
    let chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        readBytes += chunk.length;
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes < BLOCK_BYTES) continue;
        yield Buffer.concat(chunks);
        chunks = [];
        bytes = 0;
      }
    } catch (error) {
      if (error instanceof Error && 'syscall' in error) rethrow(path)(error);
      throw error;
    }
    if (bytes > 0) yield Buffer.concat(chunks);
  }

  return {
    name: isStdin ? 'standard input' : path,
    sizeBytes: status?.isFile() ? status.size : undefined,
    readBytes: () => readBytes,
    blocks,
  };
};

/** A source that is in memory already. */
export const sourceOf = (name: string, bytes: Buffer): Source => ({
  name,
  sizeBytes: bytes.length,
  readBytes: () => bytes.length,
  blocks: async function* () {
    yield bytes;
  },
});

const rethrow =
  (path: string) =>
  (error: Error): never => {
    const isAbsent = 'code' in error && error.code === 'ENOENT';
    throw new OperatorError(isAbsent ? `There is no file ${path}.` : `${path} cannot be read: ${error.message}.`);
  };

/** The first element of a generator, and all of them. */
export const peek = async <Element>(
  generator: AsyncGenerator<Element, void>,
): Promise<{ first: Element | undefined; all: AsyncGenerator<Element, void> }> => {
  const next = await generator.next();
  async function* all(): AsyncGenerator<Element, void> {
    if (next.done) return;
    yield next.value;
    yield* generator;
  }
  return { first: next.done ? undefined : next.value, all: all() };
};
