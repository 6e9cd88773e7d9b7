import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes } from '@opentelemetry/api';
import type { Logger } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import type { ObserveStatement } from '../database/pool.ts';
import type { AppError } from '../errors.ts';
import type { LoadState } from '../overload/load-guard.ts';
import { type CountedAs, type OperationCounts, RequestCounts } from './counts.ts';
import { MAX_PATH_CHARS } from './log.ts';
import { type ObservedRequest, RequestContext } from './request-context.ts';
import { type LogRequests, RequestLog } from './request-log.ts';
import type { Tracing, TracingConfig } from './tracing.ts';

interface Options {
  readonly logRequests: LogRequests;
  /** Undefined: no traces. */
  readonly tracing: TracingConfig | undefined;
}

/** The SDK for traces is loaded only where they are configured. */
export const createObserver = async ({ logRequests, tracing }: Options, log: Logger): Promise<Observer> =>
  new Observer(
    tracing && new (await import('./tracing.ts')).Tracing(tracing, packageJson.version, log),
    new RequestLog(log, logRequests),
  );

/** What happens to requests and their statements: each event is a method, which says what it counts, logs and traces. */
export class Observer {
  readonly requests = new RequestCounts();
  /** Undefined: no traces. */
  readonly tracing: Tracing | undefined;
  readonly #log: RequestLog;
  readonly #working = new AsyncLocalStorage<RequestContext>();

  constructor(tracing: Tracing | undefined, log: RequestLog) {
    this.tracing = tracing;
    this.#log = log;
  }

  /** A request that has no response in memory. */
  begin(request: ObservedRequest, countedAs: CountedAs): RequestContext {
    this.requests.inFlight += 1;
    return this.#follow(request, countedAs);
  }

  /** Its response. */
  end(request: RequestContext, status: number): void {
    this.requests.inFlight -= 1;
    this.#show(request, status);
  }

  /** A request that is refused before it begins: nothing is at its path, it is faulty, or its client asks too often. */
  refuse(request: ObservedRequest, error: AppError, countedAs: CountedAs): void {
    const refused = this.#follow(request, countedAs);
    refused.failWith(error);
    this.#show(refused, error.status);
  }

  /** A response from memory, which is neither logged nor traced. */
  hit(counts: OperationCounts, status: number): void {
    this.requests.answered(counts, 'hit', status, 0, status === 404 ? 'NOT_FOUND' : undefined);
  }

  /** A request that is refused because too much is asked for at once; also an execution within a request that has begun. */
  overload(load: LoadState): void {
    this.requests.overloads += 1;
    this.#log.writeOverload(load);
  }

  /** An execution by graphql-js in the place of a compiled operation. @param error what that threw */
  fallBack(outcome: keyof RequestCounts['fallBacks'], operation: { readonly label: string }, error: unknown): void {
    this.requests.fallBacks[outcome] += 1;
    if (outcome === 'answered') this.#log.writeFallBack(operation, error, this.#working.getStore());
  }

  /** A statement that is sent to the database, and its end. */
  readonly statement: ObserveStatement = (name, text) => {
    const startMs = performance.now();
    const request = this.#working.getStore();
    if (request) request.statements += 1;
    const endSpan = this.tracing?.startStatement(name, text);
    return (error) => {
      this.requests.executed(name, (performance.now() - startMs) / 1000, error !== undefined);
      endSpan?.(error);
    };
  };

  /** Runs work for a request: its statements are counted for the request. */
  run<Result>(requestContext: RequestContext, work: () => Result): Result {
    const { span } = requestContext;
    if (span) return span.run(() => this.#working.run(requestContext, work));
    // Node restores the asynchronous context where the callback ends in which a request arrives.
    // To do so here would make a second one: 5 % of a miss.
    this.#working.enterWith(requestContext);
    return work();
  }

  /** The logger for a message about the request that is being worked for: its lines have the id of the request. */
  logOf(log: Logger): Logger {
    return this.#working.getStore()?.logTo(log) ?? log;
  }

  #follow(request: ObservedRequest, countedAs: CountedAs): RequestContext {
    const span = this.tracing?.startRequest(request.headers, request.startMs);
    return new RequestContext(request, span, this.requests, countedAs);
  }

  #show(request: RequestContext, status: number): void {
    const { counts, cache, code, span, origin } = request;
    const durationMs = performance.now() - origin.startMs;
    this.requests.answered(counts, cache, status, durationMs / 1000, code);
    this.#log.writeRequest(request, status, durationMs);
    if (span?.isSampled) span.end(spanName(request), spanAttributes(request, status), status >= 500);
  }
}

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
