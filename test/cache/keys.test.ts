import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { loadRestOperations, textOf } from '../../src/rest/documents.ts';
import { type CachedResponse, createTestGateway, type TestGateway } from '../support/gateway.ts';
import { createRestShop } from '../support/rest-shop.ts';
import { insertNotice } from '../support/rows.ts';
import { schema } from '../support/schema.ts';
import { shared } from '../support/shared.ts';

const shop = await shared(createRestShop());
const gateway = shop.gateway;

const { post } = gateway;

const getGraphql = (parameters: Record<string, string>): Promise<CachedResponse> =>
  gateway.get(`/graphql?${new URLSearchParams(parameters)}`);

const LIST =
  'query L($ids: [Int!], $by: ProductOrder! = DEFAULT, $n: Int! = 20) { products(categoryIds: $ids, orderBy: $by, limit: $n) { id name } }';

const listBody = (variables: object) => ({ query: LIST, variables });

/** Asks in each way, and expects one and the same answer of which all but the first way cost no statement. */
const expectOneEntry = async (ways: readonly (() => Promise<CachedResponse>)[]): Promise<void> => {
  const [first, ...others] = ways;
  const expected = await first?.();
  expect(expected).toMatchObject({ status: 200, headers: { 'cache-status': 'vitrine; fwd=miss' } });
  const statements = await gateway.countStatements(async () => {
    for (const ask of others) {
      const answer = await ask();
      expect(answer.text).toBe(expected?.text);
      expect(answer.headers).toMatchObject({ etag: expected?.headers.etag, 'cache-status': 'vitrine; hit' });
    }
  });
  expect(statements).toBe(0);
};

describe('one entry answers', () => {
  test.for<[string, string[]]>([
    [
      'parameters in any order',
      [
        'product/list?categoryIds=1,2&orderBy=NEWEST&limit=5',
        'product/list?limit=5&categoryIds=1,2&orderBy=NEWEST',
        'product/list?orderBy=NEWEST&limit=5&categoryIds=1,2',
      ],
    ],
    [
      'a list with commas, repeated, or both, encoded or not',
      [
        'product/list?limit=6&categoryIds=1,2,3',
        'product/list?limit=6&categoryIds=1&categoryIds=2&categoryIds=3',
        'product/list?categoryIds=1&limit=6&categoryIds=2,3',
        'product/list?limit=6&categoryIds=1%2C2%2c3',
        'product/list?limit=6&category%49ds=%31,2,3',
      ],
    ],
    [
      'defaults, given, left out or left empty, and parameters nobody knows',
      [
        'product/list',
        'product/list?',
        'product/list?limit=20',
        'product/list?orderBy=DEFAULT&limit=20',
        'product/list?categoryIds=&orderBy=&limit=',
        'product/list?limit=020&utm_source=mail',
        'product/list?_=1732086000000',
      ],
    ],
    [
      'names of an order in any case',
      ['product/list?orderBy=PRICE_ASC', 'product/list?orderBy=price_asc', 'product/list?orderBy=Price_Asc'],
    ],
    ['an id with leading zeros', ['product/7', 'product/07', 'product/0000000007', 'product/%37']],
    ['a number however spelled', ['product/hot?limit=9', 'product/hot?limit=%2B9', 'product/hot?limit=0009']],
    [
      'a page',
      ['notice/page?keyword=notice&type=PROMOTION&pageNum=1', 'notice/page?type=promotion&keyword=notice&pageSize=10'],
    ],
  ])('%s', async ([, paths]) => {
    await expectOneEntry(paths.map((path) => () => gateway.get(`/api/${path}`)));
  });

  test('an operation by POST and by GET, whatever the order, white space and escapes of its JSON', async () => {
    const variables = '{ "n": 5, "ids": [1, 2] }';
    await expectOneEntry([
      () => post(listBody({ ids: [1, 2], n: 5 })),
      () => post(listBody({ n: 5, ids: [1, 2] })),
      () => post(`  {\n"variables":${variables},\t"query":${JSON.stringify(LIST)} }  `),
      () => post(`{"query":${JSON.stringify(LIST).replace('query', '\\u0071uery')},"variables":${variables}}`),
      () => post({ extensions: {}, query: LIST, variables: { ids: [1, 2], n: 5, unknown: 1 } }),
      () => getGraphql({ query: LIST, variables }),
      () => getGraphql({ variables: '{"ids":[1,2],"n":5}', query: LIST, x: 'y' }),
      () => gateway.request('HEAD', `/graphql?${new URLSearchParams({ query: LIST, variables })}`),
    ]);
  });

  test('variables left to their defaults and variables that say the same', async () => {
    await expectOneEntry([
      () => post(listBody({ ids: [1] })),
      () => post(listBody({ ids: [1], by: 'DEFAULT' })),
      () => post(listBody({ n: 20, by: 'DEFAULT', ids: [1] })),
      () => getGraphql({ query: LIST, variables: '{"ids":[1],"n":20}' }),
    ]);
  });
});

test('a question about the schema is answered from memory, by POST and by GET', async () => {
  const query = '{ __schema { queryType { name } } }';
  await expectOneEntry([() => post({ query }), () => post({ query, variables: {} }), () => getGraphql({ query })]);
});

describe('another entry answers', () => {
  const otherwise = async (ways: readonly (() => Promise<CachedResponse>)[]): Promise<void> => {
    for (const round of ['made', 'found']) {
      const answers = [];
      for (const ask of ways) answers.push(await ask());
      expect(new Set(answers.map(({ text }) => text)).size, round).toBe(ways.length);
    }
  };

  test('another operation of the same document', () => {
    const query = 'query A($id: Int!) { product(id: $id) { id } } query B($id: Int!) { product(id: $id) { slug } }';
    return otherwise(['A', 'B'].map((operationName) => () => post({ query, operationName, variables: { id: 7 } })));
  });

  test('another path, parameter or value', () =>
    otherwise(
      ['product/11', 'product/12', 'product/hot?limit=11', 'product/hot?limit=12', 'product/new?limit=12']
        .concat(['product/list?limit=12&categoryIds=1', 'product/list?limit=12&categoryIds=2', 'notice/list'])
        .concat(['notice/page?pageSize=1', 'notice/page?pageNum=2&pageSize=1', 'notice/page?keyword=100%25_of'])
        .map((path) => () => gateway.get(`/api/${path}`)),
    ));

  test('another operation of the same document, another variable of the same value, another alias', () => {
    const query =
      'query A($a: Int! = 1, $b: Int! = 2) { x: product(id: $a) { id } y: product(id: $b) { id } } query B { x: product(id: 3) { id } }';
    return otherwise([
      () => post({ query, operationName: 'A' }),
      () => post({ query, operationName: 'B' }),
      () => post({ query, operationName: 'A', variables: { a: 2 } }),
      () => post({ query, operationName: 'A', variables: { b: 1 } }),
      () => post({ query: query.replaceAll('y:', 'z:'), operationName: 'A' }),
      () => gateway.get('/api/product/1'),
    ]);
  });

  test('a keyword that looks like the rest of another request', () =>
    otherwise(
      ['Notice 1', 'Notice 1","type":"PROMOTION'].map(
        (keyword) => () => gateway.get(`/api/notice/page?pageSize=99&${new URLSearchParams({ keyword })}`),
      ),
    ));

  test('the very text of the document behind a path, requested by the other protocol', async () => {
    const operations = await loadRestOperations(schema, readConfig({}).queryMaxCost);
    const query = operations.flatMap(({ id, document }) => (id === 'Product' ? textOf(document) : []))[0];
    const [byRest, byGraphql] = [await gateway.get('/api/product/13'), await post({ query, variables: { id: 13 } })];
    expect(byGraphql.json).toEqual({ data: { product: byRest.json } });
  });

  test.for<[string, (accept: string) => Promise<CachedResponse>]>([
    ['GET', (accept) => gateway.get('/graphql?query={hotProducts(limit:3){id}}', { accept })],
    ['HEAD', (accept) => gateway.request('HEAD', '/graphql?query={hotProducts(limit:3){name}}', { accept })],
    ['POST', (accept) => post(listBody({ n: 3 }), { accept })],
  ])('another media type, in which the same bytes are another type, by %s', async ([, ask]) => {
    const TYPES = ['application/json', 'application/graphql-response+json'];
    for (const accept of [...TYPES, ...TYPES, ...TYPES]) {
      expect((await ask(accept)).headers['content-type']).toBe(`${accept}; charset=utf-8`);
    }
  });
});

describe('1,000 equal requests at once', () => {
  const thousand = (ask: (index: number) => Promise<CachedResponse>): Promise<CachedResponse[]> =>
    Promise.all(Array.from({ length: 1000 }, (_, index) => ask(index)));

  test.for<[string, (gateway: TestGateway) => (index: number) => Promise<CachedResponse>]>([
    [
      'for a path',
      (own) => (index) => own.get(index % 2 ? '/api/product/hot?limit=20' : '/api/product/hot?limit=%2B20'),
    ],
    ['for an operation', (own) => () => own.get('/graphql?query={hotProducts(limit:20){name,category{name}}}')],
  ])('%s run one execution, even with nothing kept', async ([, asking]) => {
    for (const environment of [{ FRESHNESS_MS: '1000' }, { FRESHNESS_MS: '1000', CACHE_MAX_MB: '0' }]) {
      await using alone = await createTestGateway(shop.database, environment);
      const one = await alone.countStatements(() => asking(alone)(0));
      await using own = await createTestGateway(shop.database, environment);
      let answers: CachedResponse[] = [];
      expect(await own.countStatements(async () => (answers = await thousand(asking(own))))).toBe(one);
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(200);
    }
  });

  test('for a notice are 1,000 views all the same', async () => {
    const id = await insertNotice(shop.database, { id: 7000 });
    const answers = await thousand(() => gateway.get(`/api/notice/${id}`));
    expect(new Set(answers.map(({ json }) => (json as { viewCount: number }).viewCount)).size).toBe(1000);
  });
});

test('with CACHE_MAX_MB=0 each request that comes alone is executed', async () => {
  await using own = await createTestGateway(shop.database, { CACHE_MAX_MB: '0' });
  for (const round of [1, 2, 3]) {
    const statements = await own.countStatements(async () => {
      expect((await own.get('/api/product/hot')).headers['cache-status'], `${round}`).toBe('vitrine; fwd=miss');
    });
    expect(statements).toBe(2);
  }
});
