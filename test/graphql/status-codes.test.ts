import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, JSON_HEADERS } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
await insertProduct(database, { category_id: await insertCategory(database), name: 'Bowl' });

/** Fails where the header says so, as a resolver of others, or before anything runs. */
const failing: Plugin = {
  onExecute: ({ args: { contextValue }, setExecuteFn }) => {
    const fail = contextValue.request?.headers.get('x-fail');
    if (fail === 'request') throw new Error('broken');
    if (fail)
      setExecuteFn(() => ({ data: { product: null }, errors: [new GraphQLError(fail, { path: ['product'] })] }));
  },
};

const TOKEN = 'a-token-0123456789';
const [newer, older, restricted] = await Promise.all([
  shared(createTestGateway(database, { GRAPHQL_STATUS_CODES: '2026' }, [failing])),
  shared(createTestGateway(database, {}, [failing])),
  shared(createTestGateway(database, { GRAPHQL_STATUS_CODES: '2026', ACCESS_TOKENS: TOKEN })),
]);

const GRAPHQL = 'application/graphql-response+json';
const JSON_TYPE = 'application/json';
const query = (text: string, more: object = {}): string => JSON.stringify({ query: text, ...more });
const asked = (text: string): string => `/graphql?${new URLSearchParams({ query: text })}`;
const QUERY = query('{ product(id: 1) { name } }');
const VARIABLE = 'query ($id: Int!) { product(id: $id) { name } }';

type Request = readonly [method: string, target: string, headers: Record<string, string>, body?: string];

const post = (body: string, headers: Record<string, string> = {}): Request => [
  'POST',
  '/graphql',
  { ...JSON_HEADERS, ...headers },
  body,
];

// https://http-spec.graphql.org/September2026/#sec-Status-Codes
const TABLE: readonly (readonly [what: string, status: number, request: Request])[] = [
  ['has data and no errors', 200, post(QUERY)],
  ['has data and errors', 294, post(query('{ product(id: 1) { id } }'), { 'x-fail': 'field' })],
  ['has data that is null, and errors', 294, post(query('{ hotProducts(limit: 0) { name } }'))],
  ['is a mutation by GET', 405, ['GET', asked('mutation { buy }'), {}]],
  ['has an unsupported method', 405, ['PUT', '/graphql', JSON_HEADERS, QUERY]],
  ['has an unsupported Content-Type', 415, post(QUERY, { 'content-type': 'text/plain' })],
  ['has too large a target', 414, ['GET', asked('{ __typename }'.padEnd(9000)), {}]],
  ['has a JSON body that cannot be parsed', 400, post('{"query":')],
  ['has a body that is no object', 422, post('7')],
  ['has no query', 422, post('{"qeury":"{ __typename }"}')],
  ['has variables of the wrong shape', 422, post(query(VARIABLE, { variables: [7] }))],
  ['has a document that cannot be parsed', 400, post(query('{'))],
  ['does not pass validation', 422, post(query('{ nothing }'))],
  [
    'costs too much',
    422,
    post(query('{ categories { products(limit: 100) { category { products(limit: 100) { id } } } } }')),
  ],
  ['has several operations and no name', 422, post(query('query A { __typename } query B { __typename }'))],
  ['has a name that no operation has', 422, post(query('query A { __typename }', { operationName: 'B' }))],
  ['has a variable that cannot be coerced', 422, post(query(VARIABLE, { variables: { id: 'x' } }))],
  ['lacks a variable', 422, post(query(VARIABLE))],
  ['fails by our fault before it runs', 500, post(query('{ product(id: 1) { slug } }'), { 'x-fail': 'request' })],
];

describe('with GRAPHQL_STATUS_CODES=2026, a request that', () => {
  test.for(TABLE)('%s is answered with %i, whatever JSON the client takes', async ([, status, request]) => {
    const [method, target, headers, body] = request;
    for (const accept of [GRAPHQL, JSON_TYPE, undefined]) {
      const asking = accept === undefined ? headers : { ...headers, accept };
      const answer = await newer.request(method, target, asking, body);
      const type = accept === GRAPHQL || status >= 300 ? GRAPHQL : JSON_TYPE;
      expect([answer.status, answer.headers['content-type']]).toEqual([status, `${type}; charset=utf-8`]);
      expect(answer.json).toMatchObject(
        status === 200 ? { data: {} } : { errors: [{ extensions: { code: expect.any(String) } }] },
      );
      if (status !== 200) expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.text).not.toContain('"http"');
    }
  });

  test('takes no media type that there is is answered with 406', async () => {
    const answer = await newer.post(QUERY, { accept: 'text/plain' });
    expect([answer.status, answer.headers['content-type']]).toEqual([406, `${GRAPHQL}; charset=utf-8`]);
  });

  test('is not permitted is answered with 401', async () => {
    const answer = await restricted.post(QUERY);
    expect([answer.status, answer.headers['content-type']]).toEqual([401, `${GRAPHQL}; charset=utf-8`]);
    expect(answer.headers['www-authenticate']).toBeDefined();
  });

  test('takes events gets them as before', async () => {
    const answer = await newer.post(query('{ nothing }'), { accept: 'text/event-stream' });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });
});

test('without GRAPHQL_STATUS_CODES, clients get the codes that they know', async () => {
  const statuses = async (accept: string): Promise<number[]> => {
    const all: number[] = [];
    for (const [, , [method, target, headers, body]] of TABLE) {
      all.push((await older.request(method, target, { ...headers, accept }, body)).status);
    }
    return all;
  };
  expect(await statuses(GRAPHQL)).toEqual([
    200, 500, 200, 405, 405, 415, 414, 400, 400, 400, 400, 400, 400, 400, 400, 400, 400, 400, 500,
  ]);
  expect(await statuses(JSON_TYPE)).toEqual([
    200, 500, 200, 405, 405, 415, 414, 400, 400, 400, 400, 200, 200, 400, 400, 400, 200, 200, 500,
  ]);
});
