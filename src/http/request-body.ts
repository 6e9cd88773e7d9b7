import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';

const MAX_BODY_BYTES = 1_048_576;

const tooLarge = (): AppError => new AppError('PAYLOAD_TOO_LARGE', `A request body may have ${MAX_BODY_BYTES} bytes.`);

/**
 * The whole body. By events: an async iterator over the stream costs as much as all the rest of answering from memory.
 * @throws AppError PAYLOAD_TOO_LARGE past 1 MiB, as soon as that is known
 */
export const readBody = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      reject(tooLarge());
      return;
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else {
        chunks.length = 0;
        request.pause();
        reject(tooLarge());
      }
    });
    request.on('end', () => {
      const [only = Buffer.alloc(0)] = chunks;
      resolve(chunks.length > 1 ? Buffer.concat(chunks) : only);
    });
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete) reject(new AppError('BAD_USER_INPUT', 'The request ended before its body did.'));
    });
  });
