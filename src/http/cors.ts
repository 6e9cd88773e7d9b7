import type { GatewayRequest } from './message.ts';

/** The `access-control-*` headers for a request, empty where its origin has no right to them. */
export type Cors = (request: GatewayRequest) => Record<string, string>;

const EXPOSED = 'x-request-id, etag, age, cache-status, retry-after';
const ALLOWED_HEADERS = 'authorization, content-type, if-none-match, x-request-id';
const PREFLIGHT_MAX_AGE_S = 86_400;

/**
 * Cross-origin reading by an allow-list, never with credentials: https://fetch.spec.whatwg.org/#http-cors-protocol
 * @param origins exact origins, or `*` for any; empty allows none
 */
export const createCors = (origins: readonly string[]): Cors => {
  if (origins.length === 0) return () => ({});
  const anyOrigin = origins.includes('*');

  return ({ method, headers }) => {
    // An answer that depends on the origin says so even to a request without one, or a cache would mix them up.
    const vary = anyOrigin ? {} : { vary: 'origin' };
    const { origin } = headers;
    if (!origin || !(anyOrigin || origins.includes(origin))) return vary;
    const allowed = { ...vary, 'access-control-allow-origin': anyOrigin ? '*' : origin };
    if (method !== 'OPTIONS') return { ...allowed, 'access-control-expose-headers': EXPOSED };
    return {
      ...allowed,
      'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
      'access-control-allow-headers': ALLOWED_HEADERS,
      'access-control-max-age': String(PREFLIGHT_MAX_AGE_S),
    };
  };
};
