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
  /** Has a request answered that is not in memory. Whatever works for it meanwhile is put down to it. */
  readonly answer: (
    request: GatewayRequest,
    requestId: string,
    answer: (record: RequestRecord) => Promise<GatewayResponse>,
  ) => Promise<GatewayResponse>;
  /** The same for one that is refused at once. */
  readonly refuse: (
    request: Head,
    requestId: string,
    answer: (record: RequestRecord) => GatewayResponse,
  ) => GatewayResponse;
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

  const recordOf = ({ method, target }: Head, requestId: string, startMs: number, traceId?: string): RequestRecord => {
    const path = splitTarget(target).path.slice(0, MAX_PATH_CHARS);
    return new RequestRecord({ requestId, method, path, startMs, traceId }, requests);
  };

  const tell = (record: RequestRecord, { status, headers }: GatewayResponse, span: RequestSpan | undefined): void => {
    const { counts, cache, code, origin } = record;
    const durationMs = performance.now() - origin.startMs;
    if (isCounting) {
      countAnswer(counts, cache, status, durationMs / 1000);
      if (code !== undefined) countError(requests, counts.door, code);
    }
    logRequest(record, status, durationMs);
    span?.end(spanName(record), spanAttributes(record, status), status >= 500);
    if (counts.door !== 'other') headers['server-timing'] = serverTiming(record, durationMs);
  };

  return {
    timesRecalled: logsRecalled || tracing.isOn,

    answer: async (request, requestId, answer) => {
      const startMs = performance.now();
      const span = tracing.startRequest(request.headers, startMs);
      const record = recordOf(request, requestId, startMs, span?.traceId);
      const work = () => working.run(record, answer, record);
      requests.inFlight += 1;
      const response = await (span ? span.run(work) : work());
      requests.inFlight -= 1;
      tell(record, response, span);
      return response;
    },

    refuse: (request, requestId, answer) => {
      const startMs = performance.now();
      const span = tracing.startRequest(request.headers, startMs);
      const record = recordOf(request, requestId, startMs, span?.traceId);
      const response = answer(record);
      tell(record, response, span);
      return response;
    },

    recalled: (counts, request, response, requestId, startMs) => {
      if (isCounting) {
        if (response.status === 304) counts.recalled.notModified += 1;
        else counts.recalled.ok += 1;
      }
      // An answer from memory begins no trace of its own; in that of its caller it shows.
      const isTraced = tracing.isOn && request.headers.traceparent !== undefined;
      if (!logsRecalled && !isTraced) return;
      const span = isTraced ? tracing.startRequest(request.headers, startMs) : undefined;
      const record = recordOf(request, requestId, startMs, span?.traceId);
      record.counts = counts;
      record.cache = 'hit';
      if (logsRecalled) logRequest(record, response.status, performance.now() - startMs);
      span?.end(spanName(record), spanAttributes(record, response.status), false);
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
