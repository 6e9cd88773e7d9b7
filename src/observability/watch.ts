import { AsyncLocalStorage } from 'node:async_hooks';
import type { WatchStatement } from '../database/database.ts';
import { type GatewayRequest, type GatewayResponse, splitTarget } from '../http/message.ts';
import { countAnswer, countError, type OperationCounts, type RequestCounts } from './request-counts.ts';
import type { RequestLog } from './request-log.ts';
import { RequestRecord } from './request-record.ts';
import { spanAttributes, spanName } from './request-span.ts';
import { countStatement, type StatementCounts } from './statement-counts.ts';
import type { RequestSpan, Tracing } from './tracing.ts';

type Head = Omit<GatewayRequest, 'body'>;

/** Sees every request through, so that nobody else has to know who is told of it. */
export interface Watch {
  /** Takes note of a request that is not answered from memory. */
  readonly begin: (request: Head, requestId: string) => RequestRecord;
  /** Works for a request: what is done meanwhile, by whomever, is put down to it. */
  readonly run: <Args extends unknown[], Result>(
    record: RequestRecord,
    work: (...args: Args) => Result,
    ...args: Args
  ) => Result;
  /** Tells everybody of its answer, the client too. */
  readonly end: (record: RequestRecord, response: GatewayResponse) => GatewayResponse;
  /**
   * Takes note of an answer from memory. On the quickest path there is: an increment, unless somebody asked for more.
   * @param startMs when the request came, if {@link timesRecalled}
   */
  readonly recalled: (
    counts: OperationCounts,
    request: Head,
    response: GatewayResponse,
    requestId: string,
    startMs: number,
  ) => void;
  readonly timesRecalled: boolean;
  readonly statement: WatchStatement;
}

interface Deps {
  readonly requests: RequestCounts;
  readonly statements: StatementCounts;
  /** Whether anybody reads the counts. */
  readonly isCounting: boolean;
  readonly logRequest: RequestLog;
  /** Whether answers from memory get a line each. */
  readonly logsRecalled: boolean;
  readonly tracing: Tracing;
}

const MAX_PATH_CHARS = 256;

export const createWatch = ({ requests, statements, isCounting, logRequest, logsRecalled, tracing }: Deps): Watch => {
  const working = new AsyncLocalStorage<RequestRecord>();

  const recordOf = (
    { method, target }: Head,
    requestId: string,
    startMs: number,
    span?: RequestSpan,
  ): RequestRecord => {
    const path = splitTarget(target).path.slice(0, MAX_PATH_CHARS);
    return new RequestRecord({ requestId, method, path, startMs, span }, requests);
  };

  return {
    begin: (request, requestId) => {
      const startMs = performance.now();
      requests.inFlight += 1;
      return recordOf(request, requestId, startMs, tracing.startRequest(request.headers, startMs));
    },

    run: (record, work, ...args) => {
      const { span } = record.origin;
      return span ? span.run(() => working.run(record, work, ...args)) : working.run(record, work, ...args);
    },

    end: (record, response) => {
      const { counts, cache, code, origin } = record;
      const { status, headers } = response;
      const durationMs = performance.now() - origin.startMs;
      requests.inFlight -= 1;
      if (isCounting) {
        countAnswer(counts, cache, status, durationMs / 1000);
        if (code !== undefined) countError(requests, counts.door, code);
      }
      logRequest(record, status, durationMs);
      if (origin.span?.isSampled) origin.span.end(spanName(record), spanAttributes(record, status), status >= 500);
      if (counts.door !== 'other') headers['server-timing'] = serverTiming(record, durationMs);
      return response;
    },

    timesRecalled: logsRecalled || tracing.isOn,

    recalled: (counts, request, response, requestId, startMs) => {
      if (isCounting) {
        if (response.status === 304) counts.recalled.notModified += 1;
        else counts.recalled.ok += 1;
      }
      // An answer from memory begins no trace of its own; in that of its caller it shows.
      const isTraced = tracing.isOn && request.headers.traceparent !== undefined;
      if (!logsRecalled && !isTraced) return;
      const span = isTraced ? tracing.startRequest(request.headers, startMs) : undefined;
      const record = recordOf(request, requestId, startMs, span);
      record.counts = counts;
      record.cache = 'hit';
      if (logsRecalled) logRequest(record, response.status, performance.now() - startMs);
      if (span?.isSampled) span.end(spanName(record), spanAttributes(record, response.status), false);
    },

    statement: (name, text) => {
      const startMs = performance.now();
      const record = working.getStore();
      if (record) record.statements += 1;
      if (isCounting) countStatement(statements, name);
      const endSpan = tracing.startStatement(name, text);
      return (error) => {
        const durationMs = performance.now() - startMs;
        if (record) record.databaseMs += durationMs;
        if (error !== undefined) statements.failed += 1;
        statements.seconds.add(durationMs / 1000);
        endSpan?.(error);
      };
    },
  };
};

/** https://www.w3.org/TR/server-timing/ */
const serverTiming = ({ statements, databaseMs }: RequestRecord, durationMs: number): string =>
  statements === 0
    ? `total;dur=${durationMs.toFixed(1)}`
    : `total;dur=${durationMs.toFixed(1)}, db;dur=${databaseMs.toFixed(1)};desc="statements: ${statements}"`;
