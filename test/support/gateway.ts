import type { Plugin } from 'graphql-yoga';
import { pino } from 'pino';
import { readConfig } from '../../src/config/config.ts';
import { AppError } from '../../src/errors.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { type GatewayResponse, takesBody } from '../../src/http/message.ts';
import type { App } from '../../src/http/serve-request.ts';
import { logOptions } from '../../src/observability/log.ts';
import type { Metrics } from '../../src/observability/metrics.ts';
import { serve } from '../../src/serve.ts';

export interface CachedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body read as JSON. */
  readonly json: unknown;
}

export interface GraphqlResult {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it asked for
  readonly data?: any;
  readonly errors?: readonly { message: string; path?: readonly unknown[]; extensions: Record<string, unknown> }[];
}

export interface TestGateway extends AsyncDisposable {
  readonly app: App;
  readonly metrics: Metrics;
  readonly get: (target: string, headers?: Record<string, string>) => Promise<CachedResponse>;
  readonly request: (
    method: string,
    target: string,
    headers?: Record<string, string>,
    body?: string,
  ) => Promise<CachedResponse>;
  /** POSTs to `/graphql`, as JSON: an object, or a text as it is. */
  readonly post: (body: unknown, headers?: Record<string, string>) => Promise<CachedResponse>;
  /** POSTs an operation and gives its result, whatever the status. */
  readonly graphql: (
    query: string,
    variables?: Record<string, unknown>,
    headers?: Record<string, string>,
  ) => Promise<GraphqlResult>;
  /** As at a shutdown. */
  readonly completeSubscriptions: () => void;
  /** What the gateway has logged, a parsed line each. */
  readonly logged: Record<string, unknown>[];
  /** Runs an action and counts the statements that the gateway has sent to the database meanwhile. */
  readonly countStatements: (action: () => Promise<unknown>) => Promise<number>;
}

/** Frozen: some libraries write into the headers that they are given. */
export const JSON_HEADERS = Object.freeze({ 'content-type': 'application/json' });

/**
 * What a gateway of a test has where the test says nothing else. A busy machine is no overload, and no outage of the database: those are tested
 * with the real program, and with timeouts of the test's own.
 */
export const PATIENT = { MAX_WAIT_MS: '20000', DATABASE_TIMEOUT_MS: '20000' };

/** Gateways of one test file start one after another: what one loads would hold up the others until their connections time out. */
let starting: Promise<unknown> = Promise.resolve();

/** The whole gateway as a function, on a real database and without a port. */
export const createTestGateway = async (
  { url }: { readonly url: string },
  environment: Record<string, string> = {},
  plugins: readonly Plugin[] = [],
): Promise<TestGateway> => {
  const logged: Record<string, unknown>[] = [];
  const log = pino(logOptions({ logLevel: 'debug' }), { write: (line: string) => void logged.push(JSON.parse(line)) });
  const started = starting.then(() => createGateway(readConfig({ ...PATIENT, ...environment }), url, log, { plugins }));
  starting = started.catch(() => undefined);
  const gateway = await started;

  const request: TestGateway['request'] = async (method, target, headers, body) =>
    toAnswer(await handle(gateway.app, { method, target, headers, body }));
  const post: TestGateway['post'] = (body, headers) =>
    request(
      'POST',
      '/graphql',
      { ...JSON_HEADERS, ...headers },
      typeof body === 'string' ? body : JSON.stringify(body),
    );

  return {
    app: gateway.app,
    metrics: gateway.metrics,
    completeSubscriptions: gateway.completeSubscriptions,
    logged,
    request,
    get: (target, headers) => request('GET', target, headers),
    post,
    graphql: async (query, variables, headers) => (await post({ query, variables }, headers)).json as GraphqlResult,
    countStatements: async (action) => {
      const before = statementCount(gateway);
      await action();
      return statementCount(gateway) - before;
    },
    [Symbol.asyncDispose]: gateway.close,
  };
};

/** The statements that a gateway has sent to the database. */
export const statementCount = ({ requests }: Pick<Gateway, 'requests'>): number =>
  [...requests.statements.byName.values()].reduce((sum, count) => sum + count, 0);

export interface TestServer extends AsyncDisposable {
  readonly url: string;
}

/** The gateway on a free port of this process: to start a process costs ten times as much. */
export const startTestServer = async (
  { url }: { readonly url: string },
  environment: Record<string, string> = {},
): Promise<TestServer> => {
  const config = readConfig({
    ...PATIENT,
    PORT: '0',
    HOST: '127.0.0.1',
    SHUTDOWN_TIMEOUT_MS: '500',
    ...environment,
  });
  const serving = await serve(config, url, pino({ level: 'silent' }));
  // On a busy machine the connections to the database take longer to close than the share of that time that is theirs.
  const stop = (): Promise<void> =>
    serving.stop().catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
    });
  return { url: serving.url, [Symbol.asyncDispose]: stop };
};

export interface TestRequest {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** As an adapter does it. */
export const handle = (
  { handle: handleRequest }: App,
  { method, target, headers = {}, body = '' }: TestRequest,
): GatewayResponse | Promise<GatewayResponse> =>
  handleRequest({
    method,
    target,
    headers,
    body: takesBody(method, target) ? Buffer.from(body) : undefined,
    fault: undefined,
  });

/** The response that is there at once, because it is in memory. Undefined where it has to be waited for, which nobody does. */
export const cachedResponse = (
  { app }: Pick<TestGateway, 'app'>,
  request: TestRequest,
): GatewayResponse | undefined => {
  const response = handle(app, request);
  return response instanceof Promise ? undefined : response;
};

/** What two answers to one request have in common: all but what is of the request. */
export const lasting = ({ status, headers, text }: CachedResponse) => {
  const { 'x-request-id': _, 'x-accel-expires': __, ...rest } = headers;
  return { status, headers: rest, text };
};

const toAnswer = ({ status, headers, body, encoding }: GatewayResponse): CachedResponse => {
  const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : (body ?? new Uint8Array());
  const text = new TextDecoder().decode(bytes);
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    text,
    get json() {
      return JSON.parse(text);
    },
  };
};
