import { describe, expect, test, vi } from 'vitest';
import type { GatewayResponse } from '../../src/http/message.ts';
import {
  type CachedResponse,
  cachedResponse,
  createTestGateway,
  handle,
  JSON_HEADERS,
  type TestGateway,
  type TestRequest,
} from '../support/gateway.ts';
import { createRestShop, ENDED_ID } from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';

const TOKEN = 'a-token-0123456789';
const HOT = JSON.stringify({ query: '{ hotProducts(limit: 30) { name description category { name } } }' });

// On a busy machine, two looks at the cache may be more than the default bound apart.
const shop = await shared(createRestShop({ CORS_ORIGINS: 'https://shop.example', FRESHNESS_MS: '1000' }));
const gateway = shop.gateway;

const answer = async ({ app }: TestGateway, request: TestRequest): Promise<GatewayResponse> => handle(app, request);

let spellings = 0;

/** The same request in bytes that have not been seen before. */
const respelled = ({ target, body, ...rest }: TestRequest): TestRequest => {
  spellings += 1;
  if (body !== undefined) return { ...rest, target, body: body + ' '.repeat(spellings) };
  return { ...rest, target: `${target}${target.includes('?') ? '&' : '?'}spelling=${spellings}` };
};

const sent = (method: string, target: string, headers: Record<string, string> = {}, body?: string): TestRequest => ({
  method,
  target,
  headers,
  body,
});

const withoutId = ({ status, headers, body, encoding }: GatewayResponse) => {
  const { 'x-request-id': _, 'x-accel-expires': __, ...shared } = headers;
  return { status, headers: shared, bytes: typeof body === 'string' ? Buffer.from(body, encoding) : body };
};

describe('the response that is found by the bytes of a request is the one that is found by parsing it:', () => {
  const etagOf = async (request: TestRequest): Promise<string> => String((await answer(gateway, request)).headers.etag);
  const plain = sent('GET', '/api/product/list?limit=30');

  test.for<[string, () => TestRequest | Promise<TestRequest>]>([
    ['GET of a path', () => plain],
    ['HEAD of a path', () => sent('HEAD', '/api/product/hot')],
    ['a list of notices', () => sent('GET', '/api/notice/list')],
    ['an operation by GET', () => sent('GET', '/graphql?query={hotProducts{name}}')],
    ['an operation by HEAD', () => sent('HEAD', '/graphql?query={hotProducts{sales}}')],
    ['an operation by POST', () => sent('POST', '/graphql', JSON_HEADERS, HOT)],
    [
      'in a media type',
      () => sent('POST', '/graphql', { ...JSON_HEADERS, accept: 'application/graphql-response+json' }, HOT),
    ],
    ['introspection', () => sent('GET', '/graphql?query={__type(name:"Query"){fields{name}}}')],
    ['from another origin', () => sent('GET', '/api/product/hot', { origin: 'https://shop.example' })],
    ['from a strange origin', () => sent('POST', '/graphql', { ...JSON_HEADERS, origin: 'https://evil.example' }, HOT)],
    ['in gzip', () => sent('GET', '/api/product/new?limit=30', { 'accept-encoding': 'gzip' })],
    ['in brotli', () => sent('POST', '/graphql', { ...JSON_HEADERS, 'accept-encoding': 'gzip, br' }, HOT)],
    ['known to the client', async () => ({ ...plain, headers: { 'if-none-match': await etagOf(plain) } })],
    ['of another version', () => ({ ...plain, headers: { 'if-none-match': '"other"' } })],
  ])('%s', async ([, make]) => {
    const request = await make();
    // Responses are compressed once they are requested often enough.
    await expect
      .poll(async () => {
        const { status, headers } = await answer(gateway, request);
        return status === 304 || headers['content-encoding'] !== undefined || !request.headers?.['accept-encoding'];
      })
      .toBe(true);
    const long = await answer(gateway, respelled(request));
    const short = cachedResponse(gateway, request);
    expect(long.headers['cache-status']).toBe('vitrine; hit');
    expect(short && withoutId(short)).toEqual(withoutId(long));
  });
});

describe('never kept:', () => {
  test.for<[string, number, TestRequest]>([
    ['a notice by REST', 200, sent('GET', '/api/notice/1')],
    ['a notice by REST that is only looked at', 200, sent('HEAD', '/api/notice/1')],
    ['a notice that has ended', 200, sent('GET', `/api/notice/${ENDED_ID}`)],
    ['a notice by GraphQL', 200, sent('POST', '/graphql', JSON_HEADERS, '{"query":"{ notice(id: 1) { viewCount } }"}')],
    ['a notice by GraphQL that is only looked at', 200, sent('HEAD', '/graphql?query={notice(id:1){viewCount}}')],
    [
      'a notice among others',
      200,
      sent('GET', '/graphql?query={...F}fragment F on Query{a:notice(id:1){id}hotProducts{id}}'),
    ],
    ['a notice that is not there', 200, sent('GET', '/graphql?query={notice(id:99999){viewCount}}')],
    [
      'a notice that is not there, by POST',
      200,
      sent('POST', '/graphql', JSON_HEADERS, '{"query":"{ none: notice(id: 99998) { id } }"}'),
    ],
    [
      'a notice that is not there, by a client that has a copy',
      200,
      { ...sent('GET', '/graphql?query={notice(id:99997){id}}'), headers: { 'if-none-match': '*' } },
    ],
    ['a notice that is not there, only looked at', 200, sent('HEAD', '/graphql?query={notice(id:99996){viewCount}}')],
    ['a notice that is left out', 200, sent('GET', '/graphql?query={notice(id:1)@skip(if:true){id}}')],
    ['health', 200, sent('GET', '/readyz')],
  ])('%s', async ([, status, request]) => {
    for (const round of [1, 2, 3]) {
      const { headers, status: given } = await answer(gateway, request);
      expect(given, `${round}`).toBe(status);
      expect(headers).not.toHaveProperty('etag');
      expect(headers).not.toHaveProperty('cache-status');
      expect(headers['cache-control']).toBe('no-store');
      expect(cachedResponse(gateway, request)).toBeUndefined();
    }
  });

  test('a look at a notice, which each time sees the count as it is', async () => {
    const count = async (): Promise<unknown> =>
      (await gateway.request('HEAD', '/graphql?query={notice(id:2){viewCount}}')).json;
    await gateway.get('/api/notice/2');
    expect(await count()).toEqual({ data: { notice: { viewCount: 1 } } });
    await gateway.get('/api/notice/2');
    expect(await count()).toEqual({ data: { notice: { viewCount: 2 } } });
  });

  test('a notice that was withdrawn since it was last read', async () => {
    const id = 4713;
    await shop.database.sql(`insert into notice (id, title, content) values ($1, 'Gone soon', '')`, [id]);
    const request = sent('GET', `/graphql?query={notice(id:${id}){title}}`);
    await expect.poll(async () => (await gateway.get(request.target)).text).toContain('Gone soon');
    await gateway.get(request.target);
    await shop.database.sql(`update notice set status = 'WITHDRAWN' where id = $1`, [id]);
    const view = () => gateway.get(request.target);
    await expect.poll(async () => (await view()).json).toEqual({ data: { notice: null } });
    // From memory, once the gateway knows that there is nothing.
    await expect.poll(() => gateway.countStatements(view)).toBe(0);
    for (const _ of [1, 2, 3]) {
      const { headers } = await gateway.get(request.target);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers).not.toHaveProperty('etag');
    }
  });

  test('an error that is mended by the next commit', async () => {
    expect((await gateway.get('/api/product/5000')).status).toBe(404);
    await shop.database.sql(
      `insert into product (id, category_id, name, slug, price, published_at) values (5000, 1, 'N', 'n', 1, '2020-01-01Z')`,
    );
    await expect.poll(async () => (await gateway.get('/api/product/5000')).status).toBe(200);
  });
});

describe('with access tokens', () => {
  const granted = { authorization: `Bearer ${TOKEN}` };
  const REQUESTS = [
    sent('GET', '/api/product/hot'),
    sent('HEAD', '/api/notice/list'),
    sent('GET', '/graphql?query={hotProducts{id}}'),
    sent('POST', '/graphql', JSON_HEADERS, HOT),
  ];

  test('an answer made for a holder is given to holders only, and no cache between may keep it', async () => {
    await using own = await createTestGateway(shop.database, { ACCESS_TOKENS: TOKEN });
    for (const request of REQUESTS) {
      const withToken = { ...request, headers: { ...request.headers, ...granted } };
      const made = await answer(own, withToken);
      const cached = await vi.waitUntil(() => cachedResponse(own, withToken), { interval: 5, timeout: 30_000 });
      const answers = [made, cached, await answer(own, withToken)];
      expect(answers.map((each) => each.headers['cache-status'])).toEqual([
        'vitrine; fwd=miss',
        'vitrine; hit',
        'vitrine; hit',
      ]);
      for (const each of answers) {
        expect(each.headers).toMatchObject({
          'cache-control': expect.stringMatching(/^private, max-age=[01], must-revalidate$/),
          vary: 'accept, accept-encoding, authorization',
        });
        // With it, nginx would keep the answer all the same.
        expect(each.headers).not.toHaveProperty('x-accel-expires');
      }
      const { etag } = made.headers;
      for (const headers of [{}, { authorization: 'Bearer another-0123456789' }, { 'if-none-match': String(etag) }]) {
        const without = { ...request, headers: { ...request.headers, ...headers } };
        expect(cachedResponse(own, without)).toBeUndefined();
        const refusal = await answer(own, without);
        expect(refusal).toMatchObject({ status: 401, headers: { 'cache-control': 'no-store' } });
        expect(refusal.body).not.toContain('Product ');
      }
    }
  });

  test('what is public is answered to everybody, and so is nothing beside it', async () => {
    await using own = await createTestGateway(shop.database, { ACCESS_TOKENS: TOKEN });
    const ask = (headers: Record<string, string>): Promise<CachedResponse> =>
      own.get('/graphql?query={__typename}', headers);
    expect((await ask(granted)).headers['cache-status']).toBe('vitrine; fwd=miss');
    expect((await ask({})).headers).toMatchObject({
      'cache-status': 'vitrine; hit',
      'cache-control': 'private, max-age=1, must-revalidate',
    });
  });
});
