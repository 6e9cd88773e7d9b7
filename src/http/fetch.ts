import { withDeadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import {
  dropConnectionHeaders,
  type GatewayRequest,
  type GatewayResponse,
  MAX_UNREAD_BYTES,
  takesBody,
} from './message.ts';
import { MAX_BODY_BYTES, tooLarge } from './request-body.ts';
import type { App } from './serve-request.ts';

/** The app as a handler of the Fetch standard: https://fetch.spec.whatwg.org */
export const createFetchHandler = ({ handle }: App) => {
  const drained = Promise.withResolvers<void>();
  let isDraining = false;
  let underWay = 0;

  const read = async (request: Request): Promise<GatewayRequest> => {
    const { method } = request;
    const { pathname, search } = new URL(request.url);
    const target = pathname + search;
    const fault = isDraining ? new AppError('SERVICE_UNAVAILABLE', 'The gateway is closed.') : undefined;
    const body = !fault && takesBody(method, target) ? await readBody(request) : undefined;
    return { method, target, headers: Object.fromEntries(request.headers), body, fault };
  };

  return {
    /** Never rejects. Limits on connections and clients are up to the caller. */
    fetch: async (request: Request): Promise<Response> => {
      underWay += 1;
      try {
        return toResponse(request.method, await handle(await read(request)));
      } finally {
        underWay -= 1;
        if (isDraining && underWay === 0) drained.resolve();
      }
    },
    /** Every further request gets a 503; resolves when those under way are answered, or after the timeout. */
    drain: async (timeoutMs: number): Promise<void> => {
      isDraining = true;
      if (underWay > 0) await withDeadline(drained.promise, timeoutMs).catch(() => undefined);
    },
  };
};

/** The body, or the error of one that is too large, breaks off, or was read before. */
const readBody = async (request: Request): Promise<Buffer | AppError> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes > MAX_BODY_BYTES) return tooLarge();
    }
  } catch (cause) {
    return new AppError('BAD_USER_INPUT', 'The request ended before its body did.', { cause });
  }
  return Buffer.concat(chunks);
};

const toResponse = (method: string, answered: GatewayResponse): Response => {
  const { status, body, encoding, stream } = answered;
  const headers = dropConnectionHeaders(answered.headers);
  const hasBody = status !== 204 && status !== 304;
  const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : body;
  if (hasBody && !stream) headers['content-length'] = bytes?.byteLength ?? 0;
  const toBody = (): BodyInit | null => (stream ? streamedBody(stream) : (bytes as Uint8Array<ArrayBuffer> | null));
  return new Response(hasBody && method !== 'HEAD' ? toBody() : null, {
    status,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, String(each)]),
    ),
  });
};

/** What makes the body gives nothing more to it once it is over. */
const streamedBody = (stream: NonNullable<GatewayResponse['stream']>): ReadableStream => {
  let onClose = (): void => {};
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        /** How much more may be left unread. */
        const room = (): number => controller.desiredSize ?? 0;
        onClose = stream({
          write: (bytes) => {
            if (room() <= 0) {
              controller.error(new Error('The response was not read.'));
              return false;
            }
            // A copy: other readers get the same bytes.
            controller.enqueue(Uint8Array.from(bytes));
            return true;
          },
          hasUnread: () => room() < MAX_UNREAD_BYTES,
          end: () => {
            // It has none after an error.
            if (controller.desiredSize !== null) controller.close();
          },
        });
      },
      cancel: () => onClose(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
  );
};
