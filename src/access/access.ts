import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Clock } from '../database/clock.ts';
import { AppError } from '../errors.ts';
import { parseTime } from '../parse-time.ts';
import type { JwtConfig } from './jwt.ts';
import {
  basicChallenge,
  bearerChallenge,
  includesToken,
  type Refusal,
  readTokens,
  type VerifyToken,
} from './tokens.ts';

type Headers = Pick<IncomingHttpHeaders, 'authorization'>;

export type Access = ReturnType<typeof createAccess>;

/** The specification calls notice detail public; `__typename` reveals nothing. */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set(['notice', '__typename']);

/** Whether a root field is answered without a token where tokens are configured. */
export const isPublicField = (rootField: string): boolean => PUBLIC_FIELDS.has(rootField);

const MAX_REMEMBERED = 10_000;

const OPEN_ACCESS: Access = {
  isRestricted: false,
  isGranted: () => true,
  admit: () => undefined,
  admitToPage: async () => {},
  close: () => {},
};

/** Access where tokens are configured. A token is verified once and remembered while it is valid, so that a request costs one hash. */
const createAccess = (verify: VerifyToken, clock: Clock, close: () => void) => {
  // Keyed by salted digests: the time of a look-up reveals nothing about the tokens.
  const salt = randomBytes(16).toString('base64url');
  const digestOf = (token: string): string => hash('sha256', salt + token, 'base64url');
  const goodUntilMs = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  const isRemembered = (digest: string): boolean => {
    const untilMs = goodUntilMs.get(digest);
    return untilMs !== undefined && clock.nowMs() < untilMs;
  };

  const refusalOf = async (token: string | undefined): Promise<Refusal | undefined> => {
    if (token === undefined) return 'missing';
    const digest = digestOf(token);
    if (isRemembered(digest)) return undefined;
    const result = await verify(token);
    if (typeof result !== 'number') return result;
    goodUntilMs.set(digest, result);
    return undefined;
  };

  /** Whether the caller may see everything, as far as is known without waiting. */
  const isGranted = ({ authorization }: Headers): boolean => {
    const token = bearerToken(authorization);
    return token !== undefined && isRemembered(digestOf(token));
  };

  return {
    /** Whether access tokens are configured, so that responses depend on the caller. */
    isRestricted: true,
    isGranted,
    /**
     * Admits the caller of an operation, by the root fields that it selects. Undefined: admitted at once.
     * @throws (in the promise) AppError UNAUTHENTICATED if a field is not public and the caller has no valid token;
     *   SERVICE_UNAVAILABLE if the token cannot be verified now
     */
    admit: (headers: Headers, rootFields: ReadonlySet<string>): Promise<void> | undefined => {
      // A public field ignores the token, even an invalid one.
      if (rootFields.isSubsetOf(PUBLIC_FIELDS) || isGranted(headers)) return undefined;
      return refusalOf(bearerToken(headers.authorization)).then((refusal) => {
        if (refusal) throw bearerChallenge(refusal);
      });
    },
    /** Admits the caller of a page; a browser can send the token as a password. @throws AppError as `admit` does */
    admitToPage: async ({ authorization }: Headers): Promise<void> => {
      const refusal = await refusalOf(bearerToken(authorization) ?? basicPassword(authorization));
      if (refusal) throw basicChallenge(refusal);
    },
    close,
  };
};

/** Sources of access tokens. All empty or undefined: everything is public. */
interface AccessConfig extends Omit<JwtConfig, 'jwksUrl'> {
  readonly accessTokens: readonly string[];
  readonly jwksUrl: string | undefined;
}

export const isRestricted = ({ accessTokens, jwksUrl }: AccessConfig): boolean =>
  accessTokens.length > 0 || jwksUrl !== undefined;

/** The token of `Authorization: Bearer`: https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const bearerToken = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/** The password of `Authorization: Basic`, which is how a browser can send a token: https://www.rfc-editor.org/rfc/rfc7617 */
const basicPassword = (authorization: string | undefined): string | undefined => {
  const credentials = /^Basic +([\w+/]+=*) *$/i.exec(authorization ?? '')?.[1];
  if (credentials === undefined) return undefined;
  const [, password] = /^[^:]*:(.+)$/s.exec(Buffer.from(credentials, 'base64').toString()) ?? [];
  return password;
};

/** The library for JSON Web Tokens is loaded only where an issuer is configured. */
export const openAccess = async (config: AccessConfig, clock: Clock, log: Logger): Promise<Access> => {
  if (!isRestricted(config)) return OPEN_ACCESS;
  const { accessTokens, jwksUrl } = config;
  const list = readTokens(accessTokens);
  const issuer =
    jwksUrl === undefined ? undefined : (await import('./jwt.ts')).openIssuer({ ...config, jwksUrl }, clock, log);
  const verify: VerifyToken = async (token) => {
    if (includesToken(list, token)) return Number.POSITIVE_INFINITY;
    return issuer ? issuer.verify(token) : 'invalid';
  };
  return createAccess(verify, clock, () => issuer?.close());
};

/** Who may see a page: everybody, nobody, or callers with an access token. */
export type Exposure = 'on' | 'off' | 'token';

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
