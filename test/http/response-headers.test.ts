import { describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createTestDatabase } from '../support/database.ts';
import { cachedResponse, createTestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';
import { listen, sendRaw } from '../support/socket.ts';

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database));
const SHOP = 'https://shop.example';
const listed = await shared(createTestGateway(database, { CORS_ORIGINS: SHOP }));
const SEVERAL = `https://other.example,${SHOP}`;
/** By the origins that they list. */
const gateways = new Map([
  [SHOP, listed],
  [SEVERAL, await shared(createTestGateway(database, { CORS_ORIGINS: SEVERAL }))],
  ['*', await shared(createTestGateway(database, { CORS_ORIGINS: '*' }))],
]);

/** One of every kind of response: data, an error of each protocol, and paths that belong to neither. */
const TARGETS = [
  '/graphql?query={__typename}',
  '/graphql?query={',
  '/api/notice/list',
  '/api/notice/0',
  '/nowhere',
  '/livez',
];

const OURS = /^[\w-]{16}-[0-9a-z]+$/;

describe('x-request-id', () => {
  test.for(['a', '7d3c', '1-2_3.4:5/6+7=8@9', 'x'.repeat(128)])('of %s goes back as it came', async (id) => {
    for (const target of TARGETS) {
      expect((await gateway.get(target, { 'x-request-id': id })).headers['x-request-id']).toBe(id);
    }
  });

  test.for(['', ' ', 'a b', 'a, b', 'a\nb', 'a\r\nset-cookie: x', 'é', '<a>', '"', 'x'.repeat(129)])(
    'of %j is replaced by one of ours',
    async (id) => {
      for (const target of TARGETS) {
        expect((await gateway.get(target, { 'x-request-id': id })).headers['x-request-id']).toMatch(OURS);
      }
    },
  );

  test('is another for every request that brings none', async () => {
    const ids = await Promise.all(TARGETS.map(async (target) => (await gateway.get(target)).headers['x-request-id']));
    expect(new Set(ids).size).toBe(TARGETS.length);
    for (const id of ids) expect(id).toMatch(OURS);
  });

  test('with a line break on the wire gives no header of its own', async () => {
    await using server = await listen(gateway);
    for (const lineBreak of ['\n', '\r', '\n ', '\r\n ']) {
      const answer = await sendRaw(
        server.url,
        `GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-request-id: a${lineBreak}x-evil: 1\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 (200|400) /);
      expect(answer).not.toContain('x-evil');
    }
  });
});

describe('CORS', () => {
  const corsOf = ({ headers }: { headers: Readonly<Record<string, string>> }): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
  const preflight = {
    origin: SHOP,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  };

  test('is off unless origins are configured', async () => {
    for (const target of TARGETS) expect(corsOf(await gateway.get(target, { origin: SHOP }))).toEqual({});
    expect(corsOf(await gateway.request('OPTIONS', '/graphql', preflight))).toEqual({});
  });

  test('lets the origins of the list read every answer, errors included, and no other', async () => {
    await using own = await createTestGateway(database, { CORS_ORIGINS: `${SHOP}, http://localhost:3000` });
    for (const target of TARGETS) {
      for (const origin of [SHOP, 'http://localhost:3000']) {
        const answer = await own.get(target, { origin });
        expect(corsOf(answer)).toEqual({
          'access-control-allow-origin': origin,
          'access-control-expose-headers': expect.stringContaining('x-request-id'),
        });
        expect(answer.headers.vary).toContain('origin');
      }
      expect((await own.get(target)).headers.vary).toContain('origin');
    }
  });

  test('answers the preflight of an origin of the list', async () => {
    const answer = await listed.request('OPTIONS', '/graphql', preflight);
    expect(answer.status).toBe(204);
    expect(corsOf(answer)).toEqual({
      'access-control-allow-origin': SHOP,
      'access-control-allow-methods': expect.stringContaining('POST'),
      'access-control-allow-headers': '*, authorization',
      'access-control-max-age': expect.stringMatching(/^\d+$/),
    });
    expect(
      corsOf(await listed.request('OPTIONS', '/graphql', { ...preflight, origin: 'https://evil.example' })),
    ).toEqual({});
  });

  const CHUNKED =
    'POST /graphql HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n';
  const EARLY: [status: number, what: string, bytesFor: (origin: string) => string][] = [
    [400, 'a request without a host', (origin) => `GET /livez HTTP/1.1\r\nconnection: close\r\n${origin}\r\n`],
    [
      413,
      'a body that is too long',
      (origin) => `${CHUNKED}${origin}\r\n100001\r\n${'x'.repeat(0x100001)}\r\n0\r\n\r\n`,
    ],
    [
      414,
      'a long target',
      (origin) => `GET /${'x'.repeat(9000)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${origin}\r\n`,
    ],
  ];

  test.for(EARLY)(
    'lets scripts read the %i for %s, which comes before the request is read',
    async ([status, , bytesFor]) => {
      const environment = { REQUEST_TIMEOUT_MS: '1000' };
      const ask = async (origins: string): Promise<void> => {
        await using server = await listen(gateways.get(origins) ?? gateway, { CORS_ORIGINS: origins, ...environment });
        const [answer, evil] = await Promise.all(
          [SHOP, 'https://evil.example'].map((origin) => sendRaw(server.url, bytesFor(`Origin: ${origin}\r\n`))),
        );
        expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
        const allowed = origins === '*' ? '\\*' : SHOP;
        expect(answer).toMatch(new RegExp(`^access-control-allow-origin: ${allowed}\r$`, 'm'));
        expect(evil?.includes('access-control-allow-origin'), evil).toBe(origins === '*');
      };
      await Promise.all([...gateways.keys()].map(ask));
      await using server = await listen(gateway, environment);
      expect(await sendRaw(server.url, bytesFor(`Origin: ${SHOP}\r\n`))).not.toContain('access-control');
    },
  );

  test('lets everybody read with *, without credentials', async () => {
    await using own = await createTestGateway(database, { CORS_ORIGINS: '*' });
    for (const target of TARGETS) {
      expect(corsOf(await own.get(target, { origin: 'https://anyone.example' }))).toEqual({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.any(String),
      });
    }
    expect(corsOf(await own.request('OPTIONS', '/api/notice/list', preflight))).toMatchObject({
      'access-control-allow-origin': '*',
    });
  });

  test.for([
    'null',
    '*',
    'https://SHOP.example',
    'HTTPS://shop.example',
    `${SHOP}/`,
    `${SHOP}:443`,
    `${SHOP}.`,
    `${SHOP} ${SHOP}`,
    `${SHOP}, https://evil.example`,
    `${SHOP}@evil.example`,
    'https://evil.example?https://shop.example',
    'http://shop.example',
    `${SHOP}:8443`,
    `${SHOP}.evil.example`,
    'https://evil-shop.example',
    'https://m.shop.example',
    'file://',
  ])('takes %s for none of the list', async (origin) => {
    for (const method of ['GET', 'GET', 'HEAD', 'OPTIONS']) {
      const answer = await listed.request(method, '/api/notice/list', { ...preflight, origin });
      expect(corsOf(answer)).toEqual({});
      expect(answer.headers.vary).toContain('origin');
    }
  });

  test('gives every origin an answer of its own from memory, and never credentials', async () => {
    await using own = await createTestGateway(database, { CORS_ORIGINS: `${SHOP},http://localhost:3000` });
    const target = '/api/notice/list';
    for (const origin of [SHOP, 'http://localhost:3000', 'https://evil.example']) {
      const request = { method: 'GET', target, headers: { origin } };
      const { headers } = await vi.waitUntil(() => cachedResponse(own, request), { interval: 5, timeout: 30_000 });
      expect(headers['access-control-allow-origin']).toBe(origin.includes('evil') ? undefined : origin);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      const etag = String(headers.etag);
      const unchanged = await own.get(target, { origin, 'if-none-match': etag });
      expect(unchanged.status).toBe(304);
      expect(unchanged.headers.vary).toContain('origin');
    }
  });

  test.for([
    `${SHOP}/`,
    `${SHOP}:443`,
    'HTTPS://shop.example',
    'https://*.shop.example',
    'shop.example',
    'null',
    'file://',
    'ftp://shop.example',
    'https://me:pass@shop.example',
  ])('with %s in the list, where it would never be met, stops the start', (origin) => {
    expect(() => readConfig({ CORS_ORIGINS: `${SHOP},${origin}` })).toThrow('CORS_ORIGINS must be * or origins');
  });
});

test('a picture runs nothing, wherever it is shown', async () => {
  const { status, headers } = await gateway.get('/images/kitchen-radio.svg');
  expect(status).toBe(200);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*sandbox$/);
});
