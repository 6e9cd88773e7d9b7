import { hash, timingSafeEqual } from 'node:crypto';

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
export const includesToken = (list: TokenList, token: string): boolean => {
  const candidate = digestOf(token);
  return list.map((known) => timingSafeEqual(known, candidate)).includes(true);
};
