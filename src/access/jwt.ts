import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import type { Clock } from '../database/clock.ts';
import { unavailable } from '../errors.ts';
import type { VerifyToken } from './tokens.ts';

export interface JwtConfig {
  readonly jwksUrl: string;
  readonly jwtIssuer: readonly string[];
  readonly jwtAudience: readonly string[];
}

const CLOCK_TOLERANCE_S = 10;

/**
 * How often the keys are fetched again, and for how long a token is good without a look at them: a key that was taken back counts for twice as
 * long at most.
 */
const REFRESH_MS = 300_000;
const TIMEOUT_MS = 2000;
/** Shortest time between two fetches for unknown keys: a client can make up any key id. */
const UNKNOWN_KEY_COOLDOWN_MS = 2000;

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Verifies tokens by the public keys of an issuer (https://www.rfc-editor.org/rfc/rfc8725): the library takes no shared secret for one. While
 * the keys cannot be fetched, the last ones stay in use.
 */
export const openIssuer = (
  { jwksUrl, jwtIssuer, jwtAudience }: JwtConfig,
  clock: Clock,
  log: Logger,
  refreshMs = REFRESH_MS,
) => {
  const url = new URL(jwksUrl);
  if (url.protocol === 'http:' && !LOCAL_HOSTS.has(url.hostname)) {
    log.warn('JWKS_URL is not https: an attacker on the network can replace the keys and issue tokens');
  }
  const keyOf = createRemoteJWKSet(url, {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: UNKNOWN_KEY_COOLDOWN_MS,
    cacheMaxAge: Number.POSITIVE_INFINITY,
  });
  const refresh = (): void => {
    keyOf.reload().catch((error: unknown) => {
      log.warn({ err: error }, 'the keys of the token issuer cannot be fetched');
    });
  };
  refresh();
  const timer = setInterval(refresh, refreshMs).unref();

  const verify: VerifyToken = async (token) => {
    const nowMs = clock.nowMs();
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        issuer: [...jwtIssuer],
        audience: [...jwtAudience],
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(nowMs),
      });
      return Math.min(((payload.exp ?? 0) + CLOCK_TOLERANCE_S) * 1000, nowMs + refreshMs);
    } catch (error) {
      // 503, not 401: the token may be valid, and a client would discard it on a 401.
      if (isOfIssuer(error)) throw unavailable('The access token cannot be verified', error);
      if (error instanceof errors.JWTExpired) return 'expired';
      // The reason names the claim or the key, never a value of the token.
      log.debug({ reason: error instanceof Error ? error.message : undefined }, 'an access token was refused');
      return 'invalid';
    }
  };
  return { verify, close: (): void => clearInterval(timer) };
};

/** Errors of the library that are no fault of a token: the issuer answers too late, or something else than keys. */
const OF_ISSUER: ReadonlySet<string> = new Set([
  errors.JOSEError.code,
  errors.JWKSTimeout.code,
  errors.JWKSInvalid.code,
]);

const isOfIssuer = (error: unknown): boolean => !(error instanceof errors.JOSEError) || OF_ISSUER.has(error.code);
