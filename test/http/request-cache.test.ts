import { expect, test, vi } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, lasting } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { stored } from '../support/views.ts';

// With no memory for responses only the parsed request is cached.

const TOKEN = 'a-token-0123456789';
const WITH_TOKEN = { authorization: `Bearer ${TOKEN}` };

const database = await shared(createTestDatabase());
await insertProduct(database, { id: 1, category_id: await insertCategory(database), name: 'Bowl' });
const open = await shared(createTestGateway(database, { CACHE_MAX_MB: '0' }));
const closed = await shared(createTestGateway(database, { CACHE_MAX_MB: '0', ACCESS_TOKENS: TOKEN }));

const PRODUCT = { query: 'query Named($id: Int!) { product(id: $id) { name } }', variables: { id: 1 } };

test('a body is parsed once where no request has to wait', async () => {
  const text = JSON.stringify({ ...PRODUCT, variables: { id: 3 } });
  const parse = vi.spyOn(JSON, 'parse');
  try {
    await open.post(text);
    expect(parse.mock.calls.filter(([parsed]) => parsed === text)).toHaveLength(1);
  } finally {
    parse.mockRestore();
  }
});

test.for([
  ['as JSON', PRODUCT, 'application/json'],
  ['as a GraphQL response', PRODUCT, 'application/graphql-response+json'],
  ['of a product that is none', { ...PRODUCT, variables: { id: 2 } }, '*/*'],
] as const)('an answer %s is the same when it is asked for again', async ([, body, accept]) => {
  const first = lasting(await open.post(body, { accept }));
  expect(first.status).toBe(200);
  expect(lasting(await open.post(body, { accept }))).toEqual(first);
  expect(lasting(await open.post(body, { accept }))).toEqual(first);
});

test('an answer by GET is the same when it is asked for again, and by HEAD it has the same headers', async () => {
  const target = `/graphql?query=${encodeURIComponent('{ product(id: 1) { name } }')}`;
  const first = lasting(await open.request('GET', target));
  expect(first).toMatchObject({ status: 200, text: '{"data":{"product":{"name":"Bowl"}}}' });
  expect(lasting(await open.request('GET', target))).toEqual(first);
  expect(lasting(await open.request('HEAD', target)).headers).toEqual(first.headers);
});

test.for(['/api/product/1', '/api/product/list?categoryIds=1,2&limit=5', '/api/notice/page?pageSize=3'])(
  'an answer at %s is the same when it is asked for again, and by HEAD it has the same headers',
  async (target) => {
    const first = lasting(await open.get(target));
    expect(first.status).toBe(200);
    expect(lasting(await open.get(target))).toEqual(first);
    expect(lasting(await open.request('HEAD', target)).headers).toEqual(first.headers);
    expect(lasting(await open.request('OPTIONS', target))).toMatchObject({ status: 204, text: '' });
    expect((await open.request('POST', target)).status).toBe(405);
  },
);

test('without a token a request that was answered to others is refused all the same', async () => {
  const body = { query: '{ product(id: 1) { name } }' };
  const target = '/api/product/hot?limit=3';
  for (const _ of [1, 2]) {
    expect((await closed.post(body, WITH_TOKEN)).status).toBe(200);
    expect((await closed.post(body)).status).toBe(401);
    expect((await closed.get(target, WITH_TOKEN)).status).toBe(200);
    expect((await closed.get(target)).status).toBe(401);
  }
});

test('what has changed since a request was first made, or is gone, is so in its answer', async () => {
  const ask = async (statement: string): Promise<unknown> => {
    await database.sql(statement);
    return [
      (await open.post('{"query":"{ product(id: 1) { stock } }"}')).text,
      (await open.get('/api/product/1')).status,
    ];
  };
  expect(await ask('update product set stock = 5')).toEqual(['{"data":{"product":{"stock":5}}}', 200]);
  expect(await ask(`update product set status = 'OFF_SALE'`)).toEqual(['{"data":{"product":null}}', 404]);
  expect(await ask(`update product set status = 'ON_SALE'`)).toEqual(['{"data":{"product":{"stock":5}}}', 200]);
});

test('each of many equal views is counted once', async () => {
  const id = await insertNotice(database);
  const body = { query: `{ notice(id: ${id}) { viewCount } }` };
  for (const viewCount of [1, 2, 3]) expect((await open.post(body)).json).toEqual({ data: { notice: { viewCount } } });
  expect(await stored(database, id)).toBe(3);
});
