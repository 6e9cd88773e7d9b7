import type { Answer } from '../cache/answer.ts';
import type { CacheOutcome } from '../cache/answers.ts';
import type { Clock } from '../database/clock.ts';
import type { CodedBodies } from './coded-bodies.ts';
import type { GatewayRequest, GatewayResponse } from './message.ts';
import { matchesEtag } from './static-file.ts';

/** Turns an answer in memory into a response, the same way whoever asks and wherever it came from. */
export type AnswerResponse = (
  answer: Answer,
  outcome: CacheOutcome,
  request: Pick<GatewayRequest, 'method' | 'headers'>,
  contentType: string,
) => GatewayResponse;

/** What the header of that name says of an answer. */
export type CacheControl = (answer: Answer, outcome: CacheOutcome) => string;

interface Options {
  readonly cacheControl: CacheControl;
  readonly codedBodies: CodedBodies;
  /** Whether some callers get answers that others may not. */
  readonly isRestricted: boolean;
}

/** A copy elsewhere is out of reach of notifications: it is asked after this soon. */
const MAX_AGE_S = 1;

// RFC 9211: https://www.rfc-editor.org/rfc/rfc9211#section-2
const CACHE_STATUS = {
  hit: 'vitrine; hit',
  miss: 'vitrine; fwd=miss',
  stale: 'vitrine; hit; ttl=-1; detail=stale-if-error',
} as const;

/** @param isRestricted whether some callers get answers that others may not: then no shared cache may keep them */
export const createCacheControl = (clock: Clock, isRestricted: boolean): CacheControl => {
  const fresh = Array.from(
    { length: MAX_AGE_S + 1 },
    (_, age) => `${isRestricted ? 'private' : 'public'}, max-age=${age}`,
  );

  return ({ validUntilMs }, outcome) => {
    const leftMs = validUntilMs === undefined ? Number.POSITIVE_INFINITY : validUntilMs - clock.nowMs();
    const leftS = outcome === 'stale' ? 0 : Math.floor(leftMs / 1000);
    return fresh[Math.max(0, Math.min(leftS, MAX_AGE_S))] ?? 'no-cache';
  };
};

export const createAnswerResponse = ({ cacheControl, codedBodies, isRestricted }: Options): AnswerResponse => {
  const vary = isRestricted ? 'accept, accept-encoding, authorization' : 'accept, accept-encoding';

  return (answer, outcome, { method, headers }, contentType) => {
    const cacheControlText = cacheControl(answer, outcome);
    if (
      headers['if-none-match'] !== undefined &&
      method !== 'POST' &&
      matchesEtag(headers['if-none-match'], answer.etag)
    ) {
      const { etag } = answer;
      return {
        status: 304,
        headers: { 'cache-control': cacheControlText, etag, vary, 'cache-status': CACHE_STATUS[outcome] },
        body: null,
      };
    }
    const coding = codedBodies(answer, headers['accept-encoding']);
    // All in one literal: to copy headers from one object to the next costs as much as to send them.
    const responseHeaders: Record<string, string | number> = {
      'content-type': contentType,
      'cache-control': cacheControlText,
      etag: answer.etag,
      vary,
      'cache-status': CACHE_STATUS[outcome],
    };
    if (!coding) return { status: 200, headers: responseHeaders, body: answer.body, encoding: 'latin1' };
    responseHeaders['content-encoding'] = coding.name;
    return { status: 200, headers: responseHeaders, body: coding.body };
  };
};
