import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { basicChallenge, bearerChallenge, type Refusal } from './challenge.ts';
import { basicPassword, bearerToken } from './credentials.ts';
import { includesToken, readTokens } from './token-list.ts';

type Headers = Pick<IncomingHttpHeaders, 'authorization'>;

export interface Access {
  /** Whether tokens are configured, so that answers differ between callers. */
  readonly isRestricted: boolean;
  /** Whether everything is open to the caller, as far as is known at once: everything is public, or its token was found good before. */
  readonly isGranted: (headers: Headers) => boolean;
  /**
   * Lets the caller of an operation in, by what the operation selects on the query root. Undefined where that is known at once.
   * @throws (in the promise) AppError UNAUTHENTICATED where any of it is not public and the caller has no good token
   */
  readonly admit: (headers: Headers, rootFields: ReadonlySet<string>) => Promise<void> | undefined;
  /** Lets the caller of something else in; a browser can send the token as a password. @throws AppError UNAUTHENTICATED */
  readonly admitToPage: (headers: Headers) => Promise<void>;
}

/** The document of the service calls notice detail public; `__typename` tells nothing. */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set(['notice', '__typename']);

const MAX_REMEMBERED = 10_000;

/** @param tokens empty where everything is public */
export const createAccess = (tokens: readonly string[]): Access => {
  const list = readTokens(tokens);
  const isRestricted = list.length > 0;

  // Good tokens under digests that nobody outside can compute, so that the time a look-up takes tells nothing about them.
  const salt = randomBytes(16).toString('base64url');
  const remembered = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  const keyOf = (token: string): string => hash('sha256', salt + token, 'base64url');

  /** Undefined for a good one. */
  const refuse = async (token: string | undefined): Promise<Refusal | undefined> => {
    if (token === undefined) return 'missing';
    if (remembered.has(keyOf(token))) return undefined;
    if (!includesToken(list, token)) return 'invalid';
    remembered.set(keyOf(token), true);
    return undefined;
  };

  const isGranted: Access['isGranted'] = ({ authorization }) => {
    if (!isRestricted) return true;
    const token = bearerToken(authorization);
    return token !== undefined && remembered.get(keyOf(token)) !== undefined;
  };

  return {
    isRestricted,
    isGranted,
    admit: (headers, rootFields) => {
      if (isGranted(headers) || [...rootFields].every((field) => PUBLIC_FIELDS.has(field))) return undefined;
      return refuse(bearerToken(headers.authorization)).then((refusal) => {
        if (refusal) throw bearerChallenge(refusal);
      });
    },
    admitToPage: async ({ authorization }) => {
      if (!isRestricted) return;
      const refusal = await refuse(bearerToken(authorization) ?? basicPassword(authorization));
      if (refusal) throw basicChallenge(refusal);
    },
  };
};
