import type { IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { clientOf, createRateLimit } from '../../src/http/rate-limit.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/gateway.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  return () => database[Symbol.asyncDispose]();
});

const start = (environment: Record<string, string> = {}): Promise<TestServer> =>
  startTestServer(database, { RATE_LIMIT_PER_MINUTE: '5', ...environment });

const ask = (
  { url }: TestServer,
  target = '/api/notice/list',
  forwardedFor?: string,
  method = 'GET',
): Promise<Response> =>
  fetch(url + target, { method, headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor } });

const statuses = async (count: number, askOnce: (index: number) => Promise<Response>): Promise<number[]> => {
  const all: number[] = [];
  for (let index = 0; index < count; index += 1) all.push((await askOnce(index)).status);
  return all;
};

const FIVE = [200, 200, 200, 200, 200];

test('a client past its limit learns when to ask again, by REST and by GraphQL, whatever address it claims to have', async () => {
  await using gateway = await start();
  expect(await statuses(6, () => ask(gateway))).toEqual([...FIVE, 429]);

  const refused = await ask(gateway);
  expect(Number(refused.headers.get('retry-after'))).toSatisfy((s: number) => Number.isInteger(s) && s > 0 && s <= 60);
  expect(refused.headers.get('cache-control')).toBe('no-store');
  expect(await refused.json()).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' });

  const graphql = await ask(gateway, '/graphql?query={__typename}');
  expect(graphql.status).toBe(429);
  expect(await graphql.json()).toMatchObject({ errors: [{ extensions: { code: 'TOO_MANY_REQUESTS' } }] });
  const post = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ __typename }"}',
  });
  expect(post.status).toBe(429);

  expect((await ask(gateway, '/api/notice/list', '203.0.113.7')).status).toBe(429);
  for (const path of ['/livez', '/readyz']) expect(await statuses(9, () => ask(gateway, path))).not.toContain(429);
});

test('every response says what is left to its client: from memory, of an error, without a body, and past the limit', async () => {
  await using gateway = await start({ CORS_ORIGINS: 'https://shop.example' });
  const told = async (init: RequestInit, target = '/api/product/hot') => {
    const { status, headers } = await fetch(gateway.url + target, init);
    const [, left, seconds] = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
    expect(headers.get('ratelimit-policy')).toBe('"default";q=5;w=60');
    expect(Number(seconds)).toSatisfy((s: number) => s > 0 && s <= 60);
    return { status, left: Number(left), retryAfter: headers.get('retry-after') ?? undefined, seconds };
  };
  expect(await told({})).toMatchObject({ status: 200, left: 4 });
  expect(await told({ method: 'HEAD' })).toMatchObject({ status: 200, left: 3 });
  expect(await told({}, '/api/nothing')).toMatchObject({ status: 404, left: 2 });
  const query = {
    method: 'QUERY',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ __typename }"}',
  };
  expect(await told(query, '/graphql')).toMatchObject({ status: 200, left: 1 });
  expect(await told({ method: 'OPTIONS' })).toMatchObject({ status: 204, left: 0 });
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    const refused = await told({ method });
    expect(refused).toMatchObject({ status: 429, left: 0, retryAfter: refused.seconds });
  }
  const { headers } = await fetch(gateway.url, { headers: { origin: 'https://shop.example' } });
  expect(headers.get('access-control-expose-headers')).toContain('ratelimit, ratelimit-policy');
});

test('behind a proxy, each address that it tells has its own limit, whatever methods it uses', async () => {
  await using gateway = await start({ TRUST_PROXY: '1' });
  // A client may write what it likes in front of that.
  expect(await statuses(6, (index) => ask(gateway, undefined, `10.0.0.${index}, 203.0.113.7`))).toEqual([...FIVE, 429]);
  expect(await statuses(5, () => ask(gateway, undefined, '203.0.113.8'))).toEqual(FIVE);
  expect(await statuses(1, () => ask(gateway))).toEqual([200]);
  const methods = ['GET', 'HEAD', 'OPTIONS', 'HEAD', 'DELETE', 'HEAD', 'GET'];
  const byAll = await statuses(7, (index) => ask(gateway, undefined, '203.0.113.9', methods[index]));
  expect(byAll).toEqual([200, 200, 204, 200, 405, 429, 429]);
});

test('there is none by default', async () => {
  await using gateway = await start({ RATE_LIMIT_PER_MINUTE: '' });
  expect((await ask(gateway)).headers.get('ratelimit')).toBeNull();
  expect(await statuses(20, () => ask(gateway))).not.toContain(429);
});

const from = (remoteAddress: string, forwardedFor?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwardedFor } }) as unknown as IncomingMessage;

describe('who a client is', () => {
  test.for<[number, string, string | undefined, string]>([
    [0, '192.0.2.1', '203.0.113.7', '192.0.2.1'],
    [0, '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    [0, '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2'],
    [0, '2001:DB8:0001:2::9', undefined, '2001:db8:1:2'],
    [0, '2001:db8::1', undefined, '2001:db8:0:0'],
    [0, '::1', undefined, '0:0:0:0'],
    [1, '192.0.2.1', '203.0.113.7', '203.0.113.7'],
    [1, '192.0.2.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    [2, '192.0.2.1', '10.9.9.9, 198.51.100.1,203.0.113.7', '198.51.100.1'],
    [3, '192.0.2.1', '203.0.113.7', '203.0.113.7'],
    [1, '192.0.2.1', '203.0.113.7, unknown', '192.0.2.1'],
    [1, '192.0.2.1', '', '192.0.2.1'],
    [1, '192.0.2.1', undefined, '192.0.2.1'],
  ])('behind %i proxies, %s that brings "%s" is %s', ([hops, address, forwardedFor, client]) => {
    expect(clientOf(from(address, forwardedFor), hops)).toBe(client);
  });
});

test('a client may ask again a minute after its first request, and not before', async () => {
  vi.useFakeTimers();
  try {
    const limit = createRateLimit({ rateLimitPerMinute: 1, trustProxy: 0 });
    const client = from('192.0.2.1');
    expect((await limit(client)).refusal).toBeUndefined();
    vi.advanceTimersByTime(59_000);
    expect((await limit(client)).refusal).toMatchObject({ headers: { 'retry-after': '1' } });
    vi.advanceTimersByTime(1000);
    expect((await limit(client)).refusal).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});

test('no more clients are remembered than may be, those who came last', async () => {
  const limit = createRateLimit({ rateLimitPerMinute: 1, trustProxy: 0 }, 2);
  const isRefused = async (address: string): Promise<boolean> => (await limit(from(address))).refusal !== undefined;
  expect(await isRefused('192.0.2.1')).toBe(false);
  expect(await isRefused('192.0.2.1')).toBe(true);
  expect(await isRefused('192.0.2.2')).toBe(false);
  expect(await isRefused('192.0.2.3')).toBe(false);
  expect(await isRefused('192.0.2.1')).toBe(false);
  expect(await isRefused('192.0.2.3')).toBe(true);
});
