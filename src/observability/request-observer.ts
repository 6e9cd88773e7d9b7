import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Attributes } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { ObserveStatement } from '../database/pool.ts';
import { type AppError, ERROR_TABLE, type ErrorCode, Overloaded } from '../errors.ts';
import {
  type CacheUse,
  countAnswer,
  countError,
  countStatement,
  type HandlerName,
  type OperationCounts,
  type RequestCounts,
} from './counts.ts';
import { lazyLog, shortened } from './log.ts';
import type { RequestSpan } from './opentelemetry.ts';
import type { Tracing } from './tracing.ts';

/** The parts of a request that are recorded. */
export interface ObservedRequest {
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

interface Deps {
  readonly requests: RequestCounts;
  /** Whether metrics are on. */
  readonly isCounting: boolean;
  readonly log: Logger;
  readonly logRequests: LogRequests;
  readonly tracing: Tracing;
}

const MAX_PATH_CHARS = 256;

/** Records every request in the log, the metrics and the trace. */
export class RequestObserver {
  readonly #requests: RequestCounts;
  readonly #isCounting: boolean;
  readonly #logsCached: boolean;
  readonly #logRequest: ReturnType<typeof createRequestLog>;
  readonly #tracing: Tracing;
  readonly #working = new AsyncLocalStorage<RequestContext>();
  /** Whether cached responses are logged or traced: only then `recordCached` must be called. */
  readonly recordsCached: boolean;

  constructor({ requests, isCounting, log, logRequests, tracing }: Deps) {
    this.#requests = requests;
    this.#isCounting = isCounting;
    this.#logsCached = logRequests === 'all';
    this.#logRequest = createRequestLog(log, logRequests);
    this.#tracing = tracing;
    this.recordsCached = this.#logsCached || tracing.isOn;
  }

  /** Begins to record a request that has no cached response. */
  begin(request: ObservedRequest, requestId: string): RequestContext {
    const startMs = performance.now();
    this.#requests.inFlight += 1;
    return this.#contextOf(request, requestId, startMs, this.#tracing.startRequest(request.headers, startMs));
  }

  /** Runs work for a request: its statements are counted for the request. */
  run<Args extends unknown[], Result>(
    requestContext: RequestContext,
    work: (...args: Args) => Result,
    ...args: Args
  ): Result {
    const { span } = requestContext.origin;
    if (span) return span.run(() => this.#working.run(requestContext, work, ...args));
    // Node restores the asynchronous context where the callback ends in which a request arrives. To do so here would make a second one: 5 % of a miss.
    this.#working.enterWith(requestContext);
    return work(...args);
  }

  /** Records the response. @returns the value of the header `Server-Timing`; undefined for a page */
  end(requestContext: RequestContext, status: number): string | undefined {
    const { counts, cache, code, origin } = requestContext;
    const durationMs = performance.now() - origin.startMs;
    this.#requests.inFlight -= 1;
    if (this.#isCounting) {
      countAnswer(counts, cache, status, durationMs / 1000);
      if (code !== undefined) countError(this.#requests, counts.handler, code);
    }
    this.#logRequest(requestContext, status, durationMs);
    endSpan(requestContext, status);
    return counts.handler === 'other' ? undefined : serverTiming(requestContext, durationMs);
  }

  /** Counts a cached response. */
  cached(counts: OperationCounts, status: number): void {
    if (!this.#isCounting) return;
    countAnswer(counts, 'hit', status, 0);
    if (status === 404) countError(this.#requests, counts.handler, 'NOT_FOUND');
  }

  /** @param startMs by `performance.now()` */
  recordCached(
    request: ObservedRequest,
    requestId: string,
    counts: OperationCounts,
    status: number,
    startMs: number,
  ): void {
    // A cached response does not start a trace, but joins the trace of its caller.
    const isTraced = this.#tracing.isOn && request.headers.traceparent !== undefined;
    if (!this.#logsCached && !isTraced) return;
    const span = isTraced ? this.#tracing.startRequest(request.headers, startMs) : undefined;
    const requestContext = this.#contextOf(request, requestId, startMs, span);
    requestContext.counts = counts;
    requestContext.cache = 'hit';
    if (this.#logsCached) this.#logRequest(requestContext, status, performance.now() - startMs);
    endSpan(requestContext, status);
  }

  /** The logger for a message about the request that is being worked for: its lines have the id of the request. */
  logOf(log: Logger): Logger {
    const requestContext = this.#working.getStore();
    return requestContext ? lazyLog(log, requestContext)() : log;
  }

  readonly statement: ObserveStatement = (name, text) => {
    const startMs = performance.now();
    const requestContext = this.#working.getStore();
    if (requestContext) requestContext.statements += 1;
    if (this.#isCounting) countStatement(this.#requests, name);
    const endStatement = this.#tracing.startStatement(name, text);
    return (error) => {
      const durationMs = performance.now() - startMs;
      if (requestContext) requestContext.databaseMs += durationMs;
      if (error !== undefined) this.#requests.statements.failed += 1;
      this.#requests.statements.seconds.add(durationMs / 1000);
      endStatement?.(error);
    };
  };

  #contextOf(
    { method, path }: ObservedRequest,
    requestId: string,
    startMs: number,
    span?: RequestSpan,
  ): RequestContext {
    return new RequestContext({ requestId, method, path, startMs, span }, this.#requests);
  }
}

const endSpan = (requestContext: RequestContext, status: number): void => {
  const { span } = requestContext.origin;
  if (span?.isSampled) span.end(spanName(requestContext), spanAttributes(requestContext, status), status >= 500);
};

/** https://www.w3.org/TR/server-timing/ */
const serverTiming = ({ statements, databaseMs }: RequestContext, durationMs: number): string =>
  statements === 0
    ? `total;dur=${durationMs.toFixed(1)}`
    : `total;dur=${durationMs.toFixed(1)}, db;dur=${databaseMs.toFixed(1)};desc="statements: ${statements}"`;

interface Origin {
  readonly requestId: string;
  readonly method: string;
  /** Without the query string, which may hold private data. */
  readonly path: string;
  /** By `performance.now()`. */
  readonly startMs: number;
  /** Undefined where traces are off. */
  readonly span: RequestSpan | undefined;
}

/** What is known of a request for the log, the metrics, `Server-Timing` and the trace. */
export class RequestContext {
  readonly origin: Origin;
  readonly #requests: RequestCounts;
  counts: OperationCounts;
  cache: CacheUse = 'none';
  /** The code of the error that the request ended with. */
  code: string | undefined = undefined;
  /** Whether it was rejected because of overload. */
  isRejected = false;
  /** Statements of this request. One that several requests share counts for the first of them. */
  statements = 0;
  /** Sum of their durations, with the wait for a connection. */
  databaseMs = 0;

  constructor(origin: Origin, requests: RequestCounts) {
    this.origin = origin;
    this.#requests = requests;
    this.counts = firstCounts(origin.path, requests);
  }

  failWith(error: AppError): void {
    this.code = error.code;
    this.isRejected = error instanceof Overloaded;
  }

  /** Sets the operation, once it is known. @param route the path, with parameters in braces */
  isFor(handler: HandlerName, operation: string, route?: string): void {
    this.counts = this.#requests.of(handler, operation, route);
  }
}

const OTHER: Readonly<Record<string, string>> = { '/livez': 'health', '/readyz': 'health', '/metrics': 'metrics' };

/** The counts that the path alone suggests. */
const firstCounts = (path: string, requests: RequestCounts): OperationCounts => {
  if (path === '/graphql') return requests.of('graphql', 'none', path);
  if (path.startsWith('/api/')) return requests.of('rest', 'none');
  return requests.of('other', OTHER[path] ?? 'page');
};

// Names and attributes as in https://opentelemetry.io/docs/specs/semconv/http/http-spans/

/** The method, and the route where there is one. */
const spanName = ({ origin: { method }, counts: { route } }: RequestContext): string =>
  route === undefined ? method : `${method} ${route}`;

const spanAttributes = ({ origin, counts, cache, code }: RequestContext, status: number): Attributes => ({
  'http.request.method': origin.method,
  'http.response.status_code': status,
  'url.path': origin.path.slice(0, MAX_PATH_CHARS),
  'url.scheme': 'http',
  'vitrine.request_id': origin.requestId,
  'vitrine.handler': counts.handler,
  'vitrine.operation': counts.operation,
  'vitrine.cache': cache,
  ...(counts.route === undefined ? {} : { 'http.route': counts.route }),
  ...(code === undefined ? {} : { 'error.type': code }),
});

const SANE = /^[\w.:+/=@-]{1,128}$/;

/**
 * The caller's `x-request-id` if it is short and safe to log, else a new one: a random prefix of the process and a counter, because a random id for each
 * request would cost more than a cache hit.
 */
export const createRequestIds = () => {
  const prefix = randomBytes(12).toString('base64url');
  let count = 0;
  return (given: string | string[] | undefined): string => {
    if (typeof given === 'string' && SANE.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
};

/** Which requests are logged: all, those without a cached response, or none. */
export type LogRequests = 'all' | 'misses' | 'none';

/** Logs requests after their responses: only the code of an error, which has a line of its own, with its cause and the same request id. */
const createRequestLog = (log: Logger, which: LogRequests) => {
  const isOn = which !== 'none' && log.isLevelEnabled('info');
  const isWithinRate = createFailureRate(log);
  return (
    { origin, counts, cache, code, statements, isRejected }: RequestContext,
    status: number,
    ms: number,
  ): void => {
    // A line for each rejection would add to the overload: the load guard logs a summary every few seconds.
    if (!isOn || isRejected) return;
    const { requestId, span, method } = origin;
    const { handler, operation } = counts;
    // Probes, scrapes and pages are logged only if they fail.
    if (which === 'misses' && (cache === 'hit' || (handler === 'other' && status < 400))) return;
    if (which === 'misses' && isMistake(code, status) && !isWithinRate()) return;
    const traceId = span?.traceId;
    const path = shortened(origin.path, MAX_PATH_CHARS);
    const durationMs = Math.round(ms * 100) / 100;
    log.info(
      { requestId, traceId, handler, operation, method, path, status, code, durationMs, cache, statements },
      `${method} ${path} ${status}`,
    );
  };
};

/** A plugin may have codes of its own: of these the response tells. */
const isMistake = (code: string | undefined, status: number): boolean => {
  const { status: meant = status } = ERROR_TABLE[code as ErrorCode] ?? {};
  return code !== undefined && meant >= 400 && meant < 500;
};

/** Clients can make requests fail as fast as they can send them: more lines than this a second would fill the disk, and say nothing new. */
const MAX_FAILURES_PER_S = 20;

/** Whether a request that failed by a mistake of its client is logged. Those that are not are counted in a line of their own. */
const createFailureRate = (log: Logger): (() => boolean) => {
  let failures = 0;
  const endSecond = (): void => {
    const omitted = failures - MAX_FAILURES_PER_S;
    failures = 0;
    if (omitted > 0)
      log.info({ omitted }, 'more requests failed by mistakes of clients: they are not logged one by one');
  };
  return () => {
    if (failures === 0) setTimeout(endSecond, 1000).unref();
    failures += 1;
    return failures <= MAX_FAILURES_PER_S;
  };
};
