import type { GatewayRequest, GatewayResponse } from './message.ts';

/** Adds to a response the `access-control-*` headers that its request's origin has a right to. */
export type Cors = (request: Pick<GatewayRequest, 'method' | 'headers'>, headers: GatewayResponse['headers']) => void;

const EXPOSED = 'x-request-id, etag, age, cache-status, link, retry-after';
const ALLOWED_HEADERS = 'authorization, content-type, if-none-match, x-request-id';
const PREFLIGHT_MAX_AGE_S = 86_400;

/**
 * Cross-origin reading by an allow-list, never with credentials: https://fetch.spec.whatwg.org/#http-cors-protocol
 * @param origins exact origins, or `*` for any
 * @returns undefined where no origin is allowed
 */
export const createCors = (origins: readonly string[]): Cors | undefined => {
  if (origins.length === 0) return undefined;
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

/** Where the parts of a page may come from, by directive; what is not named comes from nowhere. */
export interface PageSources {
  readonly 'script-src'?: string;
  readonly 'worker-src'?: string;
  readonly 'connect-src'?: string;
  readonly 'style-src'?: string;
  readonly 'img-src'?: string;
  readonly 'font-src'?: string;
}

/**
 * The headers that every page of ours is sent with. Whatever a page of this gateway is asked to show, it loads nothing from another host,
 * runs no script that is not named here, stands in no frame, and tells no other site where its visitor came from.
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

/** For scripts and styles that only pages of ours load. */
export const PAGE_ASSET_HEADERS: Readonly<Record<string, string>> = { 'cross-origin-resource-policy': 'same-origin' };
