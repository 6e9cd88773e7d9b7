import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { toAppError } from '../database/failures.ts';
import { AppError, Overloaded } from '../errors.ts';
import { watchConnections } from './connections.ts';
import { listenOn, urlOf } from './listeners.ts';
import {
  asksByBody,
  type GatewayRequest,
  type GatewayResponse,
  MAX_HEADER_BYTES,
  problemResponse,
  takesBody,
} from './message.ts';
import type { RateLimit } from './rate-limit.ts';
import { createBodyReader, isTooLarge } from './request-body.ts';
import { createCors } from './response-headers.ts';
import { createParserRefusal, refuse, send } from './send.ts';
import type { App, MakeResponse } from './serve-request.ts';
import { createTurnBatch } from './turn-batch.ts';

export interface HttpServer {
  /** Where it listens: `http://localhost:4000`. */
  readonly url: string;
  /**
   * Stops accepting after the delay, lets requests in flight finish, and cuts the rest after the timeout. From the call on, every response
   * closes its connection. A connection without a request stays open for one more second, because its client may be sending one. Idempotent.
   */
  readonly drain: (timeoutMs: number, options?: DrainOptions) => Promise<void>;
}

interface DrainOptions {
  /** How long connections are still accepted. @default 0 */
  readonly delayMs?: number;
  /** Called when no more connections are accepted: what has no end of its own ends then. */
  readonly onStop?: () => void;
}

interface Options {
  readonly app: App;
  readonly config: Config;
  readonly log: Logger;
}

/** How often Node looks for connections that are too slow. */
const TIMEOUT_CHECK_MS = 500;

/**
 * How long a connection without a request stays open after the server has stopped accepting: its client may be sending the next request, and
 * would get a reset. A request within this time is answered with `Connection: close`.
 */
const IDLE_GRACE_MS = 1000;

/** Answered however full the server is. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** @throws OperatorError when the address cannot be listened on */
export const startHttpServer = async ({ app, config, log }: Options): Promise<HttpServer> => {
  const { port, host, headersTimeoutMs, requestTimeoutMs, sendTimeoutMs, keepAliveTimeoutMs, maxConnections } = config;
  const server = createServer({
    keepAliveTimeout: keepAliveTimeoutMs,
    headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Checked here, so that the error says why.
    requireHostHeader: false,
    // Node would pick one of two equal headers; joined, they can be refused.
    joinDuplicateHeaders: true,
    // A GET has no body to wait for (docs/fast-path.md).
    optimizeEmptyRequests: true,
  });
  // Node would drop headers past a number; their size is bounded above.
  server.maxHeadersCount = 0;
  // A client may close its side of the connection after its request, and wait for the response (lib/_http_server.js): `nc -N` does.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = watchConnections(server, { maxConnections, sendTimeoutMs });
  const readBody = createBodyReader();
  const rateLimit = config.rateLimitPerMinute === 0 ? undefined : await loadRateLimit(config);
  const cors = createCors(config);
  let isDraining = false;

  const faultOf = (request: IncomingMessage, target: string): AppError | undefined =>
    connections.isExcess(request.socket) && !HEALTH_PATHS.has(target)
      ? new Overloaded('There are too many connections.')
      : requestFault(request);

  const reply = (request: IncomingMessage, response: ServerResponse, answered: GatewayResponse): void => {
    replies.add({ request, response, answered });
  };

  /** An unexpected error ends this request and no other. */
  const fail = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    const appError = toAppError(error, () => log);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const answered = problemResponse(appError);
    cors?.({ method: 'GET', headers: request.headers }, answered.headers);
    reply(request, response, answered);
  };

  const replies = createTurnBatch<Reply>(({ request, response, answered }) => {
    try {
      // After a body that is too long the connection is over, whether or not all of it has come by now.
      const isOver = isDraining || answered.status === 413 || connections.isExcess(request.socket);
      if (isOver) response.setHeader('connection', 'close');
      send(request, response, answered);
    } catch (error) {
      fail(request, response, error);
    }
  });

  /** What is in memory is answered now, the rest at the end of the turn of the event loop. */
  const handle = (
    request: IncomingMessage,
    response: ServerResponse,
    asked: GatewayRequest,
    find: App['lookUp'] = app.lookUp,
  ): void => {
    try {
      const found = find(asked);
      if (typeof found === 'function') misses.add({ request, response, asked, make: found });
      else if (found instanceof Promise) {
        found.then(
          (later) => reply(request, response, later),
          (error: unknown) => fail(request, response, error),
        );
        if (isPipelined(response)) connections.pauseUntil(request.socket, found);
      } else reply(request, response, found);
    } catch (error) {
      fail(request, response, error);
    }
  };

  // Those of a turn have no asynchronous context in common.
  const apart = AsyncLocalStorage.snapshot();
  const misses = createTurnBatch<Miss>(
    ({ request, response, asked, make }) => apart(handle, request, response, asked, make),
    replies.flush,
  );

  /** @param fault for which the request is refused already */
  const serve = (request: IncomingMessage, response: ServerResponse, fault?: AppError): void => {
    const { method = 'GET', url: target = '/', headers } = request;
    // Nobody knows whether a client that has closed its side still waits: under overload it gets a 503.
    const isGone = (): boolean => request.socket.destroyed || request.socket.readableEnded;
    const pass = (body: GatewayRequest['body']): void =>
      handle(request, response, { method, target, headers, body, fault: undefined, isGone });
    const refusal = fault ?? faultOf(request, target);
    if (refusal) handle(request, response, { method, target, headers, body: undefined, fault: refusal });
    else if (takesBody(method, target)) readBody(request, pass, pass);
    else pass(undefined);
  };

  const serveWithinRate = (request: IncomingMessage, response: ServerResponse): void => {
    if (!rateLimit || HEALTH_PATHS.has(request.url ?? '/')) {
      serve(request, response);
      return;
    }
    try {
      const { headers, refusal } = rateLimit(request);
      response.setHeaders(headers);
      serve(request, response, refusal);
    } catch (error) {
      fail(request, response, error);
    }
  };

  server.on('request', serveWithinRate);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // A body that is refused anyway need not be sent.
    if (asksByBody(request.method ?? '') && !isTooLarge(request)) response.writeContinue();
    serveWithinRate(request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('connection', 'close');
    serve(request, response, new AppError('EXPECTATION_FAILED', 'Of the expectations, only "100-continue" is met.'));
  });
  server.on('connect', (_, socket) => {
    misses.flush();
    refuse(
      socket,
      new AppError('METHOD_NOT_ALLOWED', 'This is no proxy.', { headers: { allow: 'GET, HEAD, OPTIONS' } }),
    );
  });
  const refuseUnparsed = createParserRefusal();
  server.on('clientError', (error, socket) => {
    // The response to the same request may be ready.
    misses.flush();
    refuseUnparsed(error, socket);
  });

  const listeners = await listenOn(server, { port, host });
  const drained = Promise.withResolvers<void>();

  return {
    url: urlOf(server, host),
    drain: (timeoutMs, { delayMs = 0, onStop } = {}) => {
      if (isDraining) return drained.promise;
      isDraining = true;
      const timers: NodeJS.Timeout[] = [];
      const after = (ms: number, action: () => void): void => void timers.push(setTimeout(action, ms));
      void listeners.closed.then(() => {
        for (const timer of timers) clearTimeout(timer);
        connections.close();
        // Ends the interval in which Node checks its timeouts.
        server.close();
        drained.resolve();
      });
      const stop = (): void => {
        after(IDLE_GRACE_MS, connections.cutUnanswered);
        void listeners.acceptWaiting().then(() => {
          listeners.close();
          onStop?.();
        });
      };
      after(timeoutMs, () => {
        listeners.close();
        server.closeAllConnections();
      });
      if (delayMs > 0) after(Math.min(delayMs, timeoutMs / 2), stop);
      else stop();
      return drained.promise;
    },
  };
};

/** Only where it is configured: its libraries would be a tenth of the start. */
const loadRateLimit = async ({ rateLimitPerMinute, trustProxy }: Config): Promise<RateLimit> => {
  const { createClientOf, createRateLimit } = await import('./rate-limit.ts');
  return createRateLimit({ perMinute: rateLimitPerMinute, clientOf: createClientOf(trustProxy) });
};

interface Miss {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly asked: GatewayRequest;
  readonly make: MakeResponse;
}

interface Reply {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answered: GatewayResponse;
}

/** Whether its connection waits for another response first: it gets its socket after that. */
const isPipelined = ({ socket }: ServerResponse): boolean => socket === null;

// uri-host [":" port]: https://www.rfc-editor.org/rfc/rfc9110#section-7.2
const AUTHORITY = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

const fault = (message: string): AppError => new AppError('BAD_USER_INPUT', message);

/**
 * What Node accepts although it is no request of HTTP/1: another version; no host, several, or one that is invalid
 * (https://www.rfc-editor.org/rfc/rfc9112#section-3.2). The host is used for nothing else: no response, key or link depends on it.
 */
const requestFault = ({ headers: { host }, httpVersion }: IncomingMessage): AppError | undefined => {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return fault('The request is not HTTP/1.1 or HTTP/1.0.');
  if (host === undefined) return httpVersion === '1.1' ? fault('The request names no host.') : undefined;
  return AUTHORITY.test(host) ? undefined : fault('The request names no valid host.');
};
