import { PREVIEW_HEADER } from '../access/access.ts';
import type { Body, CachedResponse } from '../cache/cached-response.ts';
import type { CacheOutcome } from '../cache/response-cache.ts';
import type { Clock } from '../database/clock.ts';
import type { ShownLanguage } from '../language/languages.ts';
import { type ContentEncodings, matchesEtag } from './content-encodings.ts';
import type { Cors } from './cors.ts';
import {
  type GatewayRequest,
  type GatewayResponse,
  inLanguage,
  PROBLEM_TYPE,
  varyBy,
  varyByLanguage,
  WrittenResponse,
  writeLines,
} from './message.ts';
import type { HeadedAnswer, ResponseHead } from './route.ts';

interface Options {
  readonly clock: Clock;
  readonly contentEncodings: ContentEncodings;
  /** Undefined where no header depends on the origin of a request. */
  readonly cors: Cors | undefined;
  /** Whether some callers may read what others may not: then no shared cache may keep a response. */
  readonly isRestricted: boolean;
  /** Whether callers with a preview token get other responses. */
  readonly hasPreviews: boolean;
}

/** No notification reaches a copy in another cache: it is to be revalidated after this time. */
const MAX_AGE_S = 1;

// RFC 9211: https://www.rfc-editor.org/rfc/rfc9211#section-2
export const CACHE_STATUS = {
  hit: 'vitrine; hit',
  miss: 'vitrine; fwd=miss',
  stale: 'vitrine; hit; ttl=-1; detail=stale-if-error',
} as const;

const ANY_REQUEST: GatewayRequest = { method: 'GET', target: '', headers: {}, body: undefined, fault: undefined };

type Headers = GatewayResponse['headers'];

/** Writes the HTTP responses of operations. The text that all heads of a kind share is made once. */
export class ResponseWriter {
  readonly #options: Options;
  readonly #vary: string;
  readonly #fresh: string;
  readonly #over: string;
  /** The lines that all responses of a kind share: there is a kind for each media type and content encoding. */
  readonly #linesOf = new Map<string, string>();

  constructor(options: Options) {
    this.#options = options;
    const { isRestricted, hasPreviews } = options;
    this.#vary = [
      'accept, accept-encoding',
      ...(isRestricted ? ['authorization'] : []),
      ...(hasPreviews ? [PREVIEW_HEADER] : []),
    ].join(', ');
    this.#fresh = cacheControlFor(MAX_AGE_S, isRestricted);
    this.#over = cacheControlFor(0, isRestricted);
  }

  ofAnswer({ answer, head, added = {} }: HeadedAnswer, request: GatewayRequest, requestId: string): GatewayResponse {
    const response = answer.response
      ? this.ofCache(answer.response, answer.outcome, head, request, requestId)
      : this.ofRequest(answer.body, answer.status, head, request, requestId);
    if (Object.keys(added).length === 0) return response;
    const headers = { ...response.headers };
    // A cookie is for one client, and no cache may give it to another.
    if ('set-cookie' in added) {
      headers['cache-control'] = 'private, no-store';
      delete headers['x-accel-expires'];
    }
    const all = Object.assign(headers, added);
    if ('vary' in added) all.vary = varyBy(String(response.headers.vary ?? ''), added.vary);
    return { ...response, lines: undefined, headers: all };
  }

  /** Adds the headers that all responses have, where they are not written yet. */
  completed(response: GatewayResponse, request: GatewayRequest, requestId: string): GatewayResponse {
    if (response instanceof WrittenResponse) return response;
    const headers = this.#withCommon(response.headers, request);
    headers['x-request-id'] = requestId;
    return response;
  }

  /** A response of the cache, as it is kept. */
  ofCache(
    cached: CachedResponse,
    outcome: CacheOutcome,
    head: ResponseHead,
    request: GatewayRequest,
    requestId: string,
  ): GatewayResponse {
    const { etag, body, status } = cached;
    if (status === 404) return this.ofRequest(body, status, head, request, requestId);
    const { contentType, language } = head;
    const { method, headers } = request;
    const { cacheControl, accelExpires } = this.#freshnessOf(cached, outcome);
    const cacheStatus = CACHE_STATUS[outcome];
    const ifNoneMatch = headers['if-none-match'];
    if (ifNoneMatch !== undefined && method !== 'POST' && matchesEtag(ifNoneMatch, etag)) {
      // Node writes the head of a response without a body.
      const vary = varyByLanguage(this.#vary, language);
      const own: Headers = { etag, vary, 'cache-control': cacheControl, 'cache-status': cacheStatus };
      if (accelExpires !== undefined) own['x-accel-expires'] = accelExpires;
      own['x-request-id'] = requestId;
      return { status: 304, headers: this.#withCommon(own, request), body: null };
    }
    const encoded = this.#options.contentEncodings(cached, headers['accept-encoding']);
    // For a hit without encoding, the one string that is there already.
    const kind = (outcome === 'hit' ? '' : `${outcome} `) + kindOf(head) + (encoded ? ` ${encoded.name}` : '');
    const lines =
      this.#linesOf.get(kind) ??
      this.#share(kind, language, {
        'content-type': contentType,
        vary: this.#vary,
        'cache-status': cacheStatus,
        ...(encoded && { 'content-encoding': encoded.name }),
      });
    const accelLine = accelExpires === undefined ? '' : `x-accel-expires: ${accelExpires}\r\n`;
    const own = `etag: ${etag}\r\ncache-control: ${cacheControl}\r\n${accelLine}`;
    return new WrittenResponse(lines + own + this.#requestLines(request, requestId), encoded?.body ?? body);
  }

  /** A response that no cache outside keeps: its body belongs to its request alone, or it says that there is nothing. */
  ofRequest(
    body: Body,
    status: CachedResponse['status'],
    head: ResponseHead,
    request: GatewayRequest,
    requestId: string,
  ): GatewayResponse {
    const { isNegotiated } = head;
    const shown: ResponseHead = status === 404 ? { contentType: PROBLEM_TYPE, isNegotiated } : head;
    const { contentType, language } = shown;
    const kind = `own ${isNegotiated} ${kindOf(shown)}`;
    const lines =
      this.#linesOf.get(kind) ??
      this.#share(kind, language, {
        'content-type': contentType,
        'cache-control': 'no-store',
        ...(isNegotiated && { vary: 'accept' }),
      });
    return new WrittenResponse(lines + this.#requestLines(request, requestId), body, status);
  }

  /** For how long a cache outside may keep a response. */
  #freshnessOf({ validUntilMs }: CachedResponse, outcome: CacheOutcome) {
    const nowMs = this.#options.clock.nowMs();
    const isFresh = outcome !== 'stale' && (validUntilMs === undefined || validUntilMs - nowMs >= MAX_AGE_S * 1000);
    const cacheControl = isFresh ? this.#fresh : this.#over;
    if (!isFresh || this.#options.isRestricted) return { cacheControl, accelExpires: undefined };
    // nginx goes by this header before `Cache-Control`, and would keep a private response too. It goes by whole seconds: it takes `max-age=1`
    // for up to two, and the present second for one at most. The earlier of two clocks counts: an nginx beside this process has this
    // process's clock, and another one, like the database's, is taken to be right.
    const second = Math.floor(Math.min(nowMs, Date.now()) / 1000);
    return { cacheControl, accelExpires: `@${second}` };
  }

  #withCommon(headers: Headers, request = ANY_REQUEST): Headers {
    headers['x-content-type-options'] = 'nosniff';
    this.#options.cors?.(request, headers);
    return headers;
  }

  #share(kind: string, language: ShownLanguage | undefined, headers: Headers): string {
    const lines = writeLines(this.#withCommon(inLanguage(headers, language)));
    this.#linesOf.set(kind, lines);
    return lines;
  }

  #requestLines(request: GatewayRequest, requestId: string): string {
    const lines = `x-request-id: ${requestId}\r\n`;
    const { cors } = this.#options;
    if (cors === undefined || request.headers.origin === undefined) return lines;
    const headers: Headers = {};
    cors(request, headers);
    // That is the same for all.
    delete headers.vary;
    return lines + writeLines(headers);
  }
}

/** The same for heads that differ at most in whether they are negotiated. */
const kindOf = ({ contentType, language }: ResponseHead): string =>
  language ? `${contentType} ${language.code} ${language.isNegotiated}` : contentType;

// Squid and Apache would show a response for as long as this process is away, Varnish for ten more seconds while it asks for the next.
const cacheControlFor = (ageS: number, isRestricted: boolean): string =>
  isRestricted
    ? `private, max-age=${ageS}, must-revalidate`
    : `public, max-age=${ageS}, must-revalidate, stale-while-revalidate=0`;
