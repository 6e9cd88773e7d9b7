import type { Logger } from 'pino';
import type { RequestRecord } from './request-record.ts';
import { shortened } from './visible.ts';

const MAX_PATH_CHARS = 200;

/** Which requests get a line: all, those that were not answered from memory, or none. */
export type LogRequests = 'all' | 'misses' | 'none';

/** Writes the line of a request that is answered. */
export type RequestLog = (record: RequestRecord, status: number, durationMs: number) => void;

/** An error has its own line, with its cause and the same request id: here stands only its code. */
export const createRequestLog = (log: Logger, which: LogRequests): RequestLog => {
  if (which === 'none' || !log.isLevelEnabled('info')) return () => {};
  return (record, status, durationMs) => {
    const { cache, code, statements, isShed } = record;
    const { requestId, span, method, path } = record.origin;
    const { door, operation } = record.counts;
    // A line for each would make it worse: that there are some is told every few seconds, and the metrics count them.
    if (isShed) return;
    // Probes, scrapes and pages are of interest where they fail.
    if (which === 'misses' && (cache === 'hit' || (door === 'other' && status < 400))) return;
    const rounded = Math.round(durationMs * 100) / 100;
    const shown = shortened(path, MAX_PATH_CHARS);
    log.info(
      {
        requestId,
        traceId: span?.traceId,
        door,
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
