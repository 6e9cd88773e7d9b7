import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { expect, test } from 'vitest';
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

const older = await shared(createTestGateway(database, {}, [failing]));

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

const TABLE: readonly (readonly [what: string, request: Request])[] = [
  ['has data and no errors', post(QUERY)],
  ['has data and errors', post(query('{ product(id: 1) { id } }'), { 'x-fail': 'field' })],
  ['has data that is null, and errors', post(query('{ hotProducts(limit: 0) { name } }'))],
  ['is a mutation by GET', ['GET', asked('mutation { buy }'), {}]],
  ['has an unsupported method', ['PUT', '/graphql', JSON_HEADERS, QUERY]],
  ['has an unsupported Content-Type', post(QUERY, { 'content-type': 'text/plain' })],
  ['has too large a target', ['GET', asked('{ __typename }'.padEnd(9000)), {}]],
  ['has a JSON body that cannot be parsed', post('{"query":')],
  ['has a body that is no object', post('7')],
  ['has no query', post('{"qeury":"{ __typename }"}')],
  ['has variables of the wrong shape', post(query(VARIABLE, { variables: [7] }))],
  ['has a document that cannot be parsed', post(query('{'))],
  ['does not pass validation', post(query('{ nothing }'))],
  [
    'costs too much',
    post(query('{ categories { products(limit: 100) { category { products(limit: 100) { id } } } } }')),
  ],
  ['has several operations and no name', post(query('query A { __typename } query B { __typename }'))],
  ['has a name that no operation has', post(query('query A { __typename }', { operationName: 'B' }))],
  ['has a variable that cannot be coerced', post(query(VARIABLE, { variables: { id: 'x' } }))],
  ['lacks a variable', post(query(VARIABLE))],
  ['fails by our fault before it runs', post(query('{ product(id: 1) { slug } }'), { 'x-fail': 'request' })],
];

test('clients get the status codes of the draft that they know', async () => {
  const statuses = async (accept: string): Promise<number[]> => {
    const all: number[] = [];
    for (const [, [method, target, headers, body]] of TABLE) {
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
