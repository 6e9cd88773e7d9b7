import type { Logger } from 'pino';
import type { Clock } from '../database/clock.ts';
import { type Access, createAccess, OPEN_ACCESS } from './access.ts';
import { type AccessConfig, isRestricted, type JwtConfig } from './access-config.ts';
import { openTokenFile, type TokenFile } from './token-file.ts';
import { readTokens } from './token-list.ts';
import { createVerifyToken } from './verify-token.ts';

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
  const [{ createKeySet }, { createVerifyJwt }] = await Promise.all([import('./key-set.ts'), import('./jwt.ts')]);
  const url = new URL(config.jwksUrl);
  if (url.protocol === 'http:' && !LOCAL_HOSTS.has(url.hostname)) {
    log.warn('JWKS_URL is not https: whoever can change its answer on the way can let anybody in');
  }
  const keySet = createKeySet({ url, onChange, log });
  return { keySet, verifyJwt: createVerifyJwt({ ...config, keySet, clock, log }) };
};
