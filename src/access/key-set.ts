import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
  type JWTVerifyGetKey,
} from 'jose';
import type { Logger } from 'pino';
import { AppError } from '../errors.ts';

/** The public keys of a token issuer. */
export interface KeySet {
  /** The key that a token names. @throws JOSEError where there is none; AppError SERVICE_UNAVAILABLE where that cannot be found out */
  readonly keyOf: JWTVerifyGetKey;
  readonly close: () => void;
}

interface Options {
  readonly url: URL;
  /** Called when the issuer has other keys than before: what was verified with those is to be verified again. */
  readonly onChange: () => void;
  readonly log: Logger;
  /** How soon a key that the issuer takes back is noticed. */
  readonly refreshMs?: number;
}

const REFRESH_MS = 300_000;
const TIMEOUT_MS = 2000;
/** A key that is not known is asked for, but not more often than this: anybody can make up names of keys. */
const UNKNOWN_KEY_COOLDOWN_MS = 2000;
/** After a failure nobody waits for another one for so long. */
const RETRY_AFTER_FAILURE_MS = 1000;

/**
 * A JSON Web Key Set, fetched at once and again every few minutes. One that cannot be fetched leaves the keys that are known in use.
 * @see https://www.rfc-editor.org/rfc/rfc7517#section-5
 */
export const createKeySet = ({ url, onChange, log, refreshMs = REFRESH_MS }: Options): KeySet => {
  let known: string | undefined;
  let failedMs: number | undefined;

  const load: FetchImplementation = async (href, options) => {
    if (failedMs !== undefined && performance.now() - failedMs < RETRY_AFTER_FAILURE_MS) throw issuerUnavailable();
    try {
      const text = await fetchText(href, options);
      createLocalJWKSet(JSON.parse(text));
      if (failedMs !== undefined) log.info('the keys of the token issuer are there again');
      failedMs = undefined;
      // Not before whoever waits for this has put the new keys in place.
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
  // A failure is logged above, and met again by whoever needs a key.
  const refresh = (): void => void keyOf.reload().catch(() => {});
  refresh();
  const timer = setInterval(refresh, refreshMs).unref();
  return { keyOf, close: () => clearInterval(timer) };
};

const fetchText = async (...request: Parameters<FetchImplementation>): Promise<string> => {
  const response = await fetch(...request);
  if (response.status !== 200) throw new Error(`it answered ${response.status}`);
  return response.text();
};

// Whether the token is good is not known: with a 401 its owner would throw it away.
const issuerUnavailable = (cause?: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'The access token cannot be verified at the moment. Try again shortly.', {
    cause,
    headers: { 'retry-after': '1' },
  });
