import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { apart } from '../apart.ts';
import { toAppError } from '../database/failures.ts';
import { AppError } from '../errors.ts';
import { type GatewayRequest, type GatewayResponse, problemResponse, takesBody } from './message.ts';
import type { RateLimit } from './rate-limit.ts';
import { createBodyReader } from './request-body.ts';
import { send } from './send.ts';
import type { App, MakeResponse } from './serve-request.ts';

interface ExchangeDeps {
  readonly app: App;
  readonly log: Logger;
  readonly rateLimit: RateLimit | undefined;
}

/**
 * Makes the app's request of Node's, and Node's response of the app's. A request that memory answers is answered now, the others at the end
 * of the turn of the event loop.
 */
export class Exchanges {
  readonly #deps: ExchangeDeps;
  readonly #readBody = createBodyReader();
  readonly #replies: TurnBatch<Reply>;
  readonly #misses: TurnBatch<Miss>;
  #isDraining = false;

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
    this.#replies = createTurnBatch((reply) => this.#send(reply));
    // The requests of a turn have no asynchronous context in common.
    this.#misses = createTurnBatch(
      (miss) => apart(() => this.#handle(miss, miss.asked, miss.make)),
      this.#replies.flush,
    );
  }

  /** From now on, every response closes its connection. */
  startDraining(): void {
    this.#isDraining = true;
  }

  /** Answers what has come. */
  flush(): void {
    this.#misses.flush();
  }

  serve(exchange: Exchange): void {
    const { request } = exchange;
    const { method = 'GET', url: target = '/', headers } = request;
    // Nobody knows whether a client that has closed its side still waits: under overload it gets a 503.
    const isGone = (): boolean => request.socket.destroyed || request.socket.readableEnded;
    const pass = (body: GatewayRequest['body'], fault?: AppError): void =>
      this.#handle(exchange, { method, target, headers, body, fault, isGone });
    const fault = this.#countClient(exchange, target) ?? requestFault(request);
    if (fault || !takesBody(method, target)) pass(undefined, fault);
    else this.#readBody(request, pass);
  }

  /** @returns why its client is refused */
  #countClient({ request, response }: Exchange, target: string): AppError | undefined {
    const { rateLimit } = this.#deps;
    if (!rateLimit || HEALTH_PATHS.has(target)) return undefined;
    try {
      const { headers, refusal } = rateLimit(request);
      response.setHeaders(headers);
      return refusal;
    } catch (error) {
      return toAppError(error, () => this.#deps.log);
    }
  }

  /** @param make what makes the response, once it is known that it has to be made */
  #handle(exchange: Exchange, asked: GatewayRequest, make?: MakeResponse): void {
    const { request, response } = exchange;
    try {
      const found = make ? make() : this.#deps.app.lookUp(asked);
      if (typeof found === 'function') this.#misses.add({ request, response, asked, make: found });
      else if (found instanceof Promise) {
        found.then(
          (answered) => this.#replies.add({ request, response, answered }),
          (error: unknown) => this.#fail(exchange, error),
        );
      } else this.#replies.add({ request, response, answered: found });
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #send({ request, response, answered }: Reply): void {
    try {
      // After a body that is too long the connection is over, whether or not all of it has come by now.
      if (this.#isDraining || answered.status === 413) response.setHeader('connection', 'close');
      send(request, response, answered);
    } catch (error) {
      this.#fail({ request, response }, error);
    }
  }

  /** An unexpected error ends this request and no other. */
  #fail({ request, response }: Exchange, error: unknown): void {
    const appError = toAppError(error, () => this.#deps.log);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    this.#replies.add({ request, response, answered: problemResponse(appError) });
  }
}

/** A request of Node's server, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Miss extends Exchange {
  readonly asked: GatewayRequest;
  readonly make: MakeResponse;
}

interface Reply extends Exchange {
  readonly answered: GatewayResponse;
}

/** Answered however often they are asked for. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz']);

// uri-host [":" port]: https://www.rfc-editor.org/rfc/rfc9110#section-7.2
const AUTHORITY = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

const fault = (message: string): AppError => new AppError('BAD_USER_INPUT', message);

/**
 * The faults that Node accepts although they are none of HTTP/1: another version; no host, several, or one that is invalid
 * (https://www.rfc-editor.org/rfc/rfc9112#section-3.2). The host is used for nothing else: no response, key or link depends on it.
 */
const requestFault = ({ headers: { host }, httpVersion }: IncomingMessage): AppError | undefined => {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return fault('The request is not HTTP/1.1 or HTTP/1.0.');
  if (host === undefined) return httpVersion === '1.1' ? fault('The request names no host.') : undefined;
  return AUTHORITY.test(host) ? undefined : fault('The request names no valid host.');
};

/** What waits for the end of a turn waits no longer than this. */
const MAX_WAIT_MS = 1;

type TurnBatch<Item> = ReturnType<typeof createTurnBatch<Item>>;

/**
 * Handles items at the end of the turn of the event loop in which they come, or as soon as the first has waited for a millisecond. Responses
 * are made one right after another, because the caches of the processor then hold what making them needs. Sockets are written together,
 * because their readers fall asleep between two writes that are apart, and to wake one costs more than the write (docs/fast-path.md).
 * @param handle must not throw
 * @param end of all that waited
 */
export const createTurnBatch = <Item>(handle: (item: Item) => void, end?: () => void) => {
  let items: Item[] = [];
  let firstMs = 0;
  let scheduled: NodeJS.Immediate | undefined;

  const flush = (): void => {
    clearImmediate(scheduled);
    const waiting = items;
    items = [];
    for (const item of waiting) handle(item);
    end?.();
  };

  return {
    add: (item: Item): void => {
      const nowMs = performance.now();
      if (items.push(item) === 1) {
        firstMs = nowMs;
        scheduled = setImmediate(flush);
      } else if (nowMs - firstMs > MAX_WAIT_MS) flush();
    },
    /** Handles those that wait now. */
    flush,
  };
};
