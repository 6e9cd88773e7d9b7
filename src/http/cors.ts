import type { Config } from '../config/config.ts';
import type { GatewayRequest, GatewayResponse } from './message.ts';

/** Adds the `access-control-*` headers for the origin of a request. */
export type Cors = (request: Pick<GatewayRequest, 'method' | 'headers'>, headers: GatewayResponse['headers']) => void;

const EXPOSED = 'x-request-id, etag, age, cache-status, retry-after, ratelimit, ratelimit-policy';
// Of requests without cookies a star stands for every header but one.
const ALLOWED_HEADERS = '*, authorization';
const PREFLIGHT_MAX_AGE_S = 86_400;

/**
 * Cross-origin reading by an allow-list, never with credentials: https://fetch.spec.whatwg.org/#http-cors-protocol
 * @returns undefined where no origin is allowed
 */
export const createCors = ({ corsOrigins: origins }: Config): Cors | undefined => {
  if (origins.length === 0) return undefined;
  const anyOrigin = origins.includes('*');

  return ({ method, headers: { origin } }, headers) => {
    // Even for a request without an origin, or a cache would give its response to a request with one.
    if (!anyOrigin && !/\borigin\b/i.test(String(headers.vary))) {
      headers.vary = headers.vary ? `${headers.vary}, origin` : 'origin';
    }
    if (!origin || !(anyOrigin || origins.includes(origin))) return;
    headers['access-control-allow-origin'] = anyOrigin ? '*' : origin;
    if (method !== 'OPTIONS') {
      headers['access-control-expose-headers'] = EXPOSED;
      return;
    }
    headers['access-control-allow-methods'] = 'GET, HEAD, POST, QUERY, OPTIONS';
    headers['access-control-allow-headers'] = ALLOWED_HEADERS;
    headers['access-control-max-age'] = PREFLIGHT_MAX_AGE_S;
  };
};
