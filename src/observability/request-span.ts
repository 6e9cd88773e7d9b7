import type { RequestRecord } from './request-record.ts';
import type { Attributes } from './tracing.ts';

// Names and attributes as https://opentelemetry.io/docs/specs/semconv/http/http-spans/ has them.

/** The method, and the route where there is one. */
export const spanName = ({ origin: { method }, counts: { route } }: RequestRecord): string =>
  route === undefined ? method : `${method} ${route}`;

export const spanAttributes = ({ origin, counts, cache, code }: RequestRecord, status: number): Attributes => ({
  'http.request.method': origin.method,
  'http.response.status_code': status,
  'url.path': origin.path,
  'url.scheme': 'http',
  'vitrine.request_id': origin.requestId,
  'vitrine.door': counts.door,
  'vitrine.operation': counts.operation,
  'vitrine.cache': cache,
  ...(counts.route === undefined ? {} : { 'http.route': counts.route }),
  ...(code === undefined ? {} : { 'error.type': code }),
});
