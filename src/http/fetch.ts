import type { App } from '../app.ts';
import { withDeadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import type { GatewayResponse } from './message.ts';
import { MAX_BODY_BYTES, tooLarge } from './request-body.ts';

/** The app as the web's standard has it: https://fetch.spec.whatwg.org */
export interface FetchDoor {
  /** Never rejects. Where a request came from, and how slowly, is the affair of whoever calls this. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** From now on every request is refused with a 503; resolves when those under way are answered, or after the timeout. */
  readonly drain: (timeoutMs: number) => Promise<void>;
}

export const createFetchDoor = ({ recall, shed, answer, refuse }: App): FetchDoor => {
  const drained = Promise.withResolvers<void>();
  let isDraining = false;
  let underWay = 0;

  const respond = async (request: Request): Promise<GatewayResponse> => {
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url);
    const head = { method, target: pathname + search, headers: Object.fromEntries(headers) };
    if (isDraining) return refuse(head, new AppError('SERVICE_UNAVAILABLE', 'The gateway is closed.'));
    if (method !== 'POST' || head.target !== '/graphql') {
      return (await (recall(head) ?? shed(head))) ?? answer({ ...head, body: () => readBody(request) });
    }
    // As from a socket: by the bytes of its body the answer may be known already.
    let body: Buffer;
    try {
      body = await readBody(request);
    } catch (error) {
      return answer({ ...head, body: () => Promise.reject(error) });
    }
    return (await (recall(head, body) ?? shed(head, body))) ?? answer({ ...head, body: async () => body });
  };

  return {
    fetch: async (request) => {
      underWay += 1;
      try {
        return toResponse(request.method, await respond(request));
      } finally {
        underWay -= 1;
        if (isDraining && underWay === 0) drained.resolve();
      }
    },
    drain: async (timeoutMs) => {
      isDraining = true;
      if (underWay > 0) await withDeadline(drained.promise, timeoutMs).catch(() => undefined);
    },
  };
};

/** @throws AppError PAYLOAD_TOO_LARGE, and BAD_USER_INPUT where the body breaks off or was read before */
const readBody = async (request: Request): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes > MAX_BODY_BYTES) break;
    }
  } catch (cause) {
    throw new AppError('BAD_USER_INPUT', 'The request ended before its body did.', { cause });
  }
  if (bytes > MAX_BODY_BYTES) throw tooLarge();
  return Buffer.concat(chunks);
};

const toResponse = (method: string, { status, headers, body, encoding }: GatewayResponse): Response => {
  const hasBody = status !== 204 && status !== 304;
  const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : body;
  if (hasBody) headers['content-length'] = bytes?.byteLength ?? 0;
  return new Response(hasBody && method !== 'HEAD' ? (bytes as Uint8Array<ArrayBuffer> | null) : null, {
    status,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
  });
};
