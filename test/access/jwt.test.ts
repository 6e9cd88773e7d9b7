import { createHmac } from 'node:crypto';
import { EncryptJWT, exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { openIssuer } from '../../src/access/jwt.ts';
import { readConfig } from '../../src/config/config.ts';
import { createClock } from '../../src/database/clock.ts';
import { createTestDatabase } from '../support/database.ts';
import { type CachedResponse, cachedResponse, createTestGateway } from '../support/gateway.ts';
import { nowS, startIssuer } from '../support/issuer.ts';
import { insertNotice } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const STATIC = 'a-static-token-0123';

const database = await shared(createTestDatabase());
const notice = await insertNotice(database);
const issuer = await shared(startIssuer());
const key = await issuer.addKey('first');
const gateway = await shared(createTestGateway(database, { ...issuer.environment, ACCESS_TOKENS: STATIC }));

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const ask = (token: string, of = gateway): Promise<CachedResponse> => of.get('/api/notice/list', bearer(token));

describe('a token of the issuer', () => {
  test('is taken by both APIs, with whatever algorithm it is signed', async () => {
    await using own = await startIssuer();
    const keys = [];
    for (const alg of ['RS256', 'PS384', 'ES256', 'ES512', 'EdDSA'])
      keys.push({ alg, ...(await own.addKey(alg, alg)) });
    await using opened = await createTestGateway(database, own.environment);
    for (const { alg, sign } of keys) {
      const token = await sign();
      expect((await ask(token, opened)).status, alg).toBe(200);
      expect((await opened.graphql('{ notices { id } }', {}, bearer(token))).data, alg).toBeDefined();
    }
  });

  test('is verified once: from then on its answers come from memory at once', async () => {
    const request = { method: 'GET', target: '/api/notice/list', headers: bearer(await key.sign({ jti: 'once' })) };
    expect(cachedResponse(gateway, request)).toBeUndefined();
    expect((await ask(request.headers.authorization.slice(7))).status).toBe(200);
    await expect
      .poll(() => cachedResponse(gateway, request))
      .toMatchObject({ status: 200, headers: { 'cache-status': 'vitrine; hit' } });
    expect(cachedResponse(gateway, { ...request, headers: {} })).toBeUndefined();
    expect(issuer.fetchCount()).toBe(1);
  });

  test('opens nothing from the moment on at which it expires, what it has opened before included', async () => {
    // Ten seconds are allowed for the issuer's clock.
    const token = await key.sign({ exp: nowS() - 6 });
    const request = { method: 'GET', target: '/api/notice/list', headers: bearer(token) };
    expect((await ask(token)).status).toBe(200);
    await expect.poll(() => cachedResponse(gateway, request)).toMatchObject({ status: 200 });
    await expect.poll(async () => (await ask(token)).status).toBe(401);
    expect(cachedResponse(gateway, request)).toBeUndefined();
    expect(await ask(token)).toMatchObject({
      status: 401,
      headers: {
        'www-authenticate':
          'Bearer realm="vitrine", error="invalid_token", error_description="The access token has expired."',
      },
    });
  });

  test.for<[string, JWTPayload]>([
    ['for several audiences', { aud: ['https://elsewhere.example', 'https://shop.example'] }],
    ['that begins in a few seconds', { nbf: nowS() + 5 }],
    ['that expires in a hundred years', { exp: nowS() + 3_153_600_000 }],
  ])('%s opens', async ([, claims]) => {
    expect((await ask(await key.sign(claims))).status).toBe(200);
  });

  test('may be the password that opens a page', async () => {
    const authorization = `Basic ${btoa(`me:${await key.sign()}`)}`;
    expect((await gateway.get('/openapi.json', { authorization })).status).toBe(200);
  });
});

describe('refused as invalid is a token', () => {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  const claims = (exp = nowS() + 300) => ({ iss: issuer.url, aud: 'https://shop.example', exp });

  const FORGERIES: Record<string, () => string | Promise<string>> = {
    'of no signature': () => new UnsecuredJWT(claims()).encode(),
    'of no signature under the name of a key': () => `${encode({ alg: 'none', kid: 'first' })}.${encode(claims())}.`,
    ...Object.fromEntries(
      [256, 384, 512].map((bits) => [
        `signed with the public key as a secret of HS${bits}`,
        async () => {
          const text = `${encode({ alg: `HS${bits}`, kid: 'first' })}.${encode(claims())}`;
          const secret = await exportSPKI(key.publicKey);
          return `${text}.${createHmac(`sha${bits}`, secret).update(text).digest('base64url')}`;
        },
      ]),
    ),
    'whose claims were changed': async () => {
      const [header, , signature] = (await key.sign()).split('.');
      return `${header}.${encode(claims(nowS() + 9999))}.${signature}`;
    },
    'signed by somebody else': async () => {
      const { privateKey } = await generateKeyPair('ES256');
      return new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', kid: 'first' }).sign(privateKey);
    },
    'that brings its own key': async () => {
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      return new SignJWT(claims())
        .setProtectedHeader({ alg: 'ES256', jwk: await exportJWK(publicKey), jku: `${issuer.url}/evil` })
        .sign(privateKey);
    },
    'that is encrypted': () =>
      new EncryptJWT({ exp: nowS() + 300 })
        .setProtectedHeader({ alg: 'dir', enc: 'A128CBC-HS256' })
        .encrypt(new Uint8Array(32)),
    'of another issuer': () => key.sign({ iss: 'https://elsewhere.example' }),
    'of no issuer': () => key.sign({ iss: undefined as unknown as string }),
    'for another audience': () => key.sign({ aud: 'https://elsewhere.example' }),
    'for no audience': () => key.sign({ aud: undefined as unknown as string }),
    'that never expires': () => key.sign({ exp: undefined as unknown as number }),
    'that expires on a day that is no number': () => key.sign({ exp: 'never' as unknown as number }),
    'that begins later': () => key.sign({ nbf: nowS() + 60 }),
    'cut short': async () => (await key.sign()).slice(0, -4),
    'of dots': () => '........',
    'of 20,000 characters': () => `${'a'.repeat(10_000)}.${'b'.repeat(10_000)}.c`,
  };

  test.for(Object.keys(FORGERIES))('%s', async (name) => {
    const token = (await FORGERIES[name]?.()) ?? '';
    const fetches = issuer.fetchCount();
    for (const { status, headers } of [await ask(token), await ask(token)]) {
      expect({ status, challenge: headers['www-authenticate'] }).toEqual({
        status: 401,
        challenge: 'Bearer realm="vitrine", error="invalid_token", error_description="The access token is not valid."',
      });
    }
    expect(issuer.fetchCount() - fetches).toBeLessThanOrEqual(1);
    expect(JSON.stringify(gateway.logged)).not.toContain(token);
  });

  test('but not where none is needed', async () => {
    for (const token of ['nonsense', await key.sign({ exp: 1 })]) {
      expect((await gateway.get(`/api/notice/${notice}`, bearer(token))).status).toBe(200);
      expect((await gateway.graphql(`{ notice(id: ${notice}) { id } }`, {}, bearer(token))).errors).toBeUndefined();
    }
  });
});

describe('keys', () => {
  test('that the issuer has added are found by the tokens that they sign', async () => {
    await using own = await startIssuer();
    const before = await (await own.addKey('old')).sign();
    await using opened = await createTestGateway(database, own.environment);
    expect((await ask(before, opened)).status).toBe(200);
    const after = await (await own.addKey('new')).sign();
    await expect.poll(async () => (await ask(after, opened)).status, { interval: 100 }).toBe(200);
    expect((await ask(before, opened)).status).toBe(200);
    // However often somebody asked, the issuer was not.
    expect(own.fetchCount()).toBeLessThanOrEqual(3);
  });

  test('that the issuer has taken back are good no more, nor is what they were good for', async () => {
    await using own = await startIssuer();
    const old = await (await own.addKey('old')).sign();
    const { JWKS_URL: jwksUrl, JWT_ISSUER, JWT_AUDIENCE } = own.environment;
    const config = { jwksUrl, jwtIssuer: [JWT_ISSUER], jwtAudience: [JWT_AUDIENCE] };
    const clock = createClock();
    const issuer = openIssuer(config, clock, pino({ level: 'silent' }), 20);
    const goodForMs = Number(await issuer.verify(old)) - clock.nowMs();
    expect(goodForMs, 'without a look at the keys').toBeLessThanOrEqual(20);
    const { sign } = await own.addKey('new');
    own.removeKey('old');
    await expect.poll(() => issuer.verify(old)).toBe('invalid');
    expect(await issuer.verify(await sign())).toBeTypeOf('number');
    issuer.close();
  });

  // Side by side, because most of it is waiting.
  test.concurrent.for(['failing', 'silent', 'rambling', 'redirecting'] as const)(
    'that were never got from an issuer that is %s make 503 of what only they could tell, until it is well',
    async (state, { expect }) => {
      await using own = await startIssuer();
      const { sign } = await own.addKey('one');
      const [token, other] = [await sign(), await sign({ jti: 'other' })];
      own.state = state;
      await using closed = await createTestGateway(database, { ...own.environment, ACCESS_TOKENS: STATIC });

      const started = performance.now();
      for (const answer of await Promise.all([ask(token, closed), ask(token, closed), ask(other, closed)])) {
        expect(answer).toMatchObject({
          status: 503,
          headers: { 'retry-after': '1', 'cache-control': 'no-store' },
          json: { code: 'SERVICE_UNAVAILABLE' },
        });
      }
      expect(performance.now() - started).toBeLessThan(4000);
      const { errors } = await closed.graphql('{ notices { id } }', {}, bearer(token));
      expect(errors?.[0]?.extensions.code).toBe('SERVICE_UNAVAILABLE');

      // What does not need them goes on.
      expect((await ask(STATIC, closed)).status).toBe(200);
      expect((await closed.get('/api/notice/list')).status).toBe(401);
      expect((await closed.get(`/api/notice/${notice}`, bearer(token))).status).toBe(200);
      expect((await closed.get('/readyz')).status).toBe(200);

      own.state = 'well';
      await expect.poll(async () => (await ask(token, closed)).status).toBe(200);
      const said = closed.logged.map(({ msg }) => msg);
      expect(said.filter((msg) => msg === 'the keys of the token issuer cannot be fetched')).toHaveLength(1);
    },
  );

  test('that are known go on while the issuer is away', async () => {
    await using own = await startIssuer();
    const { sign } = await own.addKey('one');
    await using opened = await createTestGateway(database, own.environment);
    expect((await ask(await sign(), opened)).status).toBe(200);
    own.state = 'failing';
    for (const jti of ['a', 'b']) expect((await ask(await sign({ jti }), opened)).status).toBe(200);
    // Whether there is such a key by now, nobody can tell.
    const token = await sign({}, { kid: 'another' });
    await expect.poll(async () => (await ask(token, opened)).status).toBe(503);
    expect((await ask(await sign({ jti: 'c' }), opened)).status).toBe(200);
  });
});

test('an issuer is configured as a whole or not at all', () => {
  const { JWKS_URL, JWT_ISSUER, JWT_AUDIENCE } = issuer.environment;
  expect(() => readConfig({ JWKS_URL })).toThrow(/JWT_ISSUER and JWKS_URL .*\n.*JWT_AUDIENCE and JWKS_URL/);
  expect(() => readConfig({ JWKS_URL, JWT_ISSUER })).toThrow('JWT_AUDIENCE');
  expect(() => readConfig({ JWT_AUDIENCE })).toThrow('JWT_AUDIENCE');
  for (const url of ['ftp://issuer.example', 'https://me:s3cret@issuer.example', 'issuer.example']) {
    expect(() => readConfig({ JWKS_URL: url, JWT_ISSUER, JWT_AUDIENCE })).toThrow(
      /JWKS_URL must be an https(?!.*s3cret)/,
    );
  }
});
