import { hash, timingSafeEqual } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { AppError, OperatorError } from '../errors.ts';

/** The tokens in a file that may change. */
export interface TokenFile {
  /** A token or digest each. */
  readonly texts: () => readonly string[];
  readonly close: () => void;
}

interface Options {
  readonly path: string;
  /** Called when there are others than before. */
  readonly onChange: () => void;
  readonly log: Logger;
}

/** Asked for, not waited for: a mounted secret is a link that changes its target, of which nobody is notified. */
const POLL_MS = 1000;

/**
 * Reads one token a line; blank lines and those that begin with # are nothing. Read again within a second or two of a change: a file without
 * tokens then lets nobody in, and one that cannot be read, or has a line that is no token, leaves those that were good before.
 * @throws OperatorError for a file that cannot be read or holds no token at the start
 */
export const openTokenFile = async ({ path, onChange, log }: Options): Promise<TokenFile> => {
  let texts = await readTokenFile(path);
  if (texts.length === 0) throw new OperatorError(`ACCESS_TOKENS_FILE holds no token: ${path}`);

  const reread = (): void => {
    readTokenFile(path).then(
      (read) => {
        texts = read;
        onChange();
        log.info({ tokens: read.length }, 'the access tokens were read again');
      },
      (error: unknown) => log.error({ err: error }, 'the access tokens stay as they were'),
    );
  };
  watchFile(path, { interval: POLL_MS, persistent: false }, reread);
  return { texts: () => texts, close: () => unwatchFile(path, reread) };
};

const readTokenFile = async (path: string): Promise<readonly string[]> => {
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`ACCESS_TOKENS_FILE cannot be read: ${path} (${error.code})`);
  });
  const lines = content.split(/\r?\n/).map((line) => line.trim());
  // The line is a secret, even where it is wrong.
  const wrong = lines.findIndex((line) => line !== '' && !line.startsWith('#') && !isToken(line));
  if (wrong >= 0)
    throw new OperatorError(`ACCESS_TOKENS_FILE must hold ${TOKEN_RULE}, a line each: ${path}:${wrong + 1}`);
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
};

/** Tokens that are known by their SHA-256 digests. */
export type TokenList = readonly Buffer[];

const DIGEST = /^sha256:([0-9a-f]{64})$/i;
const TOKEN = /^[\w.~+/-]{8,512}=*$/;

/** Whether a text is a token, or `sha256:` and the digest of one in hexadecimal. */
export const isToken = (text: string): boolean => DIGEST.test(text) || TOKEN.test(text);

export const TOKEN_RULE =
  'tokens of 8 or more of A-Z a-z 0-9 - . _ ~ + /, or sha256: and the digest of one in hexadecimal';

/** @param texts each as {@link isToken} takes it */
export const readTokens = (texts: readonly string[]): TokenList =>
  texts.map((text) => {
    const digest = DIGEST.exec(text)?.[1];
    return digest === undefined ? digestOf(text) : Buffer.from(digest, 'hex');
  });

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** Every token is compared, in constant time, so that the time taken tells nothing about any of them. */
const includesToken = (list: TokenList, token: string): boolean => {
  const candidate = digestOf(token);
  return list.map((known) => timingSafeEqual(known, candidate)).includes(true);
};

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

/** Why a caller is not let in; `missing`: it brought nothing that could be a token. */
export type Refusal = 'missing' | 'invalid' | 'expired';

const MESSAGES: Readonly<Record<Refusal, string>> = {
  missing: 'This needs an access token: Authorization: Bearer <token>.',
  invalid: 'The access token is not valid.',
  expired: 'The access token has expired.',
};

/** The 401 of an operation: https://www.rfc-editor.org/rfc/rfc6750#section-3 */
export const bearerChallenge = (refusal: Refusal): AppError => {
  const attributes = refusal === 'missing' ? '' : `, error="invalid_token", error_description="${MESSAGES[refusal]}"`;
  return unauthenticated(refusal, `Bearer realm="vitrine"${attributes}`);
};

/** The 401 of a page: a browser asks its user for a name (any) and a password (the token). */
export const basicChallenge = (refusal: Refusal): AppError =>
  unauthenticated(refusal, 'Basic realm="vitrine: any name, and the access token as the password", charset="UTF-8"');

const unauthenticated = (refusal: Refusal, challenge: string): AppError =>
  new AppError('UNAUTHENTICATED', MESSAGES[refusal], { headers: { 'www-authenticate': challenge } });
