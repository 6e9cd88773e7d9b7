import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { ObserveStatement } from '../database/pool.ts';
import type { AppError } from '../errors.ts';
import type { OperationCounts, RequestCounts } from './counts.ts';
import { type Observe, type ObservedRequest, RequestContext } from './observation.ts';
import type { Tracing } from './tracing.ts';

interface Deps {
  readonly requests: RequestCounts;
  readonly tracing: Tracing;
  /** Shows what is observed. */
  readonly observe: Observe;
}

/** Observes every request and its statements, for the log, the metrics and the trace. */
export class RequestObserver {
  readonly #requests: RequestCounts;
  readonly #tracing: Tracing;
  readonly #working = new AsyncLocalStorage<RequestContext>();
  readonly observe: Observe;

  constructor({ requests, tracing, observe }: Deps) {
    this.#requests = requests;
    this.#tracing = tracing;
    this.observe = observe;
  }

  /** Begins to record a request that has no cached response. */
  begin(request: ObservedRequest): RequestContext {
    this.observe({ kind: 'begin' });
    return this.#follow(request);
  }

  /** Records a request that is refused before it begins. @param countedAs what it is for, where that is known */
  refuse(request: ObservedRequest, error: AppError, countedAs?: Readonly<Parameters<RequestContext['isFor']>>): void {
    const refused = this.#follow(request);
    if (countedAs) refused.isFor(...countedAs);
    refused.failWith(error);
    this.observe({ kind: 'refusal', request: refused, status: error.status, durationMs: ageMs(request) });
  }

  /** Runs work for a request: its statements are counted for the request. */
  run<Result>(requestContext: RequestContext, work: () => Result): Result {
    const { span } = requestContext;
    if (span) return span.run(() => this.#working.run(requestContext, work));
    // Node restores the asynchronous context where the callback ends in which a request arrives.
    // To do so here would make a second one: 5 % of a miss.
    this.#working.enterWith(requestContext);
    return work();
  }

  /** Records the response. */
  end(request: RequestContext, status: number): void {
    this.observe({ kind: 'end', request, status, durationMs: ageMs(request.origin) });
  }

  /** Counts a response from memory, which is neither logged nor traced. */
  hit(counts: OperationCounts, status: number): void {
    this.observe({ kind: 'hit', counts, status });
  }

  /** The logger for a message about the request that is being worked for: its lines have the id of the request. */
  logOf(log: Logger): Logger {
    return this.#working.getStore()?.lazyLog(log)() ?? log;
  }

  readonly statement: ObserveStatement = (name, text) => {
    const startMs = performance.now();
    const request = this.#working.getStore();
    if (request) request.statements += 1;
    const span = this.#tracing.startStatement(name, text);
    return (error) => {
      this.observe({ kind: 'statement', name, durationMs: performance.now() - startMs, error, span });
    };
  };

  #follow(request: ObservedRequest): RequestContext {
    return new RequestContext(request, this.#tracing.startRequest(request.headers, request.startMs), this.#requests);
  }
}

const ageMs = ({ startMs }: ObservedRequest): number => performance.now() - startMs;

const SANE = /^[\w.:+/=@-]{1,128}$/;

/**
 * The caller's `x-request-id` if it is short and safe to log, else a new one: a random prefix of the process and a counter, because a random
 * id for each request would cost more than a cache hit.
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
