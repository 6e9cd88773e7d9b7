import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { Connections } from './connections.ts';
import { Exchanges } from './exchanges.ts';
import { listenOn, stopListening, urlOf } from './listeners.ts';
import { MAX_HEADER_BYTES } from './message.ts';
import { createParserRefusal } from './send.ts';
import type { App } from './serve-request.ts';

export type HttpServer = Awaited<ReturnType<typeof startHttpServer>>;

interface DrainOptions {
  /** How long connections are still accepted. @default 0 */
  readonly delayMs?: number;
  /** Called when no more connections are accepted: what has no end of its own ends then. */
  readonly onStop?: () => void;
}

/** A head is one packet, or a few: a body may take longer. */
const HEADERS_TIMEOUT_MS = 5000;

/** How often Node looks for connections that are too slow. */
const TIMEOUT_CHECK_MS = 500;

/**
 * How long a connection without a request stays open after the server has stopped accepting: its client may be sending the next request, and
 * would get a reset. A request within this time is answered with `Connection: close`.
 */
const IDLE_GRACE_MS = 1000;

/** @throws OperatorError when the address cannot be listened on */
export const startHttpServer = async (app: App, config: Config, log: Logger) => {
  const server = createNodeServer(config);
  const connections = new Connections(server, config);
  const { rateLimitPerMinute } = config;
  // Only where it is configured: its libraries would be a tenth of the start.
  const rateLimit = rateLimitPerMinute > 0 ? (await import('./rate-limit.ts')).createRateLimit(config) : undefined;
  const exchanges = new Exchanges({ app, log, rateLimit });
  listenToRequests(server, exchanges);
  await listenOn(server, config);
  const closed = new Promise((resolve) => server.once('close', resolve));
  return {
    /** Where it listens: `http://localhost:4000`. */
    url: urlOf(server, config.host),
    /**
     * Stops accepting after the delay, lets requests in flight finish, and cuts the rest after the timeout. From the call on, every response
     * closes its connection. A connection without a request stays open for one more second, because its client may be sending one.
     */
    drain: async (timeoutMs: number, { delayMs = 0, onStop }: DrainOptions = {}): Promise<void> => {
      exchanges.startDraining();
      const overdue = setTimeout(() => {
        stopListening(server);
        server.closeAllConnections();
      }, timeoutMs);
      if (delayMs > 0) await delay(Math.min(delayMs, timeoutMs / 2));
      await connections.acceptWaiting();
      // From now on: what was accepted last has not been read yet.
      const grace = setTimeout(() => connections.cutUnanswered(), IDLE_GRACE_MS);
      stopListening(server);
      onStop?.();
      await closed;
      clearTimeout(overdue);
      clearTimeout(grace);
      connections.close();
      // Ends the interval in which Node checks its timeouts.
      server.close();
    },
  };
};

const createNodeServer = ({ requestTimeoutMs, keepAliveTimeoutMs }: Config): Server => {
  const server = createServer({
    keepAliveTimeout: keepAliveTimeoutMs,
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
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
  return Object.assign(server, { httpAllowHalfOpen: true });
};

const listenToRequests = (server: Server, exchanges: Exchanges): void => {
  server.on('request', (request, response) => exchanges.serve({ request, response }));
  const refuseUnparsed = createParserRefusal();
  server.on('clientError', (error, socket) => {
    // The response to the same request may be ready.
    exchanges.flush();
    refuseUnparsed(error, socket);
  });
};
