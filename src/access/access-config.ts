import type { Exposure } from './gate.ts';

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

/** The variables that say who is let in to what. */
interface Variables {
  readonly ACCESS_TOKENS: readonly string[];
  readonly ACCESS_TOKENS_FILE?: string | undefined;
  readonly JWKS_URL?: string | undefined;
  readonly JWT_ISSUER: readonly string[];
  readonly JWT_AUDIENCE: readonly string[];
  readonly GRAPHIQL: Exposure;
  readonly DOCS?: Exposure | undefined;
  readonly DEMO: Exposure;
  readonly METRICS?: Exposure | undefined;
}

/** What lets callers in, and what does not go together. */
export const readAccess = (output: Variables): { access: AccessConfig; faults: readonly string[] } => {
  const { JWKS_URL: jwksUrl, JWT_ISSUER: issuers, JWT_AUDIENCE: audiences } = output;
  const access: AccessConfig = {
    tokens: output.ACCESS_TOKENS,
    tokensFile: output.ACCESS_TOKENS_FILE,
    jwt: jwksUrl === undefined ? undefined : { jwksUrl, issuers, audiences },
  };
  // An issuer signs for others too: only its name and ours say that a token is meant for this service.
  const beside = (['JWT_ISSUER', 'JWT_AUDIENCE'] as const).filter(
    (name) => output[name].length > 0 !== (jwksUrl !== undefined),
  );
  const gated = (['GRAPHIQL', 'DOCS', 'DEMO', 'METRICS'] as const).filter((name) => output[name] === 'token');
  return {
    access,
    faults: [
      ...beside.map((name) => `${name} and JWKS_URL must both be set, or neither`),
      ...(isRestricted(access) ? [] : gated).map(
        (name) => `${name} must be on or off where no access tokens are configured, but is "token"`,
      ),
    ],
  };
};
