import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type ServingProcess, startGatewayProcess } from '../support/process.ts';
import { parseMetrics } from '../support/scrape.ts';

const MAX_BODY_BYTES = 1_048_576;

/** The processor time that a refusal may take: about ten times what it takes. */
const MAX_COST_MS = 500;

let database: TestDatabase;
let server: ServingProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startGatewayProcess({ DATABASE_URL: database.url });
  // What is loaded when it is first needed is no part of the cost of a refusal.
  for (const query of ['{ __typename }', '{ nothing }', '{']) await (await post(requestOf(query))).text();
  await processorMs();
  return async () => {
    await server[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  };
});

const requestOf = (query: string, variables?: unknown): string => JSON.stringify({ query, variables });

/** The largest body that repeating something makes. */
const largest = (bodyOf: (count: number) => string): string => {
  const bytes = (count: number): number => Buffer.byteLength(bodyOf(count));
  const count = Math.floor((MAX_BODY_BYTES - bytes(0)) / ((bytes(100_000) - bytes(0)) / 100_000));
  const body = bodyOf(count - 1);
  expect(Buffer.byteLength(body)).toBeGreaterThan(MAX_BODY_BYTES * 0.9);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_BODY_BYTES);
  return body;
};

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

const nested = (count: number, inner: string): string =>
  `${'products(limit: 100) { category { '.repeat(count)}${inner}${'}}'.repeat(count)}`;

/** The processor time that the gateway has used so far. */
const processorMs = async (): Promise<number> => {
  const response = await fetch(`${server.url}/metrics`);
  return parseMetrics(await response.text()).sum('process_cpu_seconds_total') * 1000;
};

/**
 * The processor time that the gateway uses for something. Unlike the time on the clock, it does not grow with what else the machine does; for
 * no longer than this can the event loop be held up.
 */
const costOf = async (action: () => Promise<unknown>): Promise<number> => {
  const beforeMs = await processorMs();
  await action();
  return (await processorMs()) - beforeMs;
};

const BOMBS: [string, () => string][] = [
  ['fields nested 500,000 deep', () => largest((count) => requestOf('{a'.repeat(count)))],
  ['fields nested 2,000 deep and closed again', () => requestOf(`${'{a'.repeat(2000)}${'}'.repeat(2000)}`)],
  ['lists nested in an argument', () => largest((count) => requestOf(`{a(b:${'['.repeat(count)}`))],
  ['lists of 100 in lists of 100 in lists of 100', () => requestOf(`{ ${nested(3, 'id')} }`)],
  ['lists of 100 in each other as deep as can be', () => requestOf(`{ ${nested(9, 'id')} }`)],
  ['20,000 aliases', () => requestOf(`{ ${times(20_000, (index) => `a${index}: __typename`)} }`)],
  ['the same field over and over', () => largest((count) => requestOf(`{${'__typename '.repeat(count)}}`))],
  ['fields that merge in too many pairs', () => requestOf(`{${'hotProducts(limit: 1) { id } '.repeat(200)}}`)],
  ['directives', () => largest((count) => requestOf(`{__typename ${'@skip(if:true)'.repeat(count)}}`))],
  ['comments', () => largest((count) => requestOf(`{__typename}${'#\n'.repeat(count)}`))],
  ['blank lines', () => largest((count) => requestOf(`{__typename}${'\n'.repeat(count)}`))],
  ['a name', () => largest((count) => requestOf(`{${'a'.repeat(count)}}`))],
  ['a block string', () => largest((count) => requestOf(`{a(b:"""${'\n'.repeat(count)}""")}`))],
  ['operations', () => largest((count) => requestOf('query A{__typename}'.repeat(count)))],
  [
    'fragments that spread each other twice',
    () =>
      requestOf(
        `{...F0} ${times(45, (index) => `fragment F${index} on Query{...F${index + 1} ...F${index + 1}}`)} fragment F45 on Query{__typename}`,
      ),
  ],
  [
    'fragments that nest each other twice',
    () =>
      requestOf(
        `{categories{...F0}} ${times(45, (index) => `fragment F${index} on Category{a:parent{...F${index + 1}}b:parent{...F${index + 1}}}`)} fragment F45 on Category{id}`,
      ),
  ],
  [
    'fragments that are compared with each other',
    () => requestOf(`{${times(200, (i) => `...F${i}`)}} ${times(200, (i) => `fragment F${i} on Query{__typename}`)}`),
  ],
  [
    'introspection under many aliases',
    () => requestOf(`{${times(70, (i) => `a${i}:__schema{types{fields{args{type{name}}}}}`)}}`),
  ],
  [
    'variables nested 500,000 deep',
    () => `{"query":"{__typename}","variables":{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}}`,
  ],
  [
    'variables of many keys',
    () => requestOf('{__typename}', Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`k${i}`, i]))),
  ],
  [
    'variables of many lists',
    () => largest((count) => requestOf('{__typename}', { a: Array.from({ length: count }, () => []) })),
  ],
];

const post = (body: string): Promise<Response> =>
  fetch(`${server.url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

describe('a request is refused for little processor time', () => {
  test.for(BOMBS)('%s', async ([, make]) => {
    const body = make();
    let refusal: unknown;
    const costMs = await costOf(async () => {
      const response = await post(body);
      refusal = { status: response.status, json: await response.json() };
    });
    expect(refusal).toMatchObject({
      status: 400,
      json: { errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX', actual: expect.any(Number) } }] },
    });
    expect(costMs).toBeLessThan(MAX_COST_MS);
  });

  test('too many ids, or ids that are none, which are bad input', async () => {
    const query = 'query($ids:[Int!]){products(categoryIds:$ids){id}}';
    for (const item of ['0', '"x"']) {
      const body = largest((count) => `{"query":"${query}","variables":{"ids":[${`${item},`.repeat(count)}${item}]}}`);
      let errors: unknown[] = [];
      const costMs = await costOf(async () => {
        ({ errors } = (await (await post(body)).json()) as { errors: unknown[] });
      });
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', argument: 'categoryIds' } }]);
      expect(costMs).toBeLessThan(MAX_COST_MS);
    }
  });

  test('a query in the URL that is nested as deep as fits', async () => {
    const response = await fetch(`${server.url}/graphql?query=${'{a'.repeat(4000)}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: 'QUERY_MAX_TOKENS' } }],
    });
  });
});
