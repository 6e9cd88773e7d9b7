import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, type GraphqlResult } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
await insertProduct(database, { category_id: await insertCategory(database) });
const gateway = await shared(createTestGateway(database));

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';

const post = (body: object, accept: string, to = gateway) => to.post(body, { accept });

interface Operation {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

describe('what is refused before it runs has no data, 400 as graphql-response+json and 200 as json:', () => {
  const [PARSING, VALIDATION, INPUT] = ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT'] as const;
  const BY_ID = 'query ($id: Int!) { product(id: $id) { id } }';

  test.for<[string, query: string, code: string, part: string, variables?: Record<string, unknown>]>([
    ['a document that ends early', '{ notice(', PARSING, 'Syntax Error'],
    ['a document of nothing', '', PARSING, 'Syntax Error'],
    ['an unknown field', '{ nothing }', VALIDATION, '"nothing"'],
    ['an unknown argument', '{ products(size: 1) { id } }', VALIDATION, '"size"'],
    ['an argument that is missing', '{ product { id } }', VALIDATION, 'product(id:)'],
    ['a literal of another type', '{ product(id: "1") { id } }', VALIDATION, 'Int'],
    ['an unknown enum value', '{ products(orderBy: BEST) { id } }', VALIDATION, '"BEST"'],
    ['an object without selections', '{ products }', VALIDATION, '"products"'],
    ['a mutation', 'mutation { buy }', VALIDATION, 'mutation'],
    ['an unknown subscription', 'subscription { news }', VALIDATION, 'Subscription'],
    ['a nullable variable where a value is needed', BY_ID.replace('!', ''), VALIDATION, '"$id"', { id: 1 }],
    ['a variable of another type', BY_ID, INPUT, '"$id"', { id: 'x' }],
    ['a variable past 32 bits', BY_ID, INPUT, '"$id"', { id: 2 ** 31 }],
    ['a variable that is missing', BY_ID, INPUT, '"$id"'],
    [
      'an enum that is none',
      'query ($by: ProductOrder!) { products(orderBy: $by) { id } }',
      INPUT,
      '"$by"',
      { by: 'x' },
    ],
  ])('%s', async ([, query, code, part, variables]) => {
    for (const [accept, status] of [
      [JSON_TYPE, 200],
      [GRAPHQL_TYPE, 400],
    ] as const) {
      const answer = await post({ query, variables }, accept);
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
  test.for<[string, string, query: string, variables?: Record<string, unknown>, more?: object]>([
    ['out of its range', 'limit', '{ products(limit: 0) { id } }', {}, { argument: 'limit' }],
    ['null by a variable', 'limit', 'query ($n: Int) { products(limit: $n) { id } }', { n: null }],
    ['null for an enum', 'orderBy', 'query ($by: ProductOrder) { products(orderBy: $by) { id } }', { by: null }],
  ])('%s is bad input at its path, with the data that is left', async ([, argument, query, variables, more]) => {
    const extensions = { code: 'BAD_USER_INPUT', ...more };
    for (const accept of [JSON_TYPE, GRAPHQL_TYPE]) {
      const { status, json } = await post({ query, variables }, accept);
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
    { query: 'query ($by: ProductOrder!) { products(orderBy: $by) { id } }', variables: { by: 'NEWESTT' } },
  ];

  test.for<[string, Record<string, string>, isTold: boolean]>([
    ['come with what is misspelt', {}, true],
    ['are left out with FIELD_SUGGESTIONS=false, and so is no error', { FIELD_SUGGESTIONS: 'false' }, false],
    ['tell names of the schema, and are left out with INTROSPECTION=false', { INTROSPECTION: 'false' }, false],
    ['come without introspection if they are to', { INTROSPECTION: 'false', FIELD_SUGGESTIONS: 'true' }, true],
  ])('%s', async ([, environment, isTold]) => {
    await using own = await createTestGateway(database, environment);
    for (const operation of MISSPELT) {
      const { text, json } = await post(operation, JSON_TYPE, own);
      expect(text.includes('Did you mean'), text).toBe(isTold);
      expect((json as GraphqlResult).errors?.length).toBeGreaterThan(0);
    }
  });
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
