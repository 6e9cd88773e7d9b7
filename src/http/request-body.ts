import type { IncomingMessage } from 'node:http';
import { AppError, Overloaded } from '../errors.ts';

export const MAX_BODY_BYTES = 1_048_576;

/** Of all bodies that are being received. */
const MAX_HELD_BYTES = 64 * MAX_BODY_BYTES;

const EMPTY = Buffer.alloc(0);

export const tooLarge = (): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `A request body may have at most ${MAX_BODY_BYTES} bytes.`);

export const createBodyReader = () => {
  let heldBytes = 0;

  /**
   * Reads the whole body by events: an async iterator or a promise would cost a POST as much as the rest of a cache hit.
   * @param onRead gets AppError PAYLOAD_TOO_LARGE past 1 MiB, as soon as that is known, SERVICE_UNAVAILABLE where the bodies under way
   * take too much memory together, and BAD_USER_INPUT where the body breaks off
   */
  return (request: IncomingMessage, onRead: (body: Buffer | AppError) => void): void => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      onRead(tooLarge());
      return;
    }
    // With `optimizeEmptyRequests`, Node emits no event of the stream for a request that announces no body.
    if (request.readableEnded) {
      onRead(EMPTY);
      return;
    }
    let body: Buffer | undefined;
    let bytes = 0;
    let isOver = false;

    const giveUp = (error: AppError): void => {
      isOver = true;
      heldBytes -= bytes;
      body = undefined;
      onRead(error);
    };
    const add = (chunk: Buffer): void => {
      if (isOver) return;
      body = body ? append(body, bytes, chunk) : chunk;
      bytes += chunk.byteLength;
      heldBytes += chunk.byteLength;
      if (bytes > MAX_BODY_BYTES) giveUp(tooLarge());
      else if (heldBytes > MAX_HELD_BYTES) giveUp(new Overloaded('There are too many large requests at once.'));
    };
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      heldBytes -= bytes;
      onRead(body && body.byteLength > bytes ? body.subarray(0, bytes) : (body ?? EMPTY));
    };
    // With a listener, Node also emits an error for a request that is over.
    const fail = (): void => {
      if (!isOver) giveUp(new AppError('BAD_USER_INPUT', 'The request ended before its body did.'));
    };
    request.on('data', add).on('end', end).on('error', fail);
  };
};

/** Into one buffer that doubles: separate chunks of one byte would take a hundred times their size. */
const append = (body: Buffer, bytes: number, chunk: Buffer): Buffer => {
  const end = bytes + chunk.byteLength;
  let room = body;
  if (end > body.byteLength) {
    room = Buffer.allocUnsafeSlow(Math.max(end, body.byteLength * 2));
    body.copy(room, 0, 0, bytes);
  }
  chunk.copy(room, bytes);
  return room;
};
