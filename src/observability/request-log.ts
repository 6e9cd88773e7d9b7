import type { Logger } from 'pino';
import { ERROR_TABLE, type ErrorCode } from '../errors.ts';
import { shortened } from './log.ts';
import type { RequestContext } from './request-observer.ts';

const MAX_LOGGED_PATH_CHARS = 200;

/** Which requests are logged: all, those without a cached response, or none. */
export type LogRequests = 'all' | 'misses' | 'none';

/** Logs a request after its response. */
export type RequestLog = (requestContext: RequestContext, status: number, durationMs: number) => void;

/** The line has only the code of an error. The error has a line of its own, with its cause and the same request id. */
export const createRequestLog = (log: Logger, which: LogRequests): RequestLog => {
  if (which === 'none' || !log.isLevelEnabled('info')) return () => {};
  const isWithinRate = createFailureRate(log);
  return (requestContext, status, durationMs) => {
    const { cache, code, statements, isRejected } = requestContext;
    const { requestId, span, method, path } = requestContext.origin;
    const { handler, operation } = requestContext.counts;
    // A line for each rejection would add to the overload: the load guard logs a summary every few seconds.
    if (isRejected) return;
    // Probes, scrapes and pages are logged only if they fail.
    if (which === 'misses' && (cache === 'hit' || (handler === 'other' && status < 400))) return;
    if (which === 'misses' && isMistake(code, status) && !isWithinRate()) return;
    const rounded = Math.round(durationMs * 100) / 100;
    const shown = shortened(path, MAX_LOGGED_PATH_CHARS);
    log.info(
      {
        requestId,
        traceId: span?.traceId,
        handler,
        operation,
        method,
        path: shown,
        status,
        code,
        durationMs: rounded,
        cache,
        statements,
      },
      `${method} ${shown} ${status}`,
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
