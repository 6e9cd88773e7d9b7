import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import type { GraphqlResult } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/process.ts';
import { parseMetrics } from '../support/scrape.ts';
import { shared } from '../support/shared.ts';
import { postTo } from '../support/socket.ts';

const MAX_BODY_BYTES = 1_048_576;

/** The processor time that a refusal may take: about ten times what it takes. */
const MAX_COST_MS = 500;

/** A refusal is never cached, so that each try costs the same. On a busy machine, one of them may be charged for more than its own work. */
const MAX_TRIES = 5;

const database = await shared(createTestDatabase());
const server = await shared(startGatewayProcess({ DATABASE_URL: database.url }));
const post = (body: string): Promise<Response> => postTo(server, body);

beforeAll(async () => {
  // What is loaded when it is first needed is no part of the cost of a refusal.
  for (const query of ['{ __typename }', '{ nothing }', '{']) await (await post(requestOf(query))).text();
  await processorMs();
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

/** Sends a body until the gateway has refused it for little processor time: for no longer than this can it block the event loop. */
const refusalOf = async (body: string): Promise<{ status: number; json: unknown }> => {
  const costsMs: number[] = [];
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const beforeMs = await processorMs();
    const response = await post(body);
    const refusal = { status: response.status, json: await response.json() };
    const costMs = (await processorMs()) - beforeMs;
    if (costMs < MAX_COST_MS) return refusal;
    costsMs.push(costMs);
  }
  throw new Error(`it costs ${costsMs} ms of processor time, and may cost ${MAX_COST_MS}`);
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
    'fragments that spread each other twice under conditions, and the last one a fragment that is missing',
    () => {
      const twice = (index: number): string => `...F${index + 1} @skip(if:false) `.repeat(2);
      return requestOf(`{...F0} ${times(38, (index) => `fragment F${index} on Query{${twice(index)}}`)}`);
    },
  ],
  [
    'fragments that spread each other twice under conditions, and the last one nothing',
    () => {
      const twice = (index: number): string => `...F${index + 1} @skip(if:false) `.repeat(2);
      const all = times(38, (index) => `fragment F${index} on Query{${twice(index)}}`);
      return requestOf(`{...F0} ${all} fragment F38 on Query{}`);
    },
  ],
  ['fragments of nothing', () => requestOf(`{${'...{}'.repeat(5000)}}`)],
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

describe('a request is refused for little processor time', () => {
  test.for(BOMBS)('%s', async ([, make]) => {
    expect(await refusalOf(make())).toMatchObject({
      status: 400,
      json: { errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX', actual: expect.any(Number) } }] },
    });
  });

  test('too many ids, or ids that are none: far too many are too complex, fewer are bad input', async () => {
    const query = 'query($ids:[Int!]){products(categoryIds:$ids){id}}';
    const bodyOf = (item: string, count: number): string =>
      `{"query":"${query}","variables":{"ids":[${`${item},`.repeat(count)}${item}]}}`;
    for (const item of ['0', '"x"']) {
      expect(await refusalOf(largest((count) => bodyOf(item, count)))).toMatchObject({
        json: { errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: 'JSON' } }] },
      });
      const { json } = await refusalOf(bodyOf(item, Math.floor(65_000 / (item.length + 1))));
      for (const { extensions } of (json as GraphqlResult).errors ?? []) expect(extensions.code).toBe('BAD_USER_INPUT');
      expect((json as GraphqlResult).errors?.length).toBeLessThan(20);
    }
  });

  test('a query in the URL that is nested as deep as fits', async () => {
    const response = await fetch(`${server.url}/graphql?query=${'{a'.repeat(4000)}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: 'nesting' } }],
    });
  });
});
