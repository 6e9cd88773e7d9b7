import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { App } from '../app.ts';
import { AppError, type ErrorCode, OperatorError } from '../errors.ts';
import type { GatewayResponse } from './message.ts';
import { readBody } from './request-body.ts';
import { problemResponse } from './responses.ts';

export interface HttpServer {
  /** Where it listens: `http://localhost:4000`. */
  readonly url: string;
  /** Stops accepting, lets requests in flight finish, and cuts what is left after the timeout. Idempotent. */
  readonly drain: (timeoutMs: number) => Promise<void>;
}

interface Options {
  readonly app: App;
  readonly port: number;
  readonly host: string | undefined;
}

// A load balancer that keeps connections for 60 s (the usual default) never meets one that was just closed.
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const MAX_HEADER_BYTES = 32_768;

/** @throws OperatorError when the address cannot be listened on */
export const startHttpServer = async ({ app, port, host }: Options): Promise<HttpServer> => {
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // A GET has no body to wait for: a tenth of what an answer from memory costs.
      optimizeEmptyRequests: true,
    },
    (request, response) => {
      const reply = (answer: GatewayResponse): void => {
        if (!server.listening) response.setHeader('connection', 'close');
        send(request, response, answer);
      };
      const { method = 'GET', url: target = '/', headers } = request;
      if (method === 'POST' && target === '/graphql') {
        answerPost(app, request, reply);
        return;
      }
      const recalled = app.recall({ method, target, headers });
      if (recalled) reply(recalled);
      else void app.answer({ method, target, headers, body: () => bodyOf(request) }).then(reply);
    },
  );
  server.on('clientError', refuseMalformed);

  await listen(server, port, host);
  const draining = Promise.withResolvers<void>();
  let isDraining = false;

  return {
    url: urlOf(server, host),
    drain: (timeoutMs) => {
      if (isDraining) return draining.promise;
      isDraining = true;
      const deadline = setTimeout(() => server.closeAllConnections(), timeoutMs);
      server.close(() => {
        clearTimeout(deadline);
        draining.resolve();
      });
      server.closeIdleConnections();
      return draining.promise;
    },
  };
};

/** Reads the body first: by its bytes the answer may be known already. */
const answerPost = (app: App, request: IncomingMessage, reply: (answer: GatewayResponse) => void): void => {
  const post = { method: 'POST', target: '/graphql', headers: request.headers };
  const answer = (body: () => Promise<Buffer>): void => void app.answer({ ...post, body }).then(reply);
  readBody(
    request,
    (body) => {
      const recalled = app.recall(post, body);
      if (recalled) reply(recalled);
      else answer(() => Promise.resolve(body));
    },
    (error) => answer(() => Promise.reject(error)),
  );
};

const bodyOf = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => readBody(request, resolve, reject));

const send = (
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, encoding = 'utf8' }: GatewayResponse,
): void => {
  if (status !== 204 && status !== 304)
    headers['content-length'] = body === null ? 0 : Buffer.byteLength(body, encoding);
  // The rest of a body that nobody read would be taken for the next request.
  if (!request.complete && hasBody(request)) headers.connection = 'close';
  response.writeHead(status, headers);
  if (request.method === 'HEAD' || body === null) response.end();
  else response.end(body, encoding);
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const PARSER_ERRORS: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** Answers what Node's parser would not take for a request; there is no request to hand on. */
const refuseMalformed = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = PARSER_ERRORS[error.code ?? ''] ?? 'BAD_USER_INPUT';
  const { status, headers, body } = problemResponse(
    new AppError(code, 'The request is not valid HTTP, too large or too slow.'),
  );
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body ?? ''), connection: 'close' });
  socket.end(`HTTP/1.1 ${status} \r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`);
};

const listen = (server: Server, port: number, host: string | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new OperatorError(
          LISTEN_ERRORS[error.code ?? '']?.(port, host) ?? `Cannot listen on port ${port}: ${error.message}`,
        ),
      );
    });
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  });

const LISTEN_ERRORS: Readonly<Record<string, (port: number, host: string | undefined) => string>> = {
  EADDRINUSE: (port) =>
    `Port ${port} is taken by another program. Stop it, or set PORT to another number (0 takes any free one).`,
  EACCES: (port) => `Port ${port} needs rights that this user does not have. Set PORT to a number above 1023.`,
  EADDRNOTAVAIL: (_, host) => `HOST is ${host}, which is no address of this machine.`,
  ENOTFOUND: (_, host) => `HOST is ${host}, which no name service knows.`,
};

const urlOf = (server: Server, host = 'localhost'): string => {
  const { port } = server.address() as AddressInfo;
  const name = host === '::' || host === '0.0.0.0' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
};
