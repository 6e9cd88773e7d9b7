import { hash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';

/** SHA-256 digests of tokens. */
export type TokenList = readonly Buffer[];

const DIGEST = /^sha256:([0-9a-f]{64})$/i;
const TOKEN = /^[\w.~+/-]{8,512}=*$/;

/** Whether a text is a token, or `sha256:` and the digest of one in hexadecimal. */
export const isToken = (text: string): boolean => DIGEST.test(text) || TOKEN.test(text);

export const TOKEN_RULE =
  'tokens of 8 or more of A-Z a-z 0-9 - . _ ~ + /, or sha256: and the digest of one in hexadecimal';

/** @param texts each as {@link isToken} takes it */
export const readTokens = (texts: readonly string[]): TokenList =>
  texts.map((text) => {
    const digest = DIGEST.exec(text)?.[1];
    return digest === undefined ? digestOf(text) : Buffer.from(digest, 'hex');
  });

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** Compares with every digest in constant time, so that the duration reveals nothing. */
export const includesToken = (list: TokenList, token: string): boolean => {
  const candidate = digestOf(token);
  return list.map((known) => timingSafeEqual(known, candidate)).includes(true);
};

/**
 * When a token expires, in milliseconds of the database's clock; or why it is refused.
 * @throws (in the promise) AppError SERVICE_UNAVAILABLE if that cannot be verified now
 */
export type VerifyToken = (token: string) => Promise<number | Refusal>;

/** Why a caller is refused; `missing`: the request has no token. */
export type Refusal = 'missing' | 'invalid' | 'expired';

const MESSAGES: Readonly<Record<Refusal, string>> = {
  missing: 'This needs an access token: Authorization: Bearer <token>.',
  invalid: 'The access token is not valid.',
  expired: 'The access token has expired.',
};

/** The 401 of an operation: https://www.rfc-editor.org/rfc/rfc6750#section-3 */
export const bearerChallenge = (refusal: Refusal): AppError => {
  const attributes = refusal === 'missing' ? '' : `, error="invalid_token", error_description="${MESSAGES[refusal]}"`;
  return unauthenticated(refusal, `Bearer realm="vitrine"${attributes}`);
};

/** The 401 of a page: the browser asks for a name (any) and a password (the token). */
export const basicChallenge = (refusal: Refusal): AppError =>
  unauthenticated(refusal, 'Basic realm="vitrine: any name, and the access token as the password", charset="UTF-8"');

const unauthenticated = (refusal: Refusal, challenge: string): AppError =>
  new AppError('UNAUTHENTICATED', MESSAGES[refusal], { headers: { 'www-authenticate': challenge } });
