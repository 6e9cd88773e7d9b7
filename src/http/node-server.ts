import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Server as SocketServer } from 'node:net';
import type { Logger } from 'pino';
import type { App } from '../app.ts';
import type { Config } from '../config.ts';
import { AppError, Overloaded } from '../errors.ts';
import { toAppError } from '../failure.ts';
import { listenWithAcceptors } from './acceptors.ts';
import { createClientOf } from './client-address.ts';
import { watchConnections } from './connections.ts';
import { untilClosed, urlOf } from './listen.ts';
import type { GatewayResponse } from './message.ts';
import { createParserRefusal, refuse } from './refusal.ts';
import { createBodyReader, isTooLarge } from './request-body.ts';
import { requestFault } from './request-fault.ts';
import { problemResponse } from './responses.ts';
import { send } from './send.ts';

export interface HttpServer {
  /** Where it listens: `http://localhost:4000`. */
  readonly url: string;
  /**
   * Stops accepting after the delay, lets requests in flight finish, and cuts what is left after the timeout. From the first moment on every answer
   * closes its connection. Idempotent.
   */
  readonly drain: (timeoutMs: number, options?: DrainOptions) => Promise<void>;
}

interface DrainOptions {
  /** How long connections are still accepted. @default 0 */
  readonly delayMs?: number;
  /**
   * Whether others accept at this address: then none is accepted any more, and for half of the time no idle connection is closed, on which a
   * request may be under way that nobody would send again. @default false
   */
  readonly isReplaced?: boolean;
}

interface Options {
  readonly app: App;
  readonly config: Pick<
    Config,
    | 'port'
    | 'host'
    | 'headersTimeoutMs'
    | 'requestTimeoutMs'
    | 'sendTimeoutMs'
    | 'keepAliveTimeoutMs'
    | 'maxConnections'
    | 'rateLimitPerMinute'
    | 'trustedHops'
  >;
  readonly log: Logger;
}

const MAX_HEADER_BYTES = 32_768;

/** How late a connection that is too slow may be noticed. */
const TIMEOUT_CHECK_MS = 500;

/** A request whose head has not come by then, when the server goes, is not waited for. */
const UNANSWERED_GRACE_MS = 1000;

/** They are answered however full the server is. */
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
    // Checked by us, so that the refusal says why.
    requireHostHeader: false,
    // Twice the same header is for us to refuse, not for Node to pick one.
    joinDuplicateHeaders: true,
    // A GET has no body to wait for: a tenth of what an answer from memory costs.
    optimizeEmptyRequests: true,
  });
  // None is dropped unseen; there is room for so many anyway.
  server.maxHeadersCount = 0;
  const connections = watchConnections(server, { maxConnections, sendTimeoutMs });
  const readBody = createBodyReader();
  const { rateLimitPerMinute: perMinute, trustedHops } = config;
  // Its library is loaded by those who want it: it would be a tenth of the start.
  const rateLimit =
    perMinute === 0
      ? undefined
      : (await import('./rate-limit.ts')).createRateLimit({ perMinute, clientOf: createClientOf(trustedHops) });
  let isDraining = false;

  const faultOf = (request: IncomingMessage, target: string): AppError | undefined =>
    connections.isExcess(request.socket) && !HEALTH_PATHS.has(target)
      ? new Overloaded('There are too many connections.')
      : requestFault(request);

  const reply = (request: IncomingMessage, response: ServerResponse, answered: GatewayResponse): void => {
    if (isDraining || connections.isExcess(request.socket)) response.setHeader('connection', 'close');
    send(request, response, answered);
  };

  /** A fault of ours ends this request and no other. */
  const fail = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    const appError = toAppError(error, log);
    if (response.headersSent) response.destroy();
    else send(request, response, problemResponse(appError));
  };

  const replyLater = (
    request: IncomingMessage,
    response: ServerResponse,
    answering: Promise<GatewayResponse>,
  ): void => {
    answering
      .then((answered) => reply(request, response, answered))
      .catch((error: unknown) => fail(request, response, error));
  };

  const answer = (request: IncomingMessage, response: ServerResponse, body: () => Promise<Buffer>): void => {
    const { method = 'GET', url: target = '/', headers } = request;
    replyLater(request, response, app.answer({ method, target, headers, body }));
  };

  /** Reads the body first: by its bytes the answer may be known already. */
  const servePost = (request: IncomingMessage, response: ServerResponse): void =>
    readBody(
      request,
      (body) => {
        try {
          const post = { method: 'POST', target: '/graphql', headers: request.headers };
          const recalled = app.recall(post, body) ?? app.shed(post, body);
          if (recalled instanceof Promise) replyLater(request, response, recalled);
          else if (recalled) reply(request, response, recalled);
          else answer(request, response, () => Promise.resolve(body));
        } catch (error) {
          fail(request, response, error);
        }
      },
      (error) => answer(request, response, () => Promise.reject(error)),
    );

  const serveNow = (request: IncomingMessage, response: ServerResponse): void => {
    try {
      const { method = 'GET', url: target = '/', headers } = request;
      const fault = faultOf(request, target);
      if (fault) {
        reply(request, response, app.refuse({ method, target, headers }, fault));
        return;
      }
      if (method === 'POST' && target === '/graphql') {
        servePost(request, response);
        return;
      }
      const recalled = app.recall({ method, target, headers }) ?? app.shed({ method, target, headers });
      if (recalled instanceof Promise) replyLater(request, response, recalled);
      else if (recalled) reply(request, response, recalled);
      else answer(request, response, () => new Promise((resolve, reject) => readBody(request, resolve, reject)));
    } catch (error) {
      fail(request, response, error);
    }
  };

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = 'GET', url: target = '/', headers } = request;
    if (!rateLimit || HEALTH_PATHS.has(target)) {
      serveNow(request, response);
      return;
    }
    rateLimit(request)
      .then((refusal) => {
        if (refusal) reply(request, response, app.refuse({ method, target, headers }, refusal));
        else serveNow(request, response);
      })
      .catch((error: unknown) => fail(request, response, error));
  };

  server.on('request', serve);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // What is refused in any case need not be sent.
    if (request.method === 'POST' && !isTooLarge(request)) response.writeContinue();
    serve(request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const fault = new AppError('EXPECTATION_FAILED', 'Of the expectations, only "100-continue" is met.');
    const { method = 'GET', url: target = '/', headers } = request;
    response.setHeader('connection', 'close');
    send(request, response, app.refuse({ method, target, headers }, fault));
  });
  server.on('connect', (_, socket) => {
    refuse(
      socket,
      new AppError('METHOD_NOT_ALLOWED', 'This is no proxy.', { headers: { allow: 'GET, HEAD, OPTIONS' } }),
    );
  });
  server.on('clientError', createParserRefusal());

  const acceptors = await listenWithAcceptors(server, { port, host });
  const drained = Promise.withResolvers<void>();

  return {
    url: urlOf(server, host),
    drain: (timeoutMs, { delayMs = 0, isReplaced = false } = {}) => {
      if (isDraining) return drained.promise;
      isDraining = true;
      const timers: NodeJS.Timeout[] = [];
      const after = (ms: number, action: () => void): void => void timers.push(setTimeout(action, ms));
      void Promise.all([untilClosed(server), acceptors.closed]).then(() => {
        for (const timer of timers) clearTimeout(timer);
        connections.close();
        drained.resolve();
      });
      const stop = (): void => {
        after(UNANSWERED_GRACE_MS, connections.cutUnanswered);
        if (server.listening) server.close();
        acceptors.close();
        server.closeIdleConnections();
      };
      after(timeoutMs, () => server.closeAllConnections());
      // Of HTTP's own, `close` closes the idle connections too.
      if (isReplaced) SocketServer.prototype.close.call(server);
      if (isReplaced) after(timeoutMs / 2, stop);
      else if (delayMs > 0) after(Math.min(delayMs, timeoutMs / 2), stop);
      else stop();
      return drained.promise;
    },
  };
};
