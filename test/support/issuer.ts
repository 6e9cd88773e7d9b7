import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** Whether and how the issuer gives out its keys. */
export type IssuerState = 'well' | 'failing' | 'silent' | 'rambling' | 'redirecting';

/** An issuer of tokens, with its keys at a URL. */
export interface Issuer extends AsyncDisposable {
  readonly url: string;
  /** What a gateway that trusts it is configured with. */
  readonly environment: { JWKS_URL: string; JWT_ISSUER: string; JWT_AUDIENCE: string };
  state: IssuerState;
  /** Makes a key and gives it out. */
  readonly addKey: (kid: string | undefined, alg?: string) => Promise<IssuerKey>;
  readonly removeKey: (kid: string) => void;
  /** How often its keys were asked for. */
  readonly fetchCount: () => number;
}

export interface IssuerKey {
  readonly publicKey: CryptoKey;
  /** A good token, but for what is said otherwise. `undefined` leaves a claim out. */
  readonly sign: (claims?: JWTPayload, header?: Record<string, unknown>) => Promise<string>;
}

const AUDIENCE = 'https://shop.example';

export const nowS = (): number => Math.floor(Date.now() / 1000);

export const startIssuer = async (): Promise<Issuer> => {
  const keys: JWK[] = [];
  let fetches = 0;
  const server = http.createServer((_, response) => {
    fetches += 1;
    const answers: Record<IssuerState, () => void> = {
      well: () => response.end(JSON.stringify({ keys })),
      failing: () => response.writeHead(500).end(),
      silent: () => {},
      rambling: () => response.end('<html>down for maintenance</html>'),
      redirecting: () => response.writeHead(302, { location: `${url}/elsewhere` }).end(),
    };
    answers[issuer.state]();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const issuer: Issuer = {
    url,
    environment: { JWKS_URL: `${url}/keys`, JWT_ISSUER: url, JWT_AUDIENCE: AUDIENCE },
    state: 'well',
    addKey: async (kid, alg = 'ES256') => {
      const { publicKey, privateKey } = await generateKeyPair(alg);
      keys.push({ ...(await exportJWK(publicKey)), ...(kid === undefined ? {} : { kid }), alg, use: 'sig' });
      return {
        publicKey,
        sign: (claims, header) =>
          new SignJWT({ iss: url, aud: AUDIENCE, sub: 'storefront', iat: nowS(), exp: nowS() + 300, ...claims })
            .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }), ...header })
            .sign(privateKey),
      };
    },
    removeKey: (kid) => {
      keys.splice(
        keys.findIndex((key) => key.kid === kid),
        1,
      );
    },
    fetchCount: () => fetches,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return issuer;
};
