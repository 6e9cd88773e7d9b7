import type { GatewayRequest, GatewayResponse } from './message.ts';

/** Adds to a response the `access-control-*` headers that its request's origin has a right to. */
export type Cors = (request: Pick<GatewayRequest, 'method' | 'headers'>, headers: GatewayResponse['headers']) => void;

const EXPOSED = 'x-request-id, etag, age, cache-status, link, retry-after';
const ALLOWED_HEADERS = 'authorization, content-type, if-none-match, x-request-id';
const PREFLIGHT_MAX_AGE_S = 86_400;

/**
 * Cross-origin reading by an allow-list, never with credentials: https://fetch.spec.whatwg.org/#http-cors-protocol
 * @param origins exact origins, or `*` for any; empty allows none
 */
export const createCors = (origins: readonly string[]): Cors => {
  if (origins.length === 0) return () => {};
  const anyOrigin = origins.includes('*');

  return ({ method, headers: { origin } }, headers) => {
    // An answer that depends on the origin says so even to a request without one, or a cache would mix them up.
    if (!anyOrigin) headers.vary = headers.vary ? `${headers.vary}, origin` : 'origin';
    if (!origin || !(anyOrigin || origins.includes(origin))) return;
    headers['access-control-allow-origin'] = anyOrigin ? '*' : origin;
    if (method !== 'OPTIONS') {
      headers['access-control-expose-headers'] = EXPOSED;
      return;
    }
    headers['access-control-allow-methods'] = 'GET, HEAD, POST, OPTIONS';
    headers['access-control-allow-headers'] = ALLOWED_HEADERS;
    headers['access-control-max-age'] = PREFLIGHT_MAX_AGE_S;
  };
};
