import { errors, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import type { Clock } from '../database/clock.ts';
import { AppError } from '../errors.ts';
import type { Refusal } from './challenge.ts';
import type { KeySet } from './key-set.ts';
import type { VerifyToken } from './verify-token.ts';

interface Options {
  readonly keySet: Pick<KeySet, 'keyOf'>;
  /** Tokens of any of these issuers are good, */
  readonly issuers: readonly string[];
  /** if they are meant for any of these audiences. */
  readonly audiences: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

// Public keys only: with a secret one, who can verify could also issue, and a public key could be taken for the secret.
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** How far the issuer's clock may be off. */
const CLOCK_TOLERANCE_S = 10;

/** Verifies tokens of an issuer: https://www.rfc-editor.org/rfc/rfc8725 */
export const createVerifyJwt = ({ keySet: { keyOf }, issuers, audiences, clock, log }: Options): VerifyToken => {
  const refusalFor = (error: unknown): Refusal => {
    if (error instanceof AppError) throw error;
    if (error instanceof errors.JWTExpired) return 'expired';
    // It names the claim or the key that does not fit, and nothing that is in the token.
    log.debug({ reason: error instanceof Error ? error.message : undefined }, 'an access token was refused');
    return 'invalid';
  };

  return async (token) => {
    const options: JWTVerifyOptions = {
      algorithms: ALGORITHMS,
      issuer: [...issuers],
      audience: [...audiences],
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(clock.nowMs()),
    };
    try {
      const { payload } = await jwtVerify(token, keyOf, options).catch((error: unknown) => {
        if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
        return verifyWithAny(error, token, options);
      });
      return ((payload.exp ?? 0) + CLOCK_TOLERANCE_S) * 1000;
    } catch (error) {
      return refusalFor(error);
    }
  };
};

/** A token that names no key may be signed with any that fits. */
const verifyWithAny = async (
  keys: errors.JWKSMultipleMatchingKeys,
  token: string,
  options: JWTVerifyOptions,
): ReturnType<typeof jwtVerify> => {
  for await (const key of keys) {
    try {
      return await jwtVerify(token, key, options);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
};
