import { errors } from 'jose';
import type { Logger } from 'pino';
import { AppError } from '../errors.ts';
import type { Refusal } from './challenge.ts';
import type { VerifyJwt } from './jwt.ts';
import { includesToken, type TokenList } from './token-list.ts';

/** When a token stops being good, in the database's milliseconds; or why it is not. */
export type VerifyToken = (token: string) => Promise<number | Refusal>;

interface Options {
  readonly tokens: () => TokenList;
  /** Undefined where there is no issuer of tokens. */
  readonly verifyJwt: VerifyJwt | undefined;
  readonly log: Logger;
}

/**
 * Looks a token up in the list, and verifies one that is not there.
 * @throws (the function returned, in its promise) AppError SERVICE_UNAVAILABLE
 */
export const createVerifyToken =
  ({ tokens, verifyJwt, log }: Options): VerifyToken =>
  async (token) => {
    if (includesToken(tokens(), token)) return Number.POSITIVE_INFINITY;
    if (!verifyJwt) return 'invalid';
    try {
      return await verifyJwt(token);
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (error instanceof errors.JWTExpired) return 'expired';
      // It names the claim or the key that does not fit, and nothing that is in the token.
      log.debug({ reason: error instanceof Error ? error.message : undefined }, 'an access token was refused');
      return 'invalid';
    }
  };
