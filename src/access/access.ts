import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../errors.ts';

export interface Access {
  /** Whether tokens are configured, so that answers differ between callers. */
  readonly isRestricted: boolean;
  /** True where no tokens are configured or the request carries one of them. */
  readonly isGranted: (headers: IncomingHttpHeaders) => boolean;
  /** @throws AppError UNAUTHENTICATED where anything selected on the query root is not public and the caller has no token */
  readonly check: (isGranted: boolean, rootFields: ReadonlySet<string>) => void;
}

/** The document of the service calls notice detail public; `__typename` tells nothing. */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set(['notice', '__typename']);

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();

/** @param tokens empty where everything is public */
export const createAccess = (tokens: readonly string[]): Access => {
  const digests = tokens.map(digest);
  // Every token is compared, in constant time, so that the time taken tells nothing about any of them.
  const isKnown = (token: string): boolean => {
    const candidate = digest(token);
    return digests.map((known) => timingSafeEqual(known, candidate)).includes(true);
  };

  return {
    isRestricted: digests.length > 0,
    isGranted: ({ authorization }) => {
      if (digests.length === 0) return true;
      const token = /^Bearer +([^ ]+) *$/i.exec(authorization ?? '')?.[1];
      return token !== undefined && isKnown(token);
    },
    check: (isGranted, rootFields) => {
      if (isGranted || [...rootFields].every((field) => PUBLIC_FIELDS.has(field))) return;
      throw new AppError('UNAUTHENTICATED', 'This operation needs an access token: Authorization: Bearer <token>.', {
        headers: { 'www-authenticate': 'Bearer realm="vitrine"' },
      });
    },
  };
};
