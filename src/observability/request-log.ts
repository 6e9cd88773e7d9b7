import type { Logger } from 'pino';
import { ERROR_TABLE, type ErrorCode } from '../errors.ts';
import type { LoadState } from '../overload/load-guard.ts';
import { MAX_PATH_CHARS, shortened } from './log.ts';
import type { RequestContext } from './request-context.ts';

/** Which requests are logged: those without a response in memory, or none. */
export type LogRequests = 'misses' | 'none';

/** Clients can make requests fail as fast as they can send them: more lines than this a second would fill the disk, and say nothing new. */
const MAX_FAILURES_PER_S = 20;

/** Refusals for overload have one line in this time, which tells of all. */
const OVERLOAD_INTERVAL_MS = 5000;

/** Logs requests after their responses: only the code of an error, which has a line of its own, with its cause and the same request id. */
export class RequestLog {
  readonly #log: Logger;
  readonly #isOn: boolean;
  /** Of this second, by mistakes of clients. */
  #failures = 0;
  #overloads = 0;
  #overloadMs = Number.NEGATIVE_INFINITY;
  readonly #fallBacks = new WeakSet<object>();

  constructor(log: Logger, which: LogRequests) {
    this.#log = log;
    this.#isOn = which !== 'none' && log.isLevelEnabled('info');
  }

  writeOverload(load: LoadState): void {
    this.#overloads += 1;
    const nowMs = performance.now();
    if (nowMs - this.#overloadMs <= OVERLOAD_INTERVAL_MS) return;
    this.#overloadMs = nowMs;
    this.#log.warn({ ...load, refused: this.#overloads }, 'overload: requests are rejected');
  }

  /** The first of each operation has a line. */
  writeFallBack(operation: { readonly label: string }, err: unknown, request: RequestContext | undefined): void {
    if (this.#fallBacks.has(operation)) return;
    this.#fallBacks.add(operation);
    const log = request?.logTo(this.#log) ?? this.#log;
    log.warn(
      { operation: operation.label, err },
      'A compiled operation failed where the reference executor did not: it runs twice.',
    );
  }

  writeRequest(request: RequestContext, status: number, ms: number): void {
    const { origin, span, counts, cache, code, statements, isRejected } = request;
    // A line for each rejection would add to the overload.
    if (!this.#isOn || isRejected || !this.#isWorthALine(request, status)) return;
    const { requestId, method } = origin;
    const { handler, operation } = counts;
    const traceId = span?.traceId;
    const path = shortened(origin.path, MAX_PATH_CHARS);
    const durationMs = Math.round(ms * 100) / 100;
    this.#log.info(
      { requestId, traceId, handler, operation, method, path, status, code, durationMs, cache, statements },
      `${method} ${path} ${status}`,
    );
  }

  /** Answers from memory have none; probes, scrapes and pages only if they fail. */
  #isWorthALine({ counts: { handler }, cache, code }: RequestContext, status: number): boolean {
    if (cache === 'hit' || (handler === 'other' && status < 400)) return false;
    return !isMistake(code, status) || this.#isWithinRate();
  }

  /** Whether a request that failed by a mistake of its client is logged. Those that are not are counted in a line of their own. */
  #isWithinRate(): boolean {
    if (this.#failures === 0) setTimeout(() => this.#endSecond(), 1000).unref();
    this.#failures += 1;
    return this.#failures <= MAX_FAILURES_PER_S;
  }

  #endSecond(): void {
    const omitted = this.#failures - MAX_FAILURES_PER_S;
    this.#failures = 0;
    if (omitted > 0)
      this.#log.info({ omitted }, 'more requests failed by mistakes of clients: they are not logged one by one');
  }
}

/** A plugin may have codes of its own: of these the response tells. */
const isMistake = (code: string | undefined, status: number): boolean => {
  const { status: meant = status } = ERROR_TABLE[code as ErrorCode] ?? {};
  return code !== undefined && meant >= 400 && meant < 500;
};
