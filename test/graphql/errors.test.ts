import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type CachedResponse, createTestGateway, type GraphqlResult, type TestGateway } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await createTestDatabase();
  const category_id = await insertCategory(database);
  await insertProduct(database, { category_id });
  gateway = await createTestGateway(database);
  return async () => {
    await gateway[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  };
});

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';

const post = (body: object, accept: string, to = gateway): Promise<CachedResponse> =>
  to.request('POST', '/graphql', { 'content-type': JSON_TYPE, accept }, JSON.stringify(body));

interface Operation {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

describe('what is refused before it runs has no data, 400 as graphql-response+json and 200 as json:', () => {
  test.for<[string, Operation, string, string]>([
    ['a document that ends early', { query: '{ notice(' }, 'GRAPHQL_PARSE_FAILED', 'Syntax Error'],
    ['a document of nothing', { query: '' }, 'GRAPHQL_PARSE_FAILED', 'Syntax Error'],
    ['an unknown field', { query: '{ nothing }' }, 'GRAPHQL_VALIDATION_FAILED', '"nothing"'],
    ['an unknown argument', { query: '{ products(size: 1) { id } }' }, 'GRAPHQL_VALIDATION_FAILED', '"size"'],
    ['an argument that is missing', { query: '{ product { id } }' }, 'GRAPHQL_VALIDATION_FAILED', 'product(id:)'],
    ['a literal of another type', { query: '{ product(id: "1") { id } }' }, 'GRAPHQL_VALIDATION_FAILED', 'Int'],
    ['an unknown enum value', { query: '{ products(orderBy: BEST) { id } }' }, 'GRAPHQL_VALIDATION_FAILED', '"BEST"'],
    ['an object without selections', { query: '{ products }' }, 'GRAPHQL_VALIDATION_FAILED', '"products"'],
    ['a mutation', { query: 'mutation { buy }' }, 'GRAPHQL_VALIDATION_FAILED', 'mutation'],
    ['an unknown subscription', { query: 'subscription { news }' }, 'GRAPHQL_VALIDATION_FAILED', 'Subscription'],
    [
      'a nullable variable where a value is needed',
      { query: 'query ($id: Int) { product(id: $id) { id } }', variables: { id: 1 } },
      'GRAPHQL_VALIDATION_FAILED',
      '"$id"',
    ],
    [
      'a variable of another type',
      { query: 'query ($id: Int!) { product(id: $id) { id } }', variables: { id: 'x' } },
      'BAD_USER_INPUT',
      '"$id"',
    ],
    [
      'a variable past 32 bits',
      { query: 'query ($id: Int!) { product(id: $id) { id } }', variables: { id: 2 ** 31 } },
      'BAD_USER_INPUT',
      '"$id"',
    ],
    [
      'a variable that is missing',
      { query: 'query ($id: Int!) { product(id: $id) { id } }' },
      'BAD_USER_INPUT',
      '"$id"',
    ],
    [
      'an enum variable that is none',
      { query: 'query ($by: ProductOrder!) { products(orderBy: $by) { id } }', variables: { by: 'best' } },
      'BAD_USER_INPUT',
      '"$by"',
    ],
  ])('%s', async ([, operation, code, part]) => {
    for (const [accept, status] of [
      [JSON_TYPE, 200],
      [GRAPHQL_TYPE, 400],
    ] as const) {
      const answer = await post(operation, accept);
      const { data, errors } = answer.json as GraphqlResult;
      expect({ status: answer.status, type: answer.headers['content-type'], data, errors }).toEqual({
        status,
        type: `${accept}; charset=utf-8`,
        data: undefined,
        errors: [expect.objectContaining({ message: expect.stringContaining(part), extensions: { code } })],
      });
    }
  });
});

describe('an argument that turns out wrong while its field runs', () => {
  test.for<[string, string, Operation, object]>([
    [
      'out of its range',
      'limit',
      { query: '{ products(limit: 0) { id } }' },
      { code: 'BAD_USER_INPUT', argument: 'limit' },
    ],
    [
      'null through a nullable variable',
      'limit',
      { query: 'query ($n: Int) { products(limit: $n) { id } }', variables: { n: null } },
      { code: 'BAD_USER_INPUT' },
    ],
    [
      'null for an enum through a nullable variable',
      'orderBy',
      { query: 'query ($by: ProductOrder) { products(orderBy: $by) { id } }', variables: { by: null } },
      { code: 'BAD_USER_INPUT' },
    ],
  ])('%s is bad input at its path, with the data that is left', async ([, argument, operation, extensions]) => {
    for (const accept of [JSON_TYPE, GRAPHQL_TYPE]) {
      const { status, json } = await post(operation, accept);
      expect({ status, json }).toEqual({
        status: 200,
        json: {
          data: null,
          errors: [
            {
              message: expect.stringContaining(argument),
              locations: expect.anything(),
              path: ['products'],
              extensions,
            },
          ],
        },
      });
    }
  });

  test('is not one where a nullable variable is absent: the default of the argument holds', async () => {
    const { data, errors } = await gateway.graphql('query ($n: Int) { products(limit: $n) { name } }', {});
    expect(errors).toBeUndefined();
    expect(data.products).toEqual([{ name: 'Product' }]);
  });
});

describe('suggestions', () => {
  const MISSPELT: Operation[] = [
    { query: '{ productz { id } }' },
    { query: '{ products(limitt: 1) { id } }' },
    { query: '{ products(orderBy: NEWESTT) { id } }' },
    { query: 'query ($by: ProductOrderr) { __typename }' },
    { query: '{ ...Al } fragment All on Query { __typename }' },
    { query: 'query ($by: ProductOrder!) { products(orderBy: $by) { id } }', variables: { by: 'NEWESTT' } },
  ];

  test('come with what is misspelt', async () => {
    for (const operation of MISSPELT.toSpliced(4, 1)) {
      expect((await post(operation, JSON_TYPE)).text).toContain('Did you mean');
    }
  });

  test('are left out with FIELD_SUGGESTIONS=false, and so is no error', async () => {
    await using quiet = await createTestGateway(database, { FIELD_SUGGESTIONS: 'false' });
    for (const operation of MISSPELT) {
      const { text, json } = await post(operation, JSON_TYPE, quiet);
      expect(text).not.toContain('Did you mean');
      expect((json as GraphqlResult).errors?.length).toBeGreaterThan(0);
    }
    expect((await post({ query: '{ productz { id } }' }, JSON_TYPE, quiet)).text).toContain('productz');
    expect((await post({ query: '{ productz { id } }' }, JSON_TYPE)).text).toContain('Did you mean');
  });
});

test('suggestions, which tell names of the schema, are left out with INTROSPECTION=false unless FIELD_SUGGESTIONS=true', async () => {
  const misspelt = { query: 'query ($by: ProductOrder!) { productz { id } }' };
  for (const [environment, isTold] of [
    [{ INTROSPECTION: 'false' }, false],
    [{ INTROSPECTION: 'false', FIELD_SUGGESTIONS: 'true' }, true],
    [{ INTROSPECTION: 'true', FIELD_SUGGESTIONS: 'false' }, false],
  ] as const) {
    await using other = await createTestGateway(database, environment);
    expect((await post(misspelt, JSON_TYPE, other)).text.includes('Did you mean')).toBe(isTold);
  }
});

describe('introspection', () => {
  const INTROSPECTIONS = [
    '{ __schema { queryType { name } } }',
    '{ __type(name: "Product") { name } }',
    '{ ...F } fragment F on Query { a: __schema { queryType { name } } }',
  ];

  test('is open', async () => {
    for (const query of INTROSPECTIONS) expect((await gateway.graphql(query)).errors).toBeUndefined();
  });

  test('is closed with INTROSPECTION=false, but for __typename', async () => {
    await using closed = await createTestGateway(database, { INTROSPECTION: 'false' });
    for (const query of INTROSPECTIONS) {
      const { data, errors } = await closed.graphql(query);
      expect(data).toBeUndefined();
      expect(errors?.[0]?.extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' });
    }
    expect(await closed.graphql('{ __typename products { __typename } }')).toEqual({
      data: { __typename: 'Query', products: [{ __typename: 'Product' }] },
    });
  });
});
