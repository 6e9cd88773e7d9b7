import { LRUCache } from 'lru-cache';
import { PREVIEW_HEADER } from '../access/access.ts';
import type { CacheEntry } from '../cache/cached-response.ts';
import type { Languages } from '../language/languages.ts';
import type { OperationCounts } from '../observability/counts.ts';
import { asksByBody, CATALOG_PATHS, type GatewayRequest, GRAPHQL_PATH } from './message.ts';
import type { OperationRoute, ResponseHead } from './route.ts';

export type RequestCache = ReturnType<typeof createRequestCache>;

export interface KnownRequest {
  readonly route: OperationRoute;
  readonly head: ResponseHead;
  /** The counts of the operation, for the metrics. */
  readonly counts: OperationCounts;
  /** The entry of its response in the response cache. */
  readonly entry: CacheEntry;
}

/** The memory that an entry takes beside its key (measured): objects, and its part of the map. */
const ENTRY_OVERHEAD_BYTES = 400;

/** What it takes besides where languages are configured: a head of its own, with the language that is shown (by the number of their fields). */
const LANGUAGE_BYTES = 104;

/** A longer body is no key. */
const MAX_KEY_BYTES = 8192;

/** Members that say something of a buyer are part of no key: https://ucp.dev/2026-08-25/specification/overview#signals */
const BUYERS_DATA = /"(?:signals|attribution|context|meta)"/;

/**
 * Requests that were answered before, by their bytes: the cached response to an equal one is one look-up away. Another spelling of a request
 * has an entry of its own, which leads to the same cached response.
 * @param maxBytes 0: no request has a key, and none is equal to another
 */
export const createRequestCache = (maxBytes: number, languages: Languages) => {
  const known = new LRUCache<string, KnownRequest>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ head }, key) => key.length + ENTRY_OVERHEAD_BYTES + (head.language ? LANGUAGE_BYTES : 0),
  });

  return {
    /** Everything that decides the response; undefined for a request that is never cached. */
    keyOf: (request: GatewayRequest): string | undefined => {
      if (maxBytes === 0 || request.headers[PREVIEW_HEADER] !== undefined) return undefined;
      const key = keyInAnyLanguage(request);
      if (key === undefined || !languages.areSeveral) return key;
      return `${languages.ofHeader(request.headers['accept-language']).code} ${key}`;
    },
    find: (key: string): KnownRequest | undefined => known.get(key),
    learn: (key: string, request: KnownRequest): void => void known.set(key, request),
  };
};

/** Undefined for a request that is never cached. */
const keyInAnyLanguage = ({ method, target, headers, body }: GatewayRequest): string | undefined => {
  const { accept = '' } = headers;
  // A GraphQL query in the target negotiates its media type; a REST path has one.
  if (method === 'GET' || method === 'HEAD') return target.startsWith(GRAPHQL_PATH) ? `${accept} ${target}` : target;
  if (
    !asksByBody(method) ||
    !Buffer.isBuffer(body) ||
    body.byteLength > MAX_KEY_BYTES ||
    headers['content-type'] !== 'application/json' ||
    headers['content-encoding'] !== undefined
  )
    return undefined;
  const text = body.toString('latin1');
  // No header has a line break, so that no two requests have one key. A response that can be kept is the same by POST and by QUERY.
  if (target === GRAPHQL_PATH) return `${accept}\n${text}`;
  // An escape could spell such a member, or the bytes of another character.
  if (method !== 'POST' || !target.startsWith(CATALOG_PATHS) || text.includes('\\u')) return undefined;
  const asked = BUYERS_DATA.test(text) ? withoutBuyersData(text) : text;
  if (asked === undefined) return undefined;
  const { host, 'x-forwarded-host': forwardedHost, 'x-forwarded-proto': forwardedProto } = headers;
  return `${target}\n${host} ${forwardedHost} ${forwardedProto}\n${asked}`;
};

/** What decides the answer of a request for agents; undefined for one that may be faulty. */
const withoutBuyersData = (text: string): string | undefined => {
  try {
    const { context = {}, query, filters, pagination, ids, id, selected, preferences } = JSON.parse(text);
    if (typeof context !== 'object' || context === null || Array.isArray(context)) return undefined;
    const { currency, language } = context;
    return JSON.stringify({ currency, language, query, filters, pagination, ids, id, selected, preferences });
  } catch {
    return undefined;
  }
};
