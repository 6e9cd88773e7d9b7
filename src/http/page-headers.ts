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
