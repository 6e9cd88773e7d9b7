import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../database/clock.ts';
import { basicChallenge, bearerChallenge, type Refusal } from './challenge.ts';
import { basicPassword, bearerToken } from './credentials.ts';
import type { VerifyToken } from './verify-token.ts';

type Headers = Pick<IncomingHttpHeaders, 'authorization'>;

export interface Access {
  /** Whether tokens are configured, so that answers differ between callers. */
  readonly isRestricted: boolean;
  /** Whether everything is open to the caller, as far as is known at once: everything is public, or its token was found good before. */
  readonly isGranted: (headers: Headers) => boolean;
  /**
   * Lets the caller of an operation in, by what the operation selects on the query root. Undefined where that is known at once.
   * @throws (in the promise) AppError UNAUTHENTICATED where any of it is not public and the caller has no good token, and
   *   SERVICE_UNAVAILABLE where that cannot be found out
   */
  readonly admit: (headers: Headers, rootFields: ReadonlySet<string>) => Promise<void> | undefined;
  /** Lets the caller of something else in; a browser can send the token as a password. @throws AppError as `admit` does */
  readonly admitToPage: (headers: Headers) => Promise<void>;
  /** From now on every token is verified again. */
  readonly forget: () => void;
}

/** The document of the service calls notice detail public; `__typename` tells nothing. */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set(['notice', '__typename']);

const MAX_REMEMBERED = 10_000;

/** Where everything is public. */
export const OPEN_ACCESS: Access = {
  isRestricted: false,
  isGranted: () => true,
  admit: () => undefined,
  admitToPage: async () => {},
  forget: () => {},
};

/** Where tokens are wanted. Each is verified once and remembered as long as it is good, so that a request costs one hash. */
export const createAccess = ({ verify, clock }: { verify: VerifyToken; clock: Clock }): Access => {
  // By digests that nobody outside can compute, so that the time a look-up takes tells nothing about the tokens.
  const salt = randomBytes(16).toString('base64url');
  const digestOf = (token: string): string => hash('sha256', salt + token, 'base64url');
  const goodUntilMs = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  const verifying = new Map<string, Promise<number | Refusal>>();
  let generation = 0;

  const isRemembered = (digest: string): boolean => {
    const untilMs = goodUntilMs.get(digest);
    return untilMs !== undefined && clock.nowMs() < untilMs;
  };

  const verifyOnce = async (digest: string, token: string): Promise<number | Refusal> => {
    const startedIn = generation;
    try {
      const result = await verify(token);
      // What was verified by keys or tokens that have changed meanwhile holds for those who waited, and for nobody else.
      if (typeof result === 'number' && generation === startedIn) goodUntilMs.set(digest, result);
      return result;
    } finally {
      verifying.delete(digest);
    }
  };

  /** Undefined for a good token. */
  const refusalOf = async (token: string | undefined): Promise<Refusal | undefined> => {
    if (token === undefined) return 'missing';
    const digest = digestOf(token);
    if (isRemembered(digest)) return undefined;
    const under = verifying.get(digest) ?? verifyOnce(digest, token);
    verifying.set(digest, under);
    const result = await under;
    return typeof result === 'number' ? undefined : result;
  };

  const isGranted: Access['isGranted'] = ({ authorization }) => {
    const token = bearerToken(authorization);
    return token !== undefined && isRemembered(digestOf(token));
  };

  return {
    isRestricted: true,
    isGranted,
    admit: (headers, rootFields) => {
      // A token is not looked at where none is needed: a bad one does not close what is public.
      if (rootFields.isSubsetOf(PUBLIC_FIELDS) || isGranted(headers)) return undefined;
      return refusalOf(bearerToken(headers.authorization)).then((refusal) => {
        if (refusal) throw bearerChallenge(refusal);
      });
    },
    admitToPage: async ({ authorization }) => {
      const refusal = await refusalOf(bearerToken(authorization) ?? basicPassword(authorization));
      if (refusal) throw basicChallenge(refusal);
    },
    forget: () => {
      generation += 1;
      goodUntilMs.clear();
      verifying.clear();
    },
  };
};
