import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';

const MAX_BODY_BYTES = 1_048_576;

const tooLarge = (): AppError => new AppError('PAYLOAD_TOO_LARGE', `A request body may have ${MAX_BODY_BYTES} bytes.`);

/**
 * Reads the whole body, by events and without a promise: either would cost a POST as much as all the rest of answering it from memory.
 * @param onFailed gets AppError PAYLOAD_TOO_LARGE past 1 MiB, as soon as that is known, and BAD_USER_INPUT where the body breaks off
 */
export const readBody = (
  request: IncomingMessage,
  onRead: (body: Buffer) => void,
  onFailed: (error: AppError) => void,
): void => {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    onFailed(tooLarge());
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else if (!isOver) {
      isOver = true;
      chunks.length = 0;
      request.pause();
      onFailed(tooLarge());
    }
  });
  request.on('end', () => {
    if (isOver) return;
    const [only = EMPTY] = chunks;
    onRead(chunks.length > 1 ? Buffer.concat(chunks) : only);
  });
  // Node says so to a request that breaks off, and to one that is over only if somebody listens.
  request.on('error', () => {
    if (isOver) return;
    isOver = true;
    onFailed(new AppError('BAD_USER_INPUT', 'The request ended before its body did.'));
  });
};

const EMPTY = Buffer.alloc(0);
