import { AppError } from '../errors.ts';

/** Why a caller is not let in; `missing`: it brought nothing that could be a token. */
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

/** The 401 of a page: a browser asks its user for a name (any) and a password (the token). */
export const basicChallenge = (refusal: Refusal): AppError =>
  unauthenticated(refusal, 'Basic realm="vitrine: any name, and the access token as the password", charset="UTF-8"');

const unauthenticated = (refusal: Refusal, challenge: string): AppError =>
  new AppError('UNAUTHENTICATED', MESSAGES[refusal], { headers: { 'www-authenticate': challenge } });
