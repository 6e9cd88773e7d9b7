import type { Attributes } from '@opentelemetry/api';
import { MAX_PATH_CHARS } from './log.ts';
import type { Observation, RequestContext } from './observation.ts';

// Names and attributes as in https://opentelemetry.io/docs/specs/semconv/http/http-spans/

/** Ends the span of what is observed, where it has one. */
export const endSpan = (observation: Observation): void => {
  if (observation.kind === 'statement') observation.span?.end(observation.error);
  if (observation.kind !== 'end' && observation.kind !== 'hit') return;
  const { request, status } = observation;
  if (request?.origin.span?.isSampled)
    request.origin.span.end(spanName(request), spanAttributes(request, status), status >= 500);
};

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
