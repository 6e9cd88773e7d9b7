import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../errors.ts';
import { parseTime } from '../parse-time.ts';
import { bearerToken } from './access.ts';
import { bearerChallenge, includesToken, readTokens } from './tokens.ts';

/** The header by which a request asks for the answer of another time. */
export const PREVIEW_HEADER = 'x-preview-at';

/**
 * The time that a request is to be answered for; undefined: now.
 * @throws AppError UNAUTHENTICATED without a preview token, BAD_USER_INPUT for a value that is no time
 */
export type PreviewTime = (headers: IncomingHttpHeaders) => Date | undefined;

export const createPreviewTime = (previewTokens: readonly string[]): PreviewTime => {
  const tokens = readTokens(previewTokens);

  return ({ [PREVIEW_HEADER]: value, authorization }) => {
    if (value === undefined) return undefined;
    const token = bearerToken(authorization);
    if (token === undefined || !includesToken(tokens, token)) {
      throw bearerChallenge(token === undefined ? 'missing' : 'invalid');
    }
    const time = parseTime(value);
    if (time) return time;
    throw new AppError(
      'BAD_USER_INPUT',
      `The header ${PREVIEW_HEADER} must be a time such as 2026-12-24T00:00:00Z, but is ${JSON.stringify(value)}.`,
    );
  };
};
