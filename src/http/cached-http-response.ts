import { PREVIEW_HEADER } from '../access/access.ts';
import type { Body, CachedResponse } from '../cache/cached-response.ts';
import type { CacheOutcome } from '../cache/response-cache.ts';
import type { Clock } from '../database/clock.ts';
import type { AppError } from '../errors.ts';
import type { ContentEncodings } from './content-encodings.ts';
import {
  type ErrorFormat,
  type GatewayRequest,
  type GatewayResponse,
  PROBLEM_TYPE,
  WrittenResponse,
  writeLines,
} from './message.ts';
import type { Cors } from './response-headers.ts';
import type { Answered, ResponseHead } from './route.ts';
import { matchesEtag } from './static-file.ts';

/** Writes the HTTP responses of operations. Those of the methods up to `failed` are complete: what their heads share is serialized once. */
export interface ResponseWriter {
  cached(cached: CachedResponse, head: ResponseHead, request: GatewayRequest, requestId: string): GatewayResponse;
  /** @param body with the view counts of this request, one character for each byte */
  counted(body: string, head: ResponseHead, request: GatewayRequest, requestId: string): GatewayResponse;
  rejected(error: AppError, format: ErrorFormat, request: GatewayRequest, requestId: string): GatewayResponse;
  /** The result of a request that was executed, to be {@link completed}. */
  executed(answered: Answered, request: GatewayRequest, requestId: string): GatewayResponse;
  /** Adds `Server-Timing`, and the headers that all responses have where they are not there yet. */
  completed(
    response: GatewayResponse,
    request: GatewayRequest,
    requestId: string,
    serverTiming?: string,
  ): GatewayResponse;
}

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

/** The headers that differ between responses of a kind: they are written for each. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['x-request-id', 'link', 'cache-control', 'x-accel-expires', 'etag']);

/** Responses whose cache control is always the same have it among the shared lines. */
const OWN_HEADERS_UNCACHED: ReadonlySet<string> = new Set(['x-request-id', 'link']);

const ANY_REQUEST: GatewayRequest = { method: 'GET', target: '', headers: {}, body: undefined, fault: undefined };

/** For how long a cache outside may keep a response. */
interface Freshness {
  readonly cacheControl: string;
  /** For nginx, which goes by this header before `Cache-Control`: the last second in which the response may be shown, by nginx's own clock. */
  readonly accelExpires: string | undefined;
}

interface Rejection extends Pick<GatewayResponse, 'status'> {
  readonly body: string | Uint8Array;
  readonly lines: string;
}

export const createResponseWriter = ({
  clock,
  contentEncodings,
  cors,
  isRestricted,
  hasPreviews,
}: Options): ResponseWriter => {
  const vary = [
    'accept, accept-encoding',
    ...(isRestricted ? ['authorization'] : []),
    ...(hasPreviews ? [PREVIEW_HEADER] : []),
  ].join(', ');
  // Varnish would show a response for ten more seconds while it asks for the next.
  const fresh = Array.from({ length: MAX_AGE_S + 1 }, (_, age) =>
    isRestricted ? `private, max-age=${age}` : `public, max-age=${age}, stale-while-revalidate=0`,
  );
  /** The lines that all responses of a kind share: there is a kind for each media type and content encoding. */
  const linesOf = new Map<string, string>();
  const rejections = new Map<string, Rejection>();

  let second = secondAt(clock.nowMs());

  const freshnessOf = ({ validUntilMs }: CachedResponse, outcome: CacheOutcome): Freshness => {
    const nowMs = clock.nowMs();
    const leftMs = validUntilMs === undefined ? Number.POSITIVE_INFINITY : validUntilMs - nowMs;
    const leftS = outcome === 'stale' ? 0 : Math.floor(leftMs / 1000);
    const maxAgeS = Math.max(0, Math.min(leftS, MAX_AGE_S));
    const cacheControl = fresh[maxAgeS] ?? 'no-cache';
    // With this header, nginx would keep a private response too.
    if (maxAgeS === 0 || isRestricted) return { cacheControl, accelExpires: undefined };
    if (nowMs < second.beginsMs || nowMs >= second.endsMs) second = secondAt(nowMs);
    return { cacheControl, accelExpires: second.accelExpires };
  };

  const ofCache = (
    cached: CachedResponse,
    outcome: CacheOutcome,
    { contentType, link }: ResponseHead,
    { method, headers }: GatewayRequest,
  ): GatewayResponse => {
    if (cached.status === 404) return ofAbsence(cached.body, 'latin1', link);
    const { cacheControl, accelExpires } = freshnessOf(cached, outcome);
    const { etag } = cached;
    const cacheStatus = CACHE_STATUS[outcome];
    const ifNoneMatch = headers['if-none-match'];
    if (ifNoneMatch !== undefined && method !== 'POST' && matchesEtag(ifNoneMatch, etag)) {
      const notModified: GatewayResponse['headers'] = {
        'cache-control': cacheControl,
        etag,
        vary,
        'cache-status': cacheStatus,
      };
      if (accelExpires !== undefined) notModified['x-accel-expires'] = accelExpires;
      return withLink(link, { status: 304, headers: notModified, body: null });
    }
    const contentEncoding = contentEncodings(cached, headers['accept-encoding']);
    // In one literal: copying headers from object to object costs as much as sending them.
    const own: GatewayResponse['headers'] = {
      'content-type': contentType,
      'cache-control': cacheControl,
      etag,
      vary,
      'cache-status': cacheStatus,
    };
    if (accelExpires !== undefined) own['x-accel-expires'] = accelExpires;
    if (contentEncoding) own['content-encoding'] = contentEncoding.name;
    return withLink(link, {
      status: 200,
      headers: own,
      body: contentEncoding?.body ?? cached.body,
      encoding: 'latin1',
    });
  };

  /** As any other 404, it is kept by no cache outside. */
  const ofAbsence = (body: Body, encoding: 'utf8' | 'latin1', link: string | undefined): GatewayResponse =>
    withLink(link, {
      status: 404,
      headers: { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store' },
      body,
      encoding,
    });

  /** A response whose body belongs to its request alone. */
  const ofRequest = (
    body: string,
    encoding: 'utf8' | 'latin1',
    { contentType, isNegotiated, link }: ResponseHead,
  ): GatewayResponse =>
    withLink(link, {
      status: 200,
      headers: { 'content-type': contentType, 'cache-control': 'no-store', ...(isNegotiated && { vary: 'accept' }) },
      body,
      encoding,
    });

  const withCommon = (response: GatewayResponse, request: GatewayRequest, requestId: string): GatewayResponse => {
    const { headers } = response;
    headers['x-request-id'] = requestId;
    headers['x-content-type-options'] = 'nosniff';
    cors?.(request, headers);
    return response;
  };

  const dependsOnOrigin = ({ headers: { origin } }: GatewayRequest): boolean =>
    cors !== undefined && origin !== undefined;

  const sharedLines = (response: GatewayResponse, own: ReadonlySet<string>): string => {
    const { headers } = withCommon(response, ANY_REQUEST, '');
    return writeLines(Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name))));
  };

  const writeOnce = (kind: string, example: () => GatewayResponse, own: ReadonlySet<string>): string => {
    let lines = linesOf.get(kind);
    if (lines === undefined) {
      lines = sharedLines(example(), own);
      linesOf.set(kind, lines);
    }
    return lines;
  };

  /** Undefined where the request decides about more than the content encoding. */
  const written = (
    cached: CachedResponse,
    outcome: CacheOutcome,
    head: ResponseHead,
    request: GatewayRequest,
    requestId: string,
  ): WrittenResponse | undefined => {
    const { method, headers } = request;
    if (method === 'HEAD' || headers['if-none-match'] !== undefined || dependsOnOrigin(request)) return undefined;
    if (cached.status === 404) {
      const lines = writeOnce('absence', () => ofAbsence('', 'latin1', undefined), OWN_HEADERS_UNCACHED);
      return new WrittenResponse(lines + linkLine(head.link) + idLine(requestId), cached.body, 404);
    }
    const acceptEncoding = headers['accept-encoding'];
    const contentEncoding = acceptEncoding === undefined ? undefined : contentEncodings(cached, acceptEncoding);
    // For a hit without encoding, the one string that is there already.
    const kind =
      (outcome === 'hit' ? '' : `${outcome} `) + head.contentType + (contentEncoding ? ` ${contentEncoding.name}` : '');
    const lines = writeOnce(kind, () => ofCache(cached, outcome, head, request), OWN_HEADERS);
    const { cacheControl, accelExpires } = freshnessOf(cached, outcome);
    const own = `etag: ${cached.etag}\r\ncache-control: ${cacheControl}\r\n`;
    return new WrittenResponse(
      lines + linkLine(head.link) + own + accelLine(accelExpires) + idLine(requestId),
      contentEncoding?.body ?? cached.body,
    );
  };

  return {
    cached: (cached, head, request, requestId) =>
      written(cached, 'hit', head, request, requestId) ??
      withCommon(ofCache(cached, 'hit', head, request), request, requestId),

    counted: (body, head, request, requestId) => {
      const example = (): GatewayResponse => ofRequest(body, 'latin1', head);
      if (dependsOnOrigin(request)) return withCommon(example(), request, requestId);
      const lines = writeOnce(`counted ${head.isNegotiated} ${head.contentType}`, example, OWN_HEADERS_UNCACHED);
      return new WrittenResponse(lines + linkLine(head.link) + idLine(requestId), body);
    },

    rejected: (error, format, request, requestId) => {
      const { headers } = request;
      if (dependsOnOrigin(request)) return withCommon(format.toResponse(error, headers), request, requestId);
      const kind = `${error.message} ${error.headers.allow} ${format.typeOf(headers)}`;
      let rejection = rejections.get(kind);
      if (!rejection) {
        const response = format.toResponse(error, headers);
        rejection = {
          status: response.status,
          body: response.body ?? '',
          lines: sharedLines(response, OWN_HEADERS_UNCACHED),
        };
        rejections.set(kind, rejection);
      }
      return new WrittenResponse(rejection.lines + idLine(requestId), rejection.body, rejection.status);
    },

    executed: ({ executed, head, added }, request, requestId) => {
      const hasAdded = added !== undefined && Object.keys(added).length > 0;
      const response = executed.answer
        ? ((hasAdded ? undefined : written(executed.answer, executed.outcome, head, request, requestId)) ??
          ofCache(executed.answer, executed.outcome, head, request))
        : executed.status === 404
          ? ofAbsence(executed.body, executed.encoding, head.link)
          : ofRequest(executed.body, executed.encoding, head);
      if (hasAdded) {
        // A cookie is for one client, and no cache may give it to another.
        if ('set-cookie' in added) {
          response.headers['cache-control'] = 'private, no-store';
          delete response.headers['x-accel-expires'];
        }
        Object.assign(response.headers, added);
      }
      return response;
    },

    completed: (response, request, requestId, serverTiming) => {
      if (response instanceof WrittenResponse) {
        const { lines, body, status } = response;
        return new WrittenResponse(lines + timingLine(serverTiming), body, status);
      }
      withCommon(response, request, requestId);
      if (serverTiming !== undefined) response.headers['server-timing'] = serverTiming;
      return response;
    },
  };
};

/** A second as nginx counts it, which is written once for all responses in it. */
interface Second {
  /** By the database's clock. */
  readonly beginsMs: number;
  readonly endsMs: number;
  readonly accelExpires: string;
}

/**
 * nginx goes by whole seconds: to it `max-age=1` is up to two, and the present second is one at most. By the earlier of two clocks, because an nginx
 * beside this process has this process's clock, and another one, like the database's, is taken to be right.
 */
const secondAt = (nowMs: number): Second => {
  const slowMs = Math.max(0, nowMs - Date.now());
  const present = Math.floor((nowMs - slowMs) / 1000);
  return { beginsMs: nowMs, endsMs: (present + 1) * 1000 + slowMs, accelExpires: `@${present}` };
};

const idLine = (requestId: string): string => `x-request-id: ${requestId}\r\n`;

const timingLine = (serverTiming: string | undefined): string =>
  serverTiming === undefined ? '' : `server-timing: ${serverTiming}\r\n`;

const accelLine = (accelExpires: string | undefined): string =>
  accelExpires === undefined ? '' : `x-accel-expires: ${accelExpires}\r\n`;

const linkLine = (link: string | undefined): string => (link === undefined ? '' : `link: ${link}\r\n`);

export const withLink = (link: string | undefined, response: GatewayResponse): GatewayResponse => {
  if (link !== undefined) response.headers.link = link;
  return response;
};
