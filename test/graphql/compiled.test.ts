import fc from 'fast-check';
import { type ExecutionResult, execute, type GraphQLField, parse, validate } from 'graphql';
import { pino } from 'pino';
import { beforeAll, expect, test } from 'vitest';
import { createBrowse } from '../../src/browse/browse.loader.ts';
import { Dependencies } from '../../src/cache/dependencies.ts';
import { TagVersions } from '../../src/cache/tags.ts';
import { createClock } from '../../src/database/clock.ts';
import { connectionConfig } from '../../src/database/connection.ts';
import { createPool, createPrisma } from '../../src/database/pool.ts';
import { createSql } from '../../src/database/sql.ts';
import { FEATURES } from '../../src/features.ts';
import { createContextFactory, type OperationContext } from '../../src/graphql/context.ts';
import { prepareOperation } from '../../src/graphql/operation.ts';
import { Languages } from '../../src/language/languages.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { randomQuery } from '../support/random-query.ts';
import { schema } from '../support/schema.ts';

// Whatever the tables can hold: nulls, quotes and controls, numbers past 2^31, fractions of a second, no rows.
const ROWS = [
  `insert into category (id, parent_id, name, slug, image_url, position) values
   (1, null, 'Größe "x"', 'a', '/i.svg', 2), (2, null, 'Empty', 'b', null, 1), (3, 1, E'Tab\\t\\n\\u2028', 'c', null, 0),
   (4, 1, '🍵', 'd', null, 0), (5, 3, '', 'e', '', 0)`,
  `insert into product (id, category_id, name, slug, subtitle, description, brand, tags, price, list_price, currency, stock, sales, image_urls, published_at)
   select n, (array[1, 3, 4, 5])[1 + n % 4], 'P' || n, 'p' || n, case when n % 3 = 0 then '' end, repeat('"\\', n % 3), case when n % 2 = 0 then 'ö' end,
          case when n % 4 = 0 then array['a', '', '"'] else '{}' end, n * 0.1, case when n % 2 = 0 then 999999999999.99 end, 'EUR', n % 2, n % 3,
          case when n % 5 = 0 then array['/x'] else '{}' end, timestamptz '2020-01-01 00:00:00.123456Z' + n * interval '1 day'
   from generate_series(1, 16) n`,
  `insert into notice (id, type, level, title, summary, content, pinned, starts_at, ends_at, view_count)
   select n, (enum_range(null::notice_type))[1 + n % 3], (enum_range(null::notice_level))[1 + n % 3], 'N' || n, case when n % 2 = 0 then 'ö' end, '%', n = 3,
          timestamptz '2020-01-01Z' + n * interval '1 hour', case when n % 3 = 0 then timestamptz '9000-01-01Z' end, 9007199254740991 - n
   from generate_series(1, 7) n`,
];

// None of the random queries is to be refused for what it might cost.
const MAX_COST = 1_000_000_000;

let gateway: TestGateway;
let createContext: () => OperationContext;

beforeAll(async () => {
  const database = await createTestDatabase();
  for (const row of ROWS) await database.sql(row);
  gateway = await createTestGateway(database, { CACHE_MAX_MB: '0', QUERY_MAX_COST: String(MAX_COST) });
  const pool = createPool({
    connection: connectionConfig(database.url),
    size: 5,
    timeoutMs: 20_000,
    log: pino({ level: 'silent' }),
  });
  const prisma = await createPrisma(pool);
  const sql = createSql(pool);
  const clock = createClock();
  const create = createContextFactory({
    features: [...FEATURES, createBrowse()],
    lateSources: new Map(),
    prisma,
    sql,
    clock,
    languages: new Languages([]),
    maxRows: MAX_COST,
  });
  createContext = () => create(new Dependencies(new TagVersions(FEATURES)));
  return async () => {
    await prisma.$disconnect();
    await pool.end();
    await gateway[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  };
});

/** What the reference executor makes of it. */
const executed = async (text: string, variableValues: Record<string, unknown>): Promise<ExecutionResult> =>
  execute({ schema, document: parse(text), contextValue: createContext(), variableValues });

const viaHttp = async (query: string, variables: Record<string, unknown>): Promise<string> =>
  (await gateway.post({ query, variables })).text;

/** Of several items of a list that fail alike, one is told, and which is nobody's promise: https://spec.graphql.org/draft/#sec-Handling-Execution-Errors */
const faultsOf = ({ data, errors = [] }: Pick<ExecutionResult, 'data' | 'errors'>): string[] => {
  const faults = errors.map(({ message, path = [] }) => {
    let value: unknown = data;
    const place: (string | number)[] = [];
    for (const step of path) {
      if (value === null) break;
      value = (value as Record<string | number, unknown>)[step];
      place.push(step);
    }
    const names = place.filter((step) => typeof step === 'string').join('.');
    return place.length === path.length ? `${names}: ${message}` : `${names} became null`;
  });
  // Of several fields below a parent that becomes null, an executor gives the errors that it meets before it gives up, one or more.
  return faults.filter((fault, index) => !fault.endsWith(' became null') || faults.indexOf(fault) === index).sort();
};

/** As fields of Pothos' Prisma plugin do, of models that are added. They are executed by the reference executor. */
const readsInfo = ({ resolve }: GraphQLField<unknown, unknown>): boolean => (resolve?.length ?? 0) > 3;

test('what a compiled operation writes is, byte for byte, what the reference executor gives', async () => {
  let compiledRuns = 0;
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const { text, variables } = randomQuery(schema, g, { faults: 0, without: readsInfo });
      const document = parse(text);
      expect(validate(schema, document), text).toEqual([]);
      const operation = prepareOperation(schema, document);
      const coerced = operation?.coerce(variables).variableValues;
      const { data, errors } = await executed(text, variables);
      expect(errors, text).toBeUndefined();
      if (!operation?.compiled || !coerced) throw new Error(`it is not compiled: ${text}`);
      compiledRuns += 1;
      expect(await operation.compiled(coerced, createContext()), text).toBe(JSON.stringify(data));
    }),
    { numRuns: 100, endOnFailure: true },
  );
  expect(compiledRuns).toBeGreaterThanOrEqual(100);
});

test('documents that select the same with other arguments, defaults or names each have their own answer', async () => {
  const shelf = (operation: string, limit: string, field = 'name'): string =>
    `query ${operation} { hotProducts(limit: ${limit}) { id ${field} category { id products(limit: ${limit}) { id } } } }`;
  const texts = [
    shelf('A($n: Int! = 2)', '$n'),
    shelf('B($n: Int! = 3)', '$n'),
    shelf('C($n: Int = 4)', '$n'),
    shelf('D($other: Int! = 2)', '$other'),
    shelf('E', '1'),
    shelf('F', '2'),
    shelf('G', '2', 'name: slug'),
  ];
  const answers = new Set<string>();
  for (const text of [...texts, ...texts]) {
    const operation = prepareOperation(schema, parse(text));
    const coerced = operation?.coerce({}).variableValues;
    if (!operation?.compiled || !coerced) throw new Error(`it is not compiled: ${text}`);
    const answer = await operation.compiled(coerced, createContext());
    expect(answer, text).toBe(JSON.stringify((await executed(text, {})).data));
    answers.add(answer);
  }
  // Of A, D and F there is one.
  expect(answers.size).toBe(texts.length - 2);
});

test('an operation that goes wrong has the errors of the reference executor, and its data', async () => {
  let failures = 0;
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const { text, variables } = randomQuery(schema, g, { faults: 20, without: ({ name }) => name === 'notice' });
      const expected = await executed(text, variables);
      const answer = await viaHttp(text, variables);
      if (!expected.errors) {
        expect(answer, text).toBe(JSON.stringify(expected));
        return;
      }
      failures += 1;
      const { errors, data } = JSON.parse(answer);
      expect(JSON.stringify(data), text).toBe(JSON.stringify(expected.data));
      expect(faultsOf({ data, errors }), text).toEqual(faultsOf(expected));
    }),
    { numRuns: 150, endOnFailure: true },
  );
  expect(failures).toBeGreaterThan(20);
});

test.for<[string, Record<string, unknown>]>([
  ['{ __schema { types { name fields { name args { name defaultValue } } } } }', {}],
  ['{ a: __type(name: "Notice") { name } categories { name __typename } }', {}],
  ['query ($yes: Boolean!) { categories { name @skip(if: $yes) slug @include(if: $yes) } }', { yes: true }],
  ['query ($yes: Boolean!) { categories { name @skip(if: $yes) slug @include(if: $yes) } }', { yes: false }],
  [
    'query ($yes: Boolean!) { ...F @include(if: $yes) hotProducts(limit: 1) { name } } fragment F on Query { categories { id } }',
    { yes: false },
  ],
])('what is not compiled is answered as well: %s', async ([text, variables]) => {
  const document = parse(text);
  const operation = prepareOperation(schema, document);
  expect([operation === undefined, operation?.compiled]).toEqual([false, undefined]);
  expect(await viaHttp(text, variables)).toBe(JSON.stringify(await executed(text, variables)));
});

test.for<[string, Record<string, unknown>]>([
  ['query ($one: Int!) { products(categoryIds: [1, $one], limit: 3) { name } }', { one: 3 }],
  [
    'query ($brand: String!, $least: Decimal) { productSearch(filter: { brands: [$brand], minPrice: $least }) { totalCount } }',
    { brand: 'None' },
  ],
])('an operation with a variable inside of a literal is compiled, too: %s', async ([text, variables]) => {
  expect(prepareOperation(schema, parse(text))?.compiled).toBeDefined();
  expect(await viaHttp(text, variables)).toBe(JSON.stringify(await executed(text, variables)));
});

test('arguments and keys with the names of what every object has are theirs alone', async () => {
  const text =
    'query ($constructor: Int, $__proto__: NoticeType, $toString: [Int!]) { __proto__: hotProducts(limit: $constructor) { valueOf: id } noticePage(type: $__proto__) { total } products(categoryIds: $toString, limit: 1) { constructor: name } }';
  for (const variables of [{}, { constructor: 2 }, JSON.parse('{ "__proto__": "PROMOTION", "toString": [3] }')]) {
    const expected = await executed(text, variables);
    expect(expected.errors).toBeUndefined();
    expect(await viaHttp(text, variables)).toBe(JSON.stringify(expected));
  }
});
