import type { Refusal } from './challenge.ts';
import { includesToken, type TokenList } from './token-list.ts';

/**
 * When a token stops being good, in the database's milliseconds; or why it is not.
 * @throws (in the promise) AppError SERVICE_UNAVAILABLE where that cannot be found out
 */
export type VerifyToken = (token: string) => Promise<number | Refusal>;

/** Looks a token up in the list, and has the issuer's keys tell of one that is not there. */
export const createVerifyToken =
  (tokens: () => TokenList, verifyJwt: VerifyToken | undefined): VerifyToken =>
  async (token) => {
    if (includesToken(tokens(), token)) return Number.POSITIVE_INFINITY;
    return verifyJwt ? verifyJwt(token) : 'invalid';
  };
