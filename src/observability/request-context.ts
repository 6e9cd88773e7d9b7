import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { type AppError, Overloaded } from '../errors.ts';
import type { CacheUse, CountedAs, OperationCounts, RequestCounts } from './counts.ts';
import type { RequestSpan } from './tracing.ts';

/** The parts of a request that are recorded. */
export interface ObservedRequest {
  readonly requestId: string;
  readonly method: string;
  /** Without the query string, which may hold private data. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** When it came, by `performance.now()`. */
  readonly startMs: number;
}

/** The facts of a request for the log, the metrics and the trace. */
export class RequestContext {
  readonly origin: ObservedRequest;
  /** Undefined where traces are off. */
  readonly span: RequestSpan | undefined;
  readonly #requests: RequestCounts;
  counts: OperationCounts;
  cache: CacheUse = 'none';
  /** The code of the error that the request ended with. */
  code: string | undefined = undefined;
  /** Whether it was rejected because of overload. */
  isRejected = false;
  /** Statements of this request. One that several requests share counts for the first of them. */
  statements = 0;

  constructor(origin: ObservedRequest, span: RequestSpan | undefined, requests: RequestCounts, countedAs: CountedAs) {
    this.origin = origin;
    this.span = span;
    this.#requests = requests;
    this.counts = requests.of(...countedAs);
  }

  failWith(error: AppError): void {
    this.code = error.code;
    this.isRejected = error instanceof Overloaded;
  }

  /** Sets the operation, once it is known. */
  isFor(...countedAs: CountedAs): void {
    this.counts = this.#requests.of(...countedAs);
  }

  /** A logger whose lines have the id of this request. */
  logTo(log: Logger): Logger {
    const { span, origin } = this;
    return log.child({ requestId: origin.requestId, ...(span && { traceId: span.traceId }) });
  }
}

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
