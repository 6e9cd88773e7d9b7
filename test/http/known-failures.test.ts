import { expect, test } from 'vitest';
import { createKnownFailures } from '../../src/http/known-failures.ts';
import { createTestDatabase } from '../support/database.ts';
import {
  type CachedResponse,
  cachedResponse,
  createTestGateway,
  lasting,
  type TestGateway,
} from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { scrape } from '../support/scrape.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const TOKEN = 'a-token-0123456789';
const ORIGIN = 'https://shop.example';
const gateway = await shared(createTestGateway(database, { CORS_ORIGINS: ORIGIN, FRESHNESS_MS: '0' }));

type Ask = (on: TestGateway, headers?: Record<string, string>) => Promise<CachedResponse>;

const by =
  (method: string, target: string): Ask =>
  (on, headers) =>
    on.request(method, target, headers);

const post =
  (body: object): Ask =>
  (on, headers) =>
    on.post(body, headers);

const FAILURES: readonly (readonly [what: string, ask: Ask, status: number])[] = [
  ['a parameter that is no number', by('GET', '/api/product/hot?limit=x'), 400],
  ['a parameter past its range', by('GET', '/api/product/hot?limit=1000'), 400],
  ['an id that no product has', by('GET', '/api/product/123456'), 404],
  ['an id that no notice has', by('GET', '/api/notice/123456'), 404],
  ['a path that is none', by('GET', '/nowhere'), 404],
  ['a method that a path does not take', by('DELETE', '/api/product/hot'), 405],
  ['a method that GraphQL does not take', by('DELETE', '/graphql'), 405],
  ['a document that does not parse', post({ query: '{ hotProducts(' }), 200],
  ['a document that does not validate', post({ query: '{ nothing }' }), 200],
  [
    'a variable of another type',
    post({ query: 'query($i: Int!) { product(id: $i) { id } }', variables: { i: 'x' } }),
    200,
  ],
  ['an argument past its range', post({ query: '{ products(limit: 0) { id } }' }), 200],
  ['data beside errors', post({ query: '{ product(id: 1) { id } products(limit: 0) { id } }' }), 200],
  ['a body that is no request', post(['x']), 400],
];

test.for(FAILURES)(
  '%s is answered in the same way each time, and kept by no cache outside',
  async ([, ask, status]) => {
    const first = lasting(await ask(gateway));
    expect(first).toMatchObject({ status, headers: { 'cache-control': 'no-store' } });
    for (const name of ['etag', 'cache-status']) expect(first.headers).not.toHaveProperty(name);
    for (const _ of ['again', 'and again']) expect(lasting(await ask(gateway))).toEqual(first);
    const requestId = (await ask(gateway, { 'x-request-id': 'mine' })).headers['x-request-id'];
    expect(requestId, 'the id is of the request').toBe('mine');

    // To a page of another origin it comes with the headers of that.
    expect((await ask(gateway, { origin: ORIGIN })).headers['access-control-allow-origin']).toBe(ORIGIN);
    expect((await ask(gateway)).headers).not.toHaveProperty('access-control-allow-origin');
  },
);

const WRONG_VARIABLE = JSON.stringify({
  query: 'query ($id: Int!) { product(id: $id) { id } }',
  variables: { id: 'at once' },
});

test('what is wrong with a request is answered at once, though nobody has sent it before', () => {
  const json = { 'content-type': 'application/json' };
  const target = '/graphql';
  for (const [request, code] of [
    [{ method: 'GET', target: '/api/product/hot?limit=at-once' }, 'BAD_USER_INPUT'],
    [{ method: 'GET', target: '/graphql?query={at_once}', headers: { accept: 'image/png' } }, 'NOT_ACCEPTABLE'],
    [{ method: 'POST', target, headers: json, body: '{"query":"{ at once"}' }, 'GRAPHQL_PARSE_FAILED'],
    [{ method: 'POST', target, headers: json, body: '{"query":"{ at_once }"}' }, 'GRAPHQL_VALIDATION_FAILED'],
    [{ method: 'POST', target, headers: json, body: WRONG_VARIABLE }, 'BAD_USER_INPUT'],
  ] as const) {
    expect(String(cachedResponse(gateway, request)?.body)).toContain(`"code":"${code}"`);
  }
});

test('a failure is written as it is where each request is recorded, and executed', async () => {
  await using recorded = await createTestGateway(database, { CORS_ORIGINS: ORIGIN, LOG_REQUESTS: 'all' });
  const queries = ['{ größe: (', '{ größe }', '{ notices { "🍵" } }', '{ notice(id: "ö🍵") { id } }', '{ ...F }', ''];
  const made = [
    ...FAILURES.map(([, ask]) => ask),
    ...queries.map((query) => post({ query, variables: { größe: '🍵' } })),
    post({ query: 'query($o: ProductOrder!) { products(orderBy: $o) { id } }', variables: { o: 'größe\ud800' } }),
    by('GET', '/api/product/hot?limit=gr%C3%B6%C3%9Fe'),
    by('GET', '/api/product/list?orderBy=%F0%9F%8D%B5'),
  ];
  for (const ask of made) {
    for (const accept of ['application/json', 'application/graphql-response+json', 'text/event-stream', 'image/png']) {
      const expected = lasting(await ask(recorded, { accept }));
      for (let times = 0; times < 2; times += 1) expect(lasting(await ask(gateway, { accept }))).toEqual(expected);
    }
  }
});

test('HEAD has the headers of a failure that is known by GET', async () => {
  for (const target of ['/api/product/hot?limit=y', '/api/product/123457', '/nowhere']) {
    const { status, headers } = lasting(await gateway.get(target));
    await gateway.get(target);
    expect(lasting(await gateway.request('HEAD', target))).toMatchObject({ status, headers });
  }
});

test('a caller without a token learns nothing from a failure that another caller has seen', async () => {
  await using closed = await createTestGateway(database, { ACCESS_TOKENS: TOKEN });
  for (const ask of [post({ query: '{ nothing }' }), by('GET', '/api/product/hot?limit=x')]) {
    for (let times = 0; times < 2; times += 1) {
      const granted = await ask(closed, { authorization: `Bearer ${TOKEN}` });
      expect(granted.text).not.toContain('UNAUTHENTICATED');
      expect((await ask(closed)).text).toContain('UNAUTHENTICATED');
    }
  }
});

test('an id that no row has costs a statement once, until it has one', async () => {
  const ask = () => gateway.get('/api/product/4711');
  expect((await ask()).status).toBe(404);
  expect(await gateway.countStatements(ask)).toBe(0);
  await insertProduct(database, { id: 4711, category_id: await insertCategory(database) });
  expect((await ask()).status).toBe(200);

  const read = () => gateway.get('/api/notice/4711');
  expect((await read()).status).toBe(404);
  expect(await gateway.countStatements(read)).toBe(0);
  await insertNotice(database, { id: 4711 });
  expect(await read()).toMatchObject({ status: 200, json: { viewCount: 1 } });
  await database.sql('delete from notice where id = 4711');
  expect((await read()).status).toBe(404);
});

test('each failure counts in the metrics, from memory too', async () => {
  await using fresh = await createTestGateway(database);
  for (const [, ask] of FAILURES) for (let times = 0; times < 3; times += 1) await ask(fresh);
  const { sum } = await scrape(fresh);
  expect(sum('vitrine_request_errors_total')).toBe(FAILURES.length * 3);
  expect(sum('vitrine_request_duration_seconds_count')).toBe(sum('vitrine_requests_total'));
});

test('a scanner gets an answer to each request, and few lines in the log', async () => {
  await using fresh = await createTestGateway(database);
  for (let number = 0; number < 200; number += 1) expect((await fresh.get(`/admin/${number}.php`)).status).toBe(404);
  const lines = () => fresh.logged.filter(({ status }) => status === 404).length;
  const omitted = () => fresh.logged.reduce((sum, line) => sum + Number(line.omitted ?? 0), 0);
  expect(lines()).toBeLessThan(200);
  // What is left out is counted.
  await expect.poll(() => lines() + omitted()).toBe(200);
});

type Failures = ReturnType<typeof createKnownFailures>;

const FAILURE = {
  response: { status: 400, lines: '', body: 'x'.repeat(1000), headers: {} },
  code: 'BAD_USER_INPUT',
  counts: {},
} as unknown as Parameters<Failures['learn']>[1];

test('made-up requests that fail take 1 MB at most, and the latest are known', () => {
  const failures = createKnownFailures();
  for (let number = 0; number < 2000; number += 1) {
    for (let times = 0; times < 2; times += 1) failures.learn(`GET /${number}`, FAILURE);
  }
  const known = Array.from({ length: 2000 }, (_, number) => failures.find(`GET /${number}`) !== undefined);
  expect(known.filter(Boolean).length).toBeGreaterThan(100);
  expect(known.filter(Boolean).length).toBeLessThanOrEqual(1048);
  expect(known.at(-1)).toBe(true);
});
