import type { Logger } from 'pino';
import type { Clock } from '../database/clock.ts';
import { type Access, createAccess, OPEN_ACCESS } from './access.ts';
import { createVerifyJwt } from './jwt.ts';
import { createKeySet } from './key-set.ts';
import { openTokenFile } from './token-file.ts';
import { readTokens } from './token-list.ts';
import { createVerifyToken } from './verify-token.ts';

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

export interface OpenedAccess {
  readonly access: Access;
  /** Stops following the file and the issuer. */
  readonly close: () => void;
}

export const isRestricted = ({ tokens, tokensFile, jwt }: AccessConfig): boolean =>
  tokens.length > 0 || tokensFile !== undefined || jwt !== undefined;

/** @throws OperatorError for a file of tokens that cannot be used */
export const openAccess = async (config: AccessConfig, clock: Clock, log: Logger): Promise<OpenedAccess> => {
  if (!isRestricted(config)) return { access: OPEN_ACCESS, close: () => {} };
  const { tokens, tokensFile, jwt } = config;

  let list = readTokens(tokens);
  const onFileChange = (): void => {
    list = readTokens([...tokens, ...(file?.texts() ?? [])]);
    access.forget();
  };
  const file =
    tokensFile === undefined ? undefined : await openTokenFile({ path: tokensFile, onChange: onFileChange, log });
  const keySet = jwt && createKeySet({ url: new URL(jwt.jwksUrl), onChange: () => access.forget(), log });
  const verifyJwt = jwt && keySet && createVerifyJwt({ ...jwt, keySet, clock });
  const access = createAccess({ verify: createVerifyToken({ tokens: () => list, verifyJwt, log }), clock });
  onFileChange();

  return {
    access,
    close: () => {
      file?.close();
      keySet?.close();
    },
  };
};
