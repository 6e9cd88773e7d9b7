import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import type { Logger } from 'pino';
import type { Clock } from '../database/clock.ts';
import { AppError } from '../errors.ts';
import type { Refusal, VerifyToken } from './tokens.ts';

interface Options {
  readonly keySet: { readonly keyOf: JWTVerifyGetKey };
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

// Public keys only: a verifier with a shared secret could also issue tokens, and a public key could be mistaken for the secret.
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

const CLOCK_TOLERANCE_S = 10;

/** Verifies tokens of an issuer: https://www.rfc-editor.org/rfc/rfc8725 */
export const createVerifyJwt = ({ keySet: { keyOf }, issuers, audiences, clock, log }: Options): VerifyToken => {
  const refusalFor = (error: unknown): Refusal => {
    if (error instanceof AppError) throw error;
    if (error instanceof errors.JWTExpired) return 'expired';
    // The reason names the claim or the key, never a value of the token.
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

/** A token without a key id may be signed by any key of a fitting type. */
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

interface KeySetOptions {
  readonly url: URL;
  readonly onChange: () => void;
  readonly log: Logger;
  /** How often the keys are fetched again: a withdrawn key is noticed within this time. */
  readonly refreshMs?: number;
}

const REFRESH_MS = 300_000;
const TIMEOUT_MS = 2000;
/** Shortest time between two fetches for unknown keys: a client can make up any key id. */
const UNKNOWN_KEY_COOLDOWN_MS = 2000;
const RETRY_AFTER_FAILURE_MS = 1000;

/** A JSON Web Key Set, fetched again and again; while that fails, the last keys stay in use: RFC 7517, section 5. */
export const createKeySet = ({ url, onChange, log, refreshMs = REFRESH_MS }: KeySetOptions) => {
  let known: string | undefined;
  let failedMs: number | undefined;

  const load: FetchImplementation = async (href, options) => {
    if (failedMs !== undefined && performance.now() - failedMs < RETRY_AFTER_FAILURE_MS) throw issuerUnavailable();
    try {
      const text = await fetchText(href, options);
      createLocalJWKSet(JSON.parse(text));
      if (failedMs !== undefined) log.info('the keys of the token issuer are available again');
      failedMs = undefined;
      // Later, after the callers of this fetch have stored the new keys.
      if (known !== undefined && known !== text) setImmediate(onChange);
      known = text;
      return new Response(text);
    } catch (error) {
      if (failedMs === undefined) log.warn({ err: error }, 'the keys of the token issuer cannot be fetched');
      failedMs = performance.now();
      throw issuerUnavailable(error);
    }
  };

  const keyOf = createRemoteJWKSet(url, {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: UNKNOWN_KEY_COOLDOWN_MS,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    [customFetch]: load,
  });
  // A failure is logged above; a request that needs a key gets it as an error.
  const refresh = (): void => void keyOf.reload().catch(() => {});
  refresh();
  const timer = setInterval(refresh, refreshMs).unref();
  return {
    /** The key that a token names. @throws JOSEError if there is none; AppError SERVICE_UNAVAILABLE if the keys cannot be fetched */
    keyOf,
    close: (): void => clearInterval(timer),
  };
};

const fetchText = async (...request: Parameters<FetchImplementation>): Promise<string> => {
  const response = await fetch(...request);
  if (response.status !== 200) throw new Error(`it answered ${response.status}`);
  return response.text();
};

// 503, not 401: the token may be valid, and a client would discard it on a 401.
const issuerUnavailable = (cause?: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'The access token cannot be verified at the moment. Try again shortly.', {
    cause,
    headers: { 'retry-after': '1' },
  });
