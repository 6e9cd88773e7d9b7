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

/** Where the parts of a page may be loaded from, by directive; without a directive: from nowhere. */
export type PageSources = Readonly<Record<`${string}-src`, string>>;

/**
 * The headers of our pages: a page loads nothing from another host, runs no script that is not named here, is shown in no frame, and sends
 * no `Referer` to other sites.
 * @param sources as in `{ 'script-src': "'self'" }`, https://www.w3.org/TR/CSP3/#directives-fetch
 */
export const pageHeaders = (sources: PageSources): Readonly<Record<string, string>> => ({
  'content-security-policy': [
    "default-src 'none'",
    ...Object.entries(sources).map(([directive, allowed]) => `${directive} ${allowed}`),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  // For browsers that do not know `frame-ancestors`.
  'x-frame-options': 'DENY',
});

/** For scripts and styles that only our pages load. */
export const PAGE_ASSET_HEADERS: Readonly<Record<string, string>> = { 'cross-origin-resource-policy': 'same-origin' };
