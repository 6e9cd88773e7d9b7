import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { type CachedResponse, createTestGateway, type GraphqlResult } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { stored as storedViews } from '../support/views.ts';

const [TOKEN, OTHER] = ['first-token-0123456789', 'second.token~+/0123=='];
const WITH_TOKEN = { authorization: `Bearer ${TOKEN}` };

const database = await shared(createTestDatabase());
const notice = await insertNotice(database);
await insertProduct(database, { id: 1, category_id: await insertCategory(database, { id: 1 }), slug: 'cup' });
const gateway = await shared(createTestGateway(database, { ACCESS_TOKENS: `${TOKEN}, ${OTHER}` }));
const { post } = gateway;

const stored = (): Promise<number> => storedViews(database, notice);

/** That an answer of GraphQL is a refusal, whole and with the way to mend it. */
const expectRefusal = ({ status, headers, json }: CachedResponse): void => {
  expect({ status, headers, json }).toEqual({
    status: 401,
    headers: expect.objectContaining({
      'www-authenticate': expect.stringMatching(/^Bearer realm="/),
      'cache-control': 'no-store',
    }),
    json: { errors: [{ message: expect.stringContaining('access token'), extensions: { code: 'UNAUTHENTICATED' } }] },
  });
};

const QUERIES = [
  'product(id: 1) { id }',
  'productBySlug(slug: "cup") { id }',
  'hotProducts { id }',
  'newProducts { id }',
  'products { id }',
  'category(id: 1) { id }',
  'categories { id }',
  'notices { id }',
  'noticePage { total }',
  '__schema { queryType { name } }',
  '__type(name: "Query") { name }',
];

const PATHS = ['product/1', 'product/hot', 'product/new', 'product/list', 'notice/list', 'notice/page'];

describe('without a token', () => {
  test.for(QUERIES)('GraphQL refuses { %s }, which a token opens', async (query) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      expectRefusal(await post({ query: `{ ${query} }` }, { accept }));
    }
    expectRefusal(await gateway.get(`/graphql?query=${encodeURIComponent(`{ ${query} }`)}`));
    expect((await gateway.request('HEAD', `/graphql?query=${encodeURIComponent(`{ ${query} }`)}`)).status).toBe(401);

    const { status, json } = await post({ query: `{ ${query} }` }, WITH_TOKEN);
    expect(status).toBe(200);
    expect((json as GraphqlResult).errors).toBeUndefined();
  });

  test.for(PATHS)('REST refuses /api/%s, which a token opens', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      expect(await gateway.request(method, `/api/${path}`)).toMatchObject({
        status: 401,
        headers: {
          'content-type': 'application/problem+json; charset=utf-8',
          'www-authenticate': expect.stringMatching(/^Bearer realm="/),
          'cache-control': 'no-store',
        },
        json: { status: 401, code: 'UNAUTHENTICATED' },
      });
      expect((await gateway.request(method, `/api/${path}`, WITH_TOKEN)).status).toBe(200);
    }
  });

  test('notice detail is open and counts, in both APIs', async () => {
    const before = await stored();
    expect(await post({ query: `{ __typename a: notice(id: ${notice}) { __typename viewCount } }` })).toMatchObject({
      status: 200,
      json: { data: { __typename: 'Query', a: { __typename: 'Notice', viewCount: before + 1 } } },
    });
    expect(await gateway.get(`/api/notice/${notice}`)).toMatchObject({ status: 200, json: { viewCount: before + 2 } });
    expect((await gateway.get('/api/notice/0')).status).toBe(404);
    expect(await stored()).toBe(before + 2);
  });

  test('health and the preflight are open', async () => {
    for (const path of ['/livez', '/readyz']) expect((await gateway.get(path)).status).toBe(200);
    for (const path of ['/graphql', '/api/product/hot']) {
      expect((await gateway.request('OPTIONS', path)).status).toBe(204);
    }
  });
});

describe('an operation of which a part needs a token is refused whole, and counts nothing:', () => {
  const DETAIL = `notice(id: ${notice}) { id }`;

  test.for<[string, query: string, more?: object]>([
    ['side by side', `{ ${DETAIL} hotProducts { id } }`],
    ['under an alias', `{ ${DETAIL} notice2: notices { id } }`],
    ['under the name of what is open', `{ a: ${DETAIL} notice: hotProducts { id } }`],
    ['under the name of a type', `{ ${DETAIL} __typename: notices { id } }`],
    ['in a fragment', `{ ${DETAIL} ...F } fragment F on Query { hotProducts { id } }`],
    [
      'in a fragment of one',
      `{ ...F } fragment G on Query { ... { notices { id } } } fragment F on Query { ${DETAIL} ...G }`,
    ],
    ['in an inline fragment', `{ ${DETAIL} ... on Query { ... { categories { id } } } }`],
    [
      'in the operation that runs',
      `query A { ${DETAIL} } query B { ${DETAIL} notices { id } }`,
      { operationName: 'B' },
    ],
    ['beside introspection', `{ ${DETAIL} __schema { queryType { name } } }`],
    [
      'where a variable includes it',
      `query ($yes: Boolean!) { ${DETAIL} notices @include(if: $yes) { id } }`,
      { variables: { yes: true } },
    ],
  ])('%s', async ([, query, more]) => {
    const body = { query, ...more };
    const before = await stored();
    expectRefusal(await post(body));
    expect(await stored()).toBe(before);
    const { status, json } = await post(body, WITH_TOKEN);
    expect({ status, errors: (json as GraphqlResult).errors }).toEqual({ status: 200, errors: undefined });
    expect(await stored()).toBe(before + 1);
  });

  test('but not by an operation of the document that does not run', async () => {
    const query = `query A { ${DETAIL} } query B { notices { id } }`;
    expect((await post({ query, operationName: 'A' })).status).toBe(200);
  });

  test('and a name that picks no operation runs none', async () => {
    const before = await stored();
    for (const operationName of ['', 'C', undefined, null]) {
      const { json } = await post({ query: `query A { ${DETAIL} } query B { notices { id } }`, operationName });
      expect((json as GraphqlResult).data).toBeUndefined();
    }
    const { json } = await post({ query: '{ notices { id } }', operationName: '' });
    expect((json as GraphqlResult).data).toBeUndefined();
    expect(await stored()).toBe(before);
  });
});

describe('of an invalid document nobody without a token learns a name of the schema,', () => {
  const DETAIL = `notice(id: ${notice}) { id }`;

  test.for<[string, query: string, more?: object]>([
    ['by a second operation', `query A { ${DETAIL} } query B { produc(id: 1) { id } }`, { operationName: 'A' }],
    ['by a fragment that is not used', `{ ${DETAIL} } fragment F on Product { nam }`],
    ['by a fragment that cannot be spread', `{ notice(id: ${notice}) { ...F } } fragment F on Product { nam }`],
    ['by an inline fragment', `{ notice(id: ${notice}) { ... on Product { nam } } }`],
    ['by the type of a variable', `query ($order: ProductOrde) { ${DETAIL} }`],
  ])('%s', async ([, query, more]) => {
    expectRefusal(await post({ query, ...more }));
    expect((await post({ query, ...more }, WITH_TOKEN)).text).toContain('GRAPHQL_VALIDATION_FAILED');
  });

  test('but of the public field one does', async () => {
    const { text } = await post({ query: `query ($id: Int!) { notice(id: $id) { titl } }`, variables: { id: notice } });
    expect(text).toContain('GRAPHQL_VALIDATION_FAILED');
    expect(text).toContain('title');
  });
});

describe('a token', () => {
  test.for([`Bearer ${TOKEN}`, `Bearer ${OTHER}`, `bearer ${TOKEN}`, `BEARER  ${OTHER}`])(
    'sent as "%s" opens',
    async (authorization) => {
      expect((await post({ query: '{ notices { id } }' }, { authorization })).status).toBe(200);
      expect((await gateway.get('/api/product/hot', { authorization })).status).toBe(200);
    },
  );

  test.for([
    '',
    'Bearer',
    'Bearer ',
    TOKEN,
    `Basic ${TOKEN}`,
    `Basic ${btoa(`user:${TOKEN}`)}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer ${TOKEN},${OTHER}`,
    `Bearer ${TOKEN}, ${OTHER}`,
    `Bearer "${TOKEN}"`,
    `Bearer ${TOKEN} ${OTHER}`,
    `XBearer ${TOKEN}`,
    'Bearer undefined',
  ])('sent as "%s" opens nothing', async (authorization) => {
    expectRefusal(await post({ query: '{ notices { id } }' }, { authorization }));
    expect((await gateway.get('/api/product/hot', { authorization })).status).toBe(401);
  });

  test('in the address opens nothing', async () => {
    for (const name of ['access_token', 'token', 'authorization']) {
      expect((await gateway.get(`/api/product/hot?${name}=${TOKEN}`)).status).toBe(401);
    }
  });

  test('is never in an answer nor in the log, whatever fails', async () => {
    await using ownDatabase = await createTestDatabase();
    await using own = await createTestGateway(ownDatabase, { ACCESS_TOKENS: TOKEN });
    await ownDatabase.sql('drop table product cascade');
    const answers = [
      await own.get('/api/product/hot', WITH_TOKEN),
      await own.get('/api/product/hot', { authorization: `Basic ${TOKEN}` }),
      await own.get('/graphql?query={hotProducts{id}}', WITH_TOKEN),
      await own.get('/graphql?query={', WITH_TOKEN),
      await own.request('PUT', '/graphql', WITH_TOKEN),
    ];
    expect(answers.map(({ status }) => status)).toEqual([500, 401, 500, 200, 405]);
    expect(own.logged.length).toBeGreaterThan(0);
    expect(JSON.stringify([own.logged, answers])).not.toContain(TOKEN);
  });
});

test('digests stand for their tokens, and open nothing themselves', async () => {
  const digestOf = (token: string): string => `sha256:${createHash('sha256').update(token).digest('hex')}`;
  const ACCESS_TOKENS = `${digestOf(TOKEN)}, ${digestOf(OTHER).toUpperCase().replace('SHA256', 'sha256')}`;
  await using own = await createTestGateway(database, { ACCESS_TOKENS });
  const statusOf = async (token: string): Promise<number> =>
    (await own.get('/api/notice/list', { authorization: `Bearer ${token}` })).status;
  for (const token of [TOKEN, OTHER]) {
    expect(await statusOf(token)).toBe(200);
    for (const wrong of [digestOf(token), digestOf(token).slice(7)]) expect(await statusOf(wrong)).toBe(401);
  }
});

test('without configured tokens everything is open', async () => {
  await using open = await createTestGateway(database);
  for (const query of QUERIES) expect((await open.graphql(`{ ${query} }`)).errors).toBeUndefined();
  for (const path of PATHS) expect((await open.get(`/api/${path}`)).status).toBe(200);
});

describe('who has no token learns only that one is needed,', () => {
  test('whatever is wrong with the request', async () => {
    for (const target of ['/api/product/list?limit=x&orderBy=y', '/api/product/99999999999', '/api/notice/page?%FF']) {
      expect(await gateway.get(target)).toMatchObject({ status: 401, json: { code: 'UNAUTHENTICATED' } });
    }
    for (const query of [
      '{ hotProducts { secretField } }',
      '{ notics { id } }',
      `{ notice(id: ${notice}) { id } ...F } fragment F on Query { products(limit: "x") { nme } }`,
    ]) {
      expectRefusal(await post({ query }));
      expect((await post({ query }, WITH_TOKEN)).text).toMatch(/Cannot query field/);
    }
    expect((await post({ query: `{ notice(id: ${notice}) { secretField } }` })).text).toContain('Cannot query field');
  });

  test('however many holders are being answered', async () => {
    const target = '/api/product/list?limit=7';
    const [granted, refused] = await Promise.all([gateway.get(target, WITH_TOKEN), gateway.get(target)]);
    expect([granted.status, refused.status]).toEqual([200, 401]);
  });
});
