import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { readStream, untilShown } from '../support/events.ts';
import { createTestGateway, handle, JSON_HEADERS } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { listen, postTo } from '../support/socket.ts';
import { stored } from '../support/views.ts';

const database = await shared(createTestDatabase());
await insertProduct(database, { category_id: await insertCategory(database), slug: 'tasse-größe', name: 'Größe 🍵' });
await insertNotice(database, { id: 1 });
const gateway = await shared(createTestGateway(database));
const server = await shared(listen(gateway));

const BOTH_TYPES = ['application/json', 'application/graphql-response+json'];

const get = (parameters: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}/graphql?${new URLSearchParams(parameters)}`, { headers });

const post = (body: object, headers?: Record<string, string>): Promise<Response> => postTo(server, body, headers);

const persistedQuery = (text: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: hash('sha256', text) } },
});

const QUERY = 'query Other { __typename } query BySlug($slug: String!) { productBySlug(slug: $slug) { name } }';
const VARIABLES = { slug: 'tasse-größe' };
const DATA = { data: { productBySlug: { name: 'Größe 🍵' } } };

describe('an operation', () => {
  test.for(BOTH_TYPES)('comes by GET and by POST and is answered as %s', async (accept) => {
    for (const response of [
      await get({ query: QUERY, variables: JSON.stringify(VARIABLES), operationName: 'BySlug' }, { accept }),
      await post({ query: QUERY, variables: VARIABLES, operationName: 'BySlug', extensions: { x: 1 } }, { accept }),
    ]) {
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
      expect(response.headers.get('vary')).toContain('accept');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(await response.json()).toEqual(DATA);
    }
  });

  test.for([
    ['application/graphql-response+json, application/json;q=0.9', 'application/graphql-response+json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['', 'application/json'],
    ['application/json; charset=UTF-8', 'application/json'],
    ['application/json;q=0.5, application/graphql-response+json', 'application/graphql-response+json'],
    ['*/*, application/json;q=0', 'application/graphql-response+json'],
    ['multipart/mixed, application/graphql-response+json;q=0.1', 'application/graphql-response+json'],
    ['text/event-stream, multipart/mixed;deferSpec=20220824, application/json', 'application/json'],
    ['Application/JSON', 'application/json'],
  ] as const)('asked for with "accept: %s" is answered as %s', async ([accept, type]) => {
    expect((await post({ query: '{ __typename }' }, { accept })).headers.get('content-type')).toBe(
      `${type}; charset=utf-8`,
    );
  });

  test('may have no variables and no name, or null for them', async () => {
    const expected = { data: { __typename: 'Query' } };
    expect(await (await get({ query: '{ __typename }', variables: '', operationName: '' })).json()).toEqual(expected);
    expect(
      await (await post({ query: '{ __typename }', variables: null, operationName: null, extensions: null })).json(),
    ).toEqual(expected);
  });

  test.for([
    ['a text', (query: string) => ({ query })],
    ['an automatic persisted query', (query: string) => ({ query, ...persistedQuery(query) })],
    ['an id', (query: string) => persistedQuery(query)],
  ] as const)(
    'by %s, with an empty name is the operation without a name, whatever was sent before',
    async ([how, of]) => {
      const one = `{ __typename } # ${how}`;
      const named = `query Named { __typename } # ${how}`;
      const two = `query A { __typename } query B { __typename } # ${how}`;
      for (const query of [one, named, two]) if (how === 'an id') await post({ query, ...persistedQuery(query) });
      // The document is new, then known without a name.
      for (const operationName of ['', undefined, '', null, '']) {
        for (const query of [one, named]) {
          expect(await (await post({ ...of(query), operationName })).json()).toEqual({ data: { __typename: 'Query' } });
        }
        const refused = await (await post({ ...of(two), operationName })).json();
        expect(refused).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
      }
      const parameters = (query: string): Record<string, string> =>
        Object.fromEntries(
          Object.entries(of(query)).map(([name, value]) => [
            name,
            typeof value === 'string' ? value : JSON.stringify(value),
          ]),
        );
      for (const query of [one, named]) {
        const response = await get({ ...parameters(query), operationName: '' });
        expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
      }
    },
  );

  test('that is a subscription may have an empty name', async () => {
    for (const query of ['subscription { notices { id } }', 'subscription Named { notices { id } }']) {
      const response = await post({ query, operationName: '' }, { accept: 'text/event-stream' });
      const events = readStream(response);
      await untilShown(events, { notices: [{ id: 1 }] });
      await events.leave();
    }
  });

  test.for([
    ['variables that are no JSON', { query: '{ __typename }', variables: '{' }],
    ['extensions that are no JSON', { query: '{ __typename }', extensions: 'nope' }],
    ['variables that are a list', { query: '{ __typename }', variables: '[1]' }],
    ['variables that are a text', { query: '{ __typename }', variables: '"x"' }],
    ['no query', { variables: '{}' }],
  ] as [string, Record<string, string>][])('by GET with %s is refused with 400', async ([, parameters]) => {
    for (const accept of BOTH_TYPES) {
      const response = await get(parameters, { accept });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        errors: [{ message: expect.any(String), extensions: { code: 'BAD_USER_INPUT' } }],
      });
    }
  });

  test.for(['query', 'operationName', 'variables', 'extensions'])('by GET with "%s" twice is refused', async (name) => {
    const others = name === 'query' ? '' : 'query={__typename}&';
    const response = await fetch(`${server.url}/graphql?${others}${name}={__typename}&${name}={}`);
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        errors: [
          { message: `The query parameter "${name}" is given more than once.`, extensions: { code: 'BAD_USER_INPUT' } },
        ],
      },
    ]);
  });

  test('that is a mutation is refused by GET with 405', async () => {
    const response = await get({ query: 'mutation { buy }' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  test('that has no document is refused with 400, without a word about methods', async () => {
    const response = await get({});
    expect([response.status, response.headers.get('allow')]).toEqual([400, null]);
  });
});

describe('the path /graphql', () => {
  test.for(['PUT', 'DELETE', 'PATCH'])('refuses %s and says what it takes', async (method) => {
    const response = await fetch(`${server.url}/graphql`, { method, body: '{"query":"{ __typename }"}' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST, QUERY, OPTIONS');
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'METHOD_NOT_ALLOWED' } }] });
  });

  test('answers OPTIONS with what it takes', async () => {
    const response = await fetch(`${server.url}/graphql`, { method: 'OPTIONS' });
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, QUERY, OPTIONS']);
    expect(await response.text()).toBe('');
  });

  test('leaves the headers of a request as they came: its caller may use them again', async () => {
    const headers = Object.freeze({ ...JSON_HEADERS });
    const request = { method: 'POST', target: '/graphql', headers, body: '{"query":"{ unread: __typename }"}' };
    expect(await handle(gateway.app, request)).toMatchObject({ status: 200 });
  });

  test('answers HEAD as GET, without the body', async () => {
    const url = `${server.url}/graphql?${new URLSearchParams({ query: '{ products { name } }' })}`;
    const [head, full] = [await fetch(url, { method: 'HEAD' }), await fetch(url)];
    expect(head.status).toBe(200);
    for (const name of ['content-type', 'content-length', 'cache-control', 'vary']) {
      expect(head.headers.get(name), name).toBe(full.headers.get(name));
    }
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(await full.text())));
    expect(await head.text()).toBe('');
  });

  test.for(['/graphql/', '/GraphQL', '/graphql/x', '/graphqlx', '/x/graphql'])('is not %s', async (path) => {
    const response = await fetch(`${server.url}${path}?query={__typename}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' });
  });

  test.for(['/health', '/graphql'])('is the same with an address that ends in %s', async (end) => {
    const response = await fetch(`${server.url}/graphql?query={__typename}&x=${end}`);
    expect([response.status, await response.json()]).toEqual([200, { data: { __typename: 'Query' } }]);
  });

  test('takes a target of 8,192 characters and no longer one', async () => {
    const targetOf = (length: number): string => '/graphql?query={__typename}&x='.padEnd(length, 'x');
    expect((await fetch(server.url + targetOf(8192))).status).toBe(200);
    const response = await fetch(server.url + targetOf(8193));
    expect(response.status).toBe(414);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'URI_TOO_LONG' } }] });
  });
});

describe('a client that accepts neither JSON nor events', () => {
  const TOKEN = 'a-token-0123456789';
  const OPERATIONS = [
    '{ notice(id: 1) { viewCount } }',
    '{ products { name } }',
    '{ products(limit: 0) { name } }',
    '{ nothing }',
    '{',
  ];

  test.for([
    'multipart/mixed',
    'text/event-stream;q=0',
    'text/plain',
    'text/*, image/png',
    'application/json;q=0',
    'application/json;q=0, application/graphql-response+json;q=0.0, */*;q=0',
    'application/json; charset=utf-16',
    'json',
    ',',
  ])('as by "accept: %s" is refused with 406, and nothing is executed or counted', async (accept) => {
    await using restricted = await createTestGateway(database, { ACCESS_TOKENS: TOKEN });
    for (const [to, more] of [
      [gateway, {}],
      [restricted, {}],
      [restricted, { authorization: `Bearer ${TOKEN}` }],
    ] as const) {
      const headers = { accept, ...more };
      const statements = await to.countStatements(async () => {
        for (const query of OPERATIONS) {
          for (const answer of [
            await to.post({ query }, headers),
            await to.get(`/graphql?${new URLSearchParams({ query })}`, headers),
          ]) {
            expect({ ...answer, json: answer.json }, query).toMatchObject({
              status: 406,
              headers: {
                'content-type': 'application/json; charset=utf-8',
                'cache-control': 'no-store',
                vary: 'accept',
              },
              json: { errors: [{ extensions: { code: 'NOT_ACCEPTABLE' } }] },
            });
          }
        }
      });
      expect(statements).toBe(0);
    }
    expect(await stored(database, 1)).toBe(0);
  });

  test('learns first what is wrong with the type or the size of its body', async () => {
    const accept = 'text/plain';
    const statusOf = async (contentType: string, body: string): Promise<number> =>
      (await gateway.post(body, { accept, 'content-type': contentType })).status;
    expect(await statusOf('text/plain', '{}')).toBe(415);
    expect(await statusOf('application/json', '{}')).toBe(406);
  });
});

describe('an error', () => {
  test.for(BOTH_TYPES)('is labelled as %s where that was asked for, at whatever point it arose', async (accept) => {
    await using restricted = await createTestGateway(database, { ACCESS_TOKENS: 'a-token-0123456789' });
    for (const [to, status, body] of [
      [gateway, 400, '{'],
      [gateway, 400, '[]'],
      [gateway, 400, '{"query":"{ __typename }","variables":1}'],
      [gateway, 415, undefined],
      [restricted, 401, '{"query":"{ products { name } }"}'],
      [restricted, 401, '{"query":"{ products { nothing } }"}'],
    ] as const) {
      const contentType = body === undefined ? 'text/plain' : 'application/json';
      const answer = await to.post(body ?? '', { accept, 'content-type': contentType });
      expect([body, answer.status, answer.headers['content-type']]).toEqual([body, status, `${accept}; charset=utf-8`]);
    }
  });

  test.for(['[]', '[{"query":"{ __typename }"}]', '[1]'])('of a batch says what is wrong with it: %s', async (body) => {
    const answer = await gateway.post(body);
    expect([answer.status, answer.json]).toEqual([
      400,
      { errors: [{ message: 'Batching is not supported.', extensions: { code: 'BAD_USER_INPUT' } }] },
    ]);
  });

  test('has no header of a library that says how it is sent', async () => {
    for (const accept of [...BOTH_TYPES, 'multipart/mixed, */*;q=0.1', 'text/event-stream, */*;q=0.1']) {
      for (const query of ['{', '{ nothing }', '{ products(limit: 0) { name } }']) {
        const answer = await gateway.post({ query }, { accept });
        expect(Object.keys(answer.headers).sort()).toEqual([
          'cache-control',
          'content-type',
          'vary',
          'x-content-type-options',
          'x-request-id',
        ]);
        expect(answer.headers['content-type']).toMatch(/^application\/(graphql-response\+)?json; charset=utf-8$/);
        expect(answer.json).toMatchObject({ errors: [{ extensions: {} }] });
      }
    }
  });
});

describe('a browser', () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  test('that opens /graphql is shown GraphiQL', async () => {
    const response = await fetch(`${server.url}/graphql`, { headers: { accept } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('vary')).toContain('accept');
    expect(await response.text()).toMatch(/^<!doctype html>/i);
  });

  test('that prefers JSON to a page, or takes no page, is answered in JSON', async () => {
    for (const each of ['application/json, text/html;q=0.9', 'application/json, text/html;q=0']) {
      const response = await get({ query: '{ __typename }' }, { accept: each });
      expect(response.headers.get('content-type'), each).toBe('application/json; charset=utf-8');
    }
  });

  test('is answered in JSON with GRAPHIQL=false', async () => {
    await using plain = await createTestGateway(database, { GRAPHIQL: 'false' });
    const answer = await plain.get('/graphql?query={__typename}', { accept });
    expect(answer).toMatchObject({ status: 200, json: { data: { __typename: 'Query' } } });
    expect(answer.headers['content-type']).toMatch(/json/);
    const page = await plain.get('/graphql', { accept: 'text/html' });
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect(page.text).not.toMatch(/<html/i);
  });
});
