import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';

const MAX_BODY_BYTES = 1_048_576;

const tooLarge = (): AppError => new AppError('PAYLOAD_TOO_LARGE', `A request body may have ${MAX_BODY_BYTES} bytes.`);

/** The whole body. @throws AppError PAYLOAD_TOO_LARGE past 1 MiB, as soon as that is known */
export const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
