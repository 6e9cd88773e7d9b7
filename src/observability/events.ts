import type { Attributes } from '@opentelemetry/api';
import type { Logger } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import { RequestCounts } from './counts.ts';
import { MAX_PATH_CHARS } from './log.ts';
import type { AnsweredRequest, Observation, RequestContext } from './observation.ts';
import { type LogRequests, RequestLog } from './request-log.ts';
import { RequestObserver } from './request-observer.ts';
import { NO_TRACING, type TracingConfig } from './tracing.ts';

interface Options {
  readonly logRequests: LogRequests;
  /** Undefined: no traces. */
  readonly tracing: TracingConfig | undefined;
}

/** Logs, metrics and traces of a gateway. */
export const createObservability = async ({ logRequests, tracing: tracingConfig }: Options, log: Logger) => {
  const { version } = packageJson;
  const requests = new RequestCounts();
  const tracing = tracingConfig
    ? (await import('./opentelemetry.ts')).createOpentelemetry(tracingConfig, version, log)
    : NO_TRACING;
  const requestLog = new RequestLog(log, logRequests);
  const observe = (event: Observation): void => {
    const shown: Shown<Observation> = EVENTS[event.kind];
    shown.count?.(event, requests);
    shown.log?.(event, requestLog);
    if (tracing.isOn) shown.trace?.(event);
  };
  const observer = new RequestObserver({ requests, tracing, observe });
  return { version, requests, tracing, observer };
};

/** The ways in which an event shows: by what it counts, by its line in the log, by the end of its span. */
interface Shown<Event> {
  count?(event: Event, requests: RequestCounts): void;
  log?(event: Event, log: RequestLog): void;
  trace?(event: Event): void;
}

type Events = { readonly [Kind in Observation['kind']]: Shown<Extract<Observation, { readonly kind: Kind }>> };

/** How each event shows. Another event is a variant of {@link Observation}, and a row here. */
const EVENTS: Events = {
  begin: {
    count: (_, requests) => {
      requests.inFlight += 1;
    },
  },
  end: {
    count: (event, requests) => {
      requests.inFlight -= 1;
      countAnswer(event, requests);
    },
    log: (event, log) => log.writeRequest(event),
    trace: (event) => endSpan(event),
  },
  hit: {
    count: ({ counts, status }, requests) =>
      requests.answered(counts, 'hit', status, 0, status === 404 ? 'NOT_FOUND' : undefined),
  },
  refusal: {
    count: (event, requests) => countAnswer(event, requests),
    log: (event, log) => log.writeRequest(event),
    trace: (event) => endSpan(event),
  },
  overload: {
    count: (_, requests) => {
      requests.overloads += 1;
    },
    log: ({ load }, log) => log.writeOverload(load),
  },
  statement: {
    count: ({ name, durationMs, error }, requests) => requests.executed(name, durationMs / 1000, error !== undefined),
    trace: ({ span, error }) => span?.end(error),
  },
};

const countAnswer = ({ request, status, durationMs }: AnsweredRequest, requests: RequestCounts): void =>
  requests.answered(request.counts, request.cache, status, durationMs / 1000, request.code);

const endSpan = ({ request, status }: Pick<AnsweredRequest, 'request' | 'status'>): void => {
  const { span } = request;
  if (span?.isSampled) span.end(spanName(request), spanAttributes(request, status), status >= 500);
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
