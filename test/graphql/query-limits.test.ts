import { extendSchema, GraphQLInt, getIntrospectionQuery, Kind, parse, print, visit } from 'graphql';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkCost } from '../../src/graphql/limits/cost.ts';
import { prepareOperation } from '../../src/graphql/operation.ts';
import { type CachedResponse, createTestGateway, type GraphqlResult, type TestGateway } from '../support/gateway.ts';
import { expectBadParameter } from '../support/rest-problem.ts';
import { createRestShop } from '../support/rest-shop.ts';
import { schema } from '../support/schema.ts';
import { shared } from '../support/shared.ts';

const shop = await shared(createRestShop());
// The least that an operator can set.
const gateway = await shared(createTestGateway(shop.database, { QUERY_MAX_COST: '1000' }));

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';

const post = (to: TestGateway, body: object, accept = JSON_TYPE): Promise<CachedResponse> => to.post(body, { accept });

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

const wrapped = (count: number, open: string, inner: string): string =>
  `${open.repeat(count)}${inner}${'}'.repeat(count)}`;

const ids = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

const aliases = (count: number): string => `{ ${times(count, (index) => `a${index}: __typename`)} }`;
const FIELDS_500 = `fragment F on Query ${aliases(500)}`;
const parents = (count: number): string => `{ ${wrapped(count, 'parent { ', 'id ')} }`;
const COST_999_9 = `${times(9, (index) => `a${index}: hotProducts(limit: 100) { id }`)} hotProducts(limit: 9) { id }`;
const names = (count: number): string => times(count, () => '__typename');
const PARENTS_19 = '.parent'.repeat(19);
const directives = (count: number): string => `{ ${times(count, (index) => `a${index}: __typename @skip(if: true)`)} }`;
const nestedFragments = (count: number): string =>
  `{ ...A } fragment A on Query { ${wrapped(count, '... { ', '...B ')} } fragment B on Query { ... { __typename } }`;
/** Spreads a fragment for the second time. */
const knownFragment = (count: number): string =>
  `{ categories { ...A ${wrapped(count, 'parent { ', '...A ')} } } fragment A on Category ${parents(17)}`;
const operations = (count: number): string =>
  `query A { ...F } query B { ...F } ${'query C { __typename }'.repeat(count)} ${FIELDS_500}`;
const manyFragments = (count: number): string =>
  `{ ${times(count, (i) => `...F${i}`)} } ${times(count, (i) => `fragment F${i} on Query { __typename }`)}`;

describe('a document is answered at the limit, and refused before anything is read past the limit, of', () => {
  test.for<[what: string, limit: string, maximum: number, at: number, textOf: (n: number) => string, field?: string]>([
    ['tokens', 'tokens', 2000, 666, aliases],
    ['directives, which are tokens', 'tokens', 2000, 199, directives],
    ['characters, blanks among them', 'characters', 32_000, 32_000, (n) => '{ __typename }'.padEnd(n)],
    ['comments', 'characters', 32_000, 32_000, (n) => '{ __typename }'.padEnd(n, '#\n')],
    ['braces', 'nesting', 40, 39, (n) => wrapped(n, '{ ... ', '{ __typename }')],
    ['fragments within fragments', 'nesting', 40, 36, nestedFragments],
    ['fields in fields', 'depth', 20, 18, (n) => `{ categories ${parents(n)} }`, `categories${PARENTS_19}.id`],
    ['fields in fields of a known fragment', 'depth', 20, 1, knownFragment, `categories${PARENTS_19}.id`],
    ['fields, fragments written out', 'fields', 1000, 0, (n) => `{ ...F ...F ${names(n)} } ${FIELDS_500}`],
    ['fields, all operations together', 'fields', 1000, 0, operations],
    ['fragments', 'fragments', 50, 50, manyFragments],
    ['selections of one field', 'repeats', 5000, 100, (n) => `{ ${names(n)} }`, '__typename'],
    [
      'cost',
      'QUERY_MAX_COST',
      1000,
      0,
      (n) => `{ ${COST_999_9} __typename ${'noticePage { total }'.repeat(n)} }`,
      'a0',
    ],
  ])('%s', async ([, limit, maximum, at, textOf, field]) => {
    const [within, past] = [textOf(at), textOf(at + 1)];
    const bodyOf = (query: string) => ({ query, ...(query.startsWith('query A') ? { operationName: 'A' } : {}) });
    const target = `/graphql?${new URLSearchParams(bodyOf(past))}`;
    const { errors } = (await post(gateway, bodyOf(within))).json as GraphqlResult;
    expect(errors).toBeUndefined();

    const statements = await gateway.countStatements(async () => {
      for (const [accept, ask] of [
        [JSON_TYPE, () => post(gateway, bodyOf(past))],
        [GRAPHQL_TYPE, () => post(gateway, bodyOf(past), GRAPHQL_TYPE)],
        ...(target.length > 8192 ? [] : ([[JSON_TYPE, () => gateway.get(target)]] as const)),
      ] as const) {
        const answer = await ask();
        expect(answer).toMatchObject({
          status: 400,
          headers: { 'content-type': `${accept}; charset=utf-8`, 'cache-control': 'no-store' },
        });
        const { data, errors: [error, ...others] = [] } = answer.json as GraphqlResult;
        expect({ data, others }).toEqual({ data: undefined, others: [] });
        expect(error?.message).toContain(maximum.toLocaleString('en-US'));
        expect(error?.extensions).toEqual({
          code: 'QUERY_TOO_COMPLEX',
          limit,
          maximum,
          actual: expect.any(Number),
          ...(field === undefined ? {} : { field }),
        });
        expect(error?.extensions.actual).toBeGreaterThan(maximum);
        if (field !== undefined && limit !== 'depth') expect(error?.message).toContain(`"${field}"`);
      }
    });
    expect(statements).toBe(0);
  });
});

describe('introspection', () => {
  const FULL = getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });
  /** The same, several times under aliases. */
  const several = (count: number): string =>
    print(
      visit(parse(FULL), {
        OperationDefinition: ({ selectionSet, ...operation }) => {
          const [schema] = selectionSet.selections;
          const selections = ids(count).map((n) => ({ ...schema, alias: { kind: Kind.NAME, value: `a${n}` } }));
          return { ...operation, selectionSet: { kind: Kind.SELECTION_SET, selections } };
        },
      }),
    );

  test('of the whole schema passes, twice in one operation even, but not three times', async () => {
    expect((await shop.gateway.graphql(FULL)).errors).toBeUndefined();
    const twice = await shop.gateway.graphql(several(2));
    expect(
      twice.errors,
      'introspection of the whole schema twice is refused: give it more room in src/graphql/limits/cost.ts',
    ).toBeUndefined();
    expect(twice.data.a1.types.length).toBeGreaterThan(15);
    const { errors } = await shop.gateway.graphql(several(3));
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', limit: 'introspection' });
  });

  test('of the whole schema passes twice, but not three times, however many fields Product is given', () => {
    for (const count of ids(20)) {
      const fields = times(count, (index) => `new${index}: String`);
      const larger = extendSchema(schema, parse(`extend type Product { ${fields} }`));
      const check = (text: string) => () => {
        const operation = prepareOperation(larger, parse(text));
        if (!operation) throw new Error('it has no operation');
        checkCost(operation.costOf(), 1000);
      };
      expect(check(FULL), `${count} more fields, once`).not.toThrow();
      expect(check(several(2)), `${count} more fields, twice`).not.toThrow();
      expect(check(several(3)), `${count} more fields, three times`).toThrow('units of cost for the schema');
    }
  });

  test('passes with the least that the cost may be', async () => {
    expect((await gateway.graphql(FULL)).errors).toBeUndefined();
  });

  test.for([
    '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
    `{ ${times(60, (index) => `a${index}: __schema { types { fields { args { type { name kind } } } } }`)} }`,
  ])('that goes round in circles is refused: %s', async (query) => {
    const { data, errors } = await shop.gateway.graphql(query);
    expect(data).toBeUndefined();
    expect(errors?.[0]?.extensions.code).toMatch(/QUERY_TOO_COMPLEX|GRAPHQL_VALIDATION_FAILED/);
  });
});

describe('a fragment within itself is refused as invalid', () => {
  test.for([
    '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
    '{ categories { ...A } } fragment A on Category { a: parent { ...A } b: parent { ...A } }',
    '{ __typename } fragment A on Category { children { ...A } }',
  ])('%s', async (query) => {
    const { status, json } = await post(shop.gateway, { query }, GRAPHQL_TYPE);
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { errors: [{ message: 'Cannot spread fragment "A" within itself.', locations: [{ line: 1 }] }] },
    });
    expect((json as GraphqlResult).errors?.[0]?.extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' });
  });
});

describe('variables', () => {
  const SLUG = 'query ($text: String!) { productBySlug(slug: $text) { id } }';

  test('may be texts as long as a body may be', async () => {
    expect(await shop.gateway.graphql(SLUG, { text: 'x'.repeat(1_000_000) })).toEqual({
      data: { productBySlug: null },
    });
  });

  const send = (variables: string): Promise<CachedResponse> =>
    gateway.post(`{"query":"{ __typename }","variables":{"x":${variables}}}`);
  /** Makes a value long enough to be looked into. */
  const LONG = ' '.repeat(70_000);

  test.for<[string, (size: number) => string, within: number]>([
    ['within each other', (size) => `${'['.repeat(size)}${LONG}${']'.repeat(size)}`, 62],
    ['beside each other', (size) => `[${'[],'.repeat(size)}1${LONG}]`, 9996],
    ['as keys of an object', (size) => `{${'"k":1,'.repeat(size)}"k":1${LONG}}`, 9996],
  ])('that no operation uses may be many %s, but not too many', async ([, textOf, within]) => {
    expect(await send(textOf(within))).toMatchObject({ status: 200, json: { data: { __typename: 'Query' } } });
    expect(await send(textOf(within + 1))).toMatchObject({
      status: 400,
      json: { errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: 'JSON' } }] },
    });
  });

  test('may hold brackets in their texts, and quotes before them', async () => {
    const query = 'query ($text: [Int!]) { products(categoryIds: $text) { id } }';
    const { errors } = await gateway.graphql(query, { text: ['\\"[[{:'.repeat(20_000)] });
    expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT' });
  });
});

describe('a list may be filtered by 1,000 ids, and no more,', () => {
  test('in GraphQL', async () => {
    const query = 'query ($ids: [Int!]) { products(categoryIds: $ids) { id } }';
    expect((await shop.gateway.graphql(query, { ids: ids(1000) })).data.products).toHaveLength(20);
    const statements = await shop.gateway.countStatements(async () => {
      const past = [
        [1001, 'Argument "categoryIds" may have at most 1000 items, but has 1001.', 'BAD_USER_INPUT'],
        [
          100_000,
          'Too many lists, objects, keys and items: 20,001, and there may be 20,000 (JSON).',
          'QUERY_TOO_COMPLEX',
        ],
      ] as const;
      for (const [count, message, code] of past) {
        const { errors } = await shop.gateway.graphql(query, { ids: ids(count) });
        expect(errors).toMatchObject([{ message, extensions: { code } }]);
      }
    });
    expect(statements).toBe(0);
  });

  test('and none of a far longer list is looked at before it is refused, nor is any id looked at again and again', async () => {
    const coercions = vi.spyOn(GraphQLInt, 'coerceInputValue');
    onTestFinished(() => coercions.mockRestore());
    const query = 'query ($ids: [Int!]) { products(categoryIds: $ids) { id } }';
    const coercionsOf = async (body: object): Promise<number> => {
      coercions.mockClear();
      await post(shop.gateway, body);
      return coercions.mock.calls.length;
    };
    const wrapped = { query: query.replace('[Int!]', '[[Int!]]'), variables: { ids: [ids(50_000)] } };
    for (const variables of [{ ids: ids(50_000) }, { ids: Array(50_000).fill('x') }]) {
      expect(await coercionsOf({ query, variables })).toBe(0);
    }
    // Of those that are none, a few: each error takes longer than a hundred ids.
    expect(await coercionsOf({ query, variables: { ids: Array(10_000).fill('x') } })).toBeLessThan(20);
    expect(await coercionsOf(wrapped)).toBe(0);
    expect(await coercionsOf({ query, variables: { ids: ids(500).map((id) => id + 1) } })).toBe(500);
    // One that fails beside it, and one that is not compiled: graphql-js looks at them itself.
    const failing = query.replace('}', '} failing: products(limit: 0) { id } }').replace(/ }$/, '');
    expect(await coercionsOf({ query: failing, variables: { ids: ids(400) } })).toBe(800);
    const included = query.replace('id }', 'id @include(if: true) }');
    expect(await coercionsOf({ query: included, variables: { ids: ids(400) } })).toBe(800);
  });

  test('however they come: in a URL, in the document, or as the default of a variable', async () => {
    const problem = {
      message: 'Argument "categoryIds" may have at most 1000 items, but has 1001.',
      extensions: { code: 'BAD_USER_INPUT', argument: 'categoryIds' },
    };
    const list = JSON.stringify(ids(1001));
    const search = new URLSearchParams({
      query: 'query ($ids: [Int!]) { products(categoryIds: $ids) { id } }',
      variables: JSON.stringify({ ids: ids(1001) }),
    });
    const answers = [
      await shop.gateway.get(`/graphql?${decodeURIComponent(String(search)).replaceAll('+', '%20')}`),
      await post(shop.gateway, { query: `{ products(categoryIds: ${list}) { id } }` }),
      await post(shop.gateway, { query: `query ($ids: [Int!] = ${list}) { products(categoryIds: $ids) { id } }` }),
    ];
    for (const { json } of answers) expect((json as GraphqlResult).errors).toMatchObject([problem]);
  });

  test('in REST', async () => {
    const get = (count: number) => shop.gateway.get(`/api/product/list?categoryIds=${ids(count).join(',')}&limit=100`);
    expect((await get(1000)).json).toHaveLength(30);
    expectBadParameter(
      await get(1001),
      'categoryIds',
      'Parameter "categoryIds" may have at most 1000 items, but has 1001.',
    );
  });
});

describe('what a list really brings is counted, too:', () => {
  test('one list alone is answered, however long it is, but not twice', async () => {
    await using other = await createRestShop();
    await other.database.sql(
      `insert into notice (id, title, content) select 1000 + n, 'N' || n, '' from generate_series(1, 1001) n`,
    );
    await using narrow = await createTestGateway(other.database, { QUERY_MAX_COST: '1000' });
    expect((await narrow.get('/api/notice/list')).json).toHaveLength(1026);
    const { errors } = await narrow.graphql('{ notices { id } again: notices { id } }');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', maximum: 1000, field: 'Query.notices' });
  });

  test('an operation is given up where a list is far longer than was assumed', async () => {
    await using other = await createRestShop();
    await other.database.sql(
      `insert into category (id, parent_id, name, slug) select n, 1, 'Child', 'child-' || n from generate_series(101, 140) n`,
    );
    await using narrow = await createTestGateway(other.database, { QUERY_MAX_COST: '2000' });
    const { data, errors } = await narrow.graphql('{ category(id: 1) { children { parent { children { id } } } } }');
    expect(errors).toBeUndefined();
    expect(data.category.children[39].parent.children).toHaveLength(40);
    // An error elsewhere makes the operation run a second time, whose rows are not added to those of the first.
    const partial = await narrow.graphql(
      `{ category(id: 1) { children { parent { children { id } } } }
         failing: category(id: 101) { parent { children { parent { products(limit: 0) { id } } } } } }`,
    );
    expect(partial.errors?.[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT', argument: 'limit' } });
    expect(partial.data.category).toEqual(data.category);
    expect(partial.data.failing.parent.children[39]).toEqual({ parent: null });
    // Each of 40 children has a parent with 40 children, of whom each has a parent with 40 children.
    const deep: GraphqlResult = await narrow.graphql(
      '{ category(id: 1) { children { parent { children { parent { children { id } } } } } } }',
    );
    expect(deep).toEqual({
      errors: [
        {
          message: expect.stringContaining('2,000'),
          locations: expect.anything(),
          path: expect.anything(),
          extensions: {
            code: 'QUERY_TOO_COMPLEX',
            limit: 'QUERY_MAX_COST',
            maximum: 2000,
            actual: expect.any(Number),
            field: 'Category.children',
          },
        },
      ],
    });
  });
});
