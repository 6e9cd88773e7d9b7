import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Clock } from '../database/clock.ts';
import {
  basicChallenge,
  bearerChallenge,
  createVerifyToken,
  openTokenFile,
  type Refusal,
  readTokens,
  type TokenFile,
  type VerifyToken,
} from './tokens.ts';

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
const OPEN_ACCESS: Access = {
  isRestricted: false,
  isGranted: () => true,
  admit: () => undefined,
  admitToPage: async () => {},
  forget: () => {},
};

/** Where tokens are wanted. Each is verified once and remembered as long as it is good, so that a request costs one hash. */
const createAccess = ({ verify, clock }: { verify: VerifyToken; clock: Clock }): Access => {
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

/** Where the tokens come from that let callers in; undefined or empty: from nowhere. */
export interface AccessConfig {
  readonly tokens: readonly string[];
  readonly tokensFile: string | undefined;
  readonly jwt: JwtConfig | undefined;
}

export interface JwtConfig {
  readonly jwksUrl: string;
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
}

export const isRestricted = ({ tokens, tokensFile, jwt }: AccessConfig): boolean =>
  tokens.length > 0 || tokensFile !== undefined || jwt !== undefined;

/** Whether keys can be fetched there. */
export const isKeySetUrl = (value: string): boolean => {
  const { protocol, username, password } = URL.parse(value) ?? {};
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
};

/** The token of `Authorization: Bearer`: https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const bearerToken = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/** The password of `Authorization: Basic`, which is how a browser can send a token: https://www.rfc-editor.org/rfc/rfc7617 */
const basicPassword = (authorization: string | undefined): string | undefined => {
  const credentials = /^Basic +([\w+/]+=*) *$/i.exec(authorization ?? '')?.[1];
  if (credentials === undefined) return undefined;
  const [, password] = /^[^:]*:(.+)$/s.exec(Buffer.from(credentials, 'base64').toString()) ?? [];
  return password;
};

export interface OpenedAccess {
  readonly access: Access;
  /** Stops following the file and the issuer. */
  readonly close: () => void;
}

/** @throws OperatorError for a file of tokens that cannot be used */
export const openAccess = async (config: AccessConfig, clock: Clock, log: Logger): Promise<OpenedAccess> => {
  if (!isRestricted(config)) return { access: OPEN_ACCESS, close: () => {} };
  const { tokens, tokensFile, jwt } = config;

  // What changes while this still comes to be has nothing to be forgotten.
  let access: Access | undefined;
  let file: TokenFile | undefined;
  let list = readTokens(tokens);
  const onChange = (): void => {
    list = readTokens([...tokens, ...(file?.texts() ?? [])]);
    access?.forget();
  };
  if (tokensFile !== undefined) file = await openTokenFile({ path: tokensFile, onChange, log });
  const issuer = jwt && (await openIssuer(jwt, { onChange, clock, log }));
  access = createAccess({ verify: createVerifyToken(() => list, issuer?.verifyJwt), clock });
  onChange();

  return {
    access,
    close: () => {
      file?.close();
      issuer?.keySet.close();
    },
  };
};

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Loaded only where there is one. */
const openIssuer = async (
  config: JwtConfig,
  { onChange, clock, log }: { onChange: () => void; clock: Clock; log: Logger },
) => {
  const [{ createKeySet }, { createVerifyJwt }] = await Promise.all([import('./jwt.ts'), import('./jwt.ts')]);
  const url = new URL(config.jwksUrl);
  if (url.protocol === 'http:' && !LOCAL_HOSTS.has(url.hostname)) {
    log.warn('JWKS_URL is not https: whoever can change its answer on the way can let anybody in');
  }
  const keySet = createKeySet({ url, onChange, log });
  return { keySet, verifyJwt: createVerifyJwt({ ...config, keySet, clock, log }) };
};

/** Who may see a resource that is no operation: everybody, nobody, or who has an access token. */
export type Exposure = 'on' | 'off' | 'token';
