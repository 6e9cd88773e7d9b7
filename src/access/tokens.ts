import { hash, timingSafeEqual } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { AppError, OperatorError } from '../errors.ts';

export type TokenFile = Awaited<ReturnType<typeof openTokenFile>>;

interface Options {
  readonly path: string;
  readonly onChange: () => void;
  readonly log: Logger;
}

/** By polling: a mounted secret is a symbolic link, and file events do not report its new target. */
const POLL_MS = 1000;

/**
 * Reads one token a line; blank lines and lines that begin with # are ignored. A change is read within two seconds: an empty file then admits
 * nobody; a file that is unreadable or has an invalid line leaves the tokens as they were.
 * @throws OperatorError if at the start the file is unreadable or has no token
 */
export const openTokenFile = async ({ path, onChange, log }: Options) => {
  let texts = await readTokenFile(path);
  if (texts.length === 0) throw new OperatorError(`ACCESS_TOKENS_FILE holds no token: ${path}`);

  const reread = (): void => {
    readTokenFile(path).then(
      (read) => {
        texts = read;
        onChange();
        log.info({ tokens: read.length }, 'the access tokens were read again');
      },
      (error: unknown) =>
        log.error({ err: error }, 'the access tokens could not be read again; the ones read before stay in use'),
    );
  };
  watchFile(path, { interval: POLL_MS, persistent: false }, reread);
  return { texts: (): readonly string[] => texts, close: (): void => unwatchFile(path, reread) };
};

const readTokenFile = async (path: string): Promise<readonly string[]> => {
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`ACCESS_TOKENS_FILE cannot be read: ${path} (${error.code})`);
  });
  const lines = content.split(/\r?\n/).map((line) => line.trim());
  // The message has the number of the line only: an invalid line may still hold a secret.
  const wrong = lines.findIndex((line) => line !== '' && !line.startsWith('#') && !isToken(line));
  if (wrong >= 0)
    throw new OperatorError(`ACCESS_TOKENS_FILE must hold ${TOKEN_RULE}, a line each: ${path}:${wrong + 1}`);
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
};

/** SHA-256 digests of tokens. */
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

/** Compares with every digest in constant time, so that the duration reveals nothing. */
export const includesToken = (list: TokenList, token: string): boolean => {
  const candidate = digestOf(token);
  return list.map((known) => timingSafeEqual(known, candidate)).includes(true);
};

/**
 * When a token expires, in milliseconds of the database's clock; or why it is refused.
 * @throws (in the promise) AppError SERVICE_UNAVAILABLE if that cannot be verified now
 */
export type VerifyToken = (token: string) => Promise<number | Refusal>;

/** Why a caller is refused; `missing`: the request has no token. */
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

/** The 401 of a page: the browser asks for a name (any) and a password (the token). */
export const basicChallenge = (refusal: Refusal): AppError =>
  unauthenticated(refusal, 'Basic realm="vitrine: any name, and the access token as the password", charset="UTF-8"');

const unauthenticated = (refusal: Refusal, challenge: string): AppError =>
  new AppError('UNAUTHENTICATED', MESSAGES[refusal], { headers: { 'www-authenticate': challenge } });
