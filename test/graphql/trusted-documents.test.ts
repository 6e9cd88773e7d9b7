import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, type GraphqlResult, type TestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HOT = 'query Hot($limit: Int) { hotProducts(limit: $limit) { id } }';
const VIEW = 'query View($id: Int!) { notice(id: $id) { viewCount } }';
const OTHER = '{ newProducts { id } }';
const GRAPHQL = { accept: 'application/graphql-response+json' };
const HOT_DATA = { data: { hotProducts: [{ id: 1 }] } };

const sha256 = (text: string): string => hash('sha256', text);

const database = await shared(createTestDatabase());
await insertProduct(database, { category_id: await insertCategory(database) });
const notice = await insertNotice(database);

const folder = await shared(temporaryFolder());

const fileOf = (name: string, content: unknown): Promise<string> =>
  folder.write(name, typeof content === 'string' ? content : JSON.stringify(content));

const TRUSTED_DOCUMENTS = await fileOf('map.json', { hot: HOT, [sha256(VIEW)]: VIEW });
const gateway = await shared(createTestGateway(database, { TRUSTED_DOCUMENTS }));
const strict = await shared(createTestGateway(database, { TRUSTED_DOCUMENTS, TRUSTED_DOCUMENTS_ONLY: 'true' }));

const post = (target: TestGateway, body: unknown, headers?: Record<string, string>) => target.post(body, headers);

const queryString = (params: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  ).toString();

const persistedQuery = (sha256Hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } });

const codeOf = ({ json }: { readonly json: unknown }): unknown => (json as GraphqlResult).errors?.[0]?.extensions.code;

describe('a document of the file is named', () => {
  const references = [
    { documentId: 'hot' },
    { doc_id: 'hot' },
    { documentId: `sha256:${sha256(HOT)}` },
    { documentId: sha256(HOT).toUpperCase() },
    persistedQuery(sha256(HOT)),
  ];

  test.for(references)('by %j', async (reference) => {
    const params = { ...reference, variables: { limit: 5 } };
    expect((await post(gateway, params)).json).toEqual(HOT_DATA);
    expect((await gateway.get(`/graphql?${queryString(params)}`)).json).toEqual(HOT_DATA);
    expect((await post(strict, { ...params, operationName: 'Hot' })).json).toEqual(HOT_DATA);
  });

  test('in a manifest of Apollo', async () => {
    const operations = [{ id: 'abc', name: 'Hot', type: 'query', body: HOT }];
    const format = 'apollo-persisted-query-manifest';
    const manifest = await fileOf('manifest.json', { format, version: 1, operations });
    await using other = await createTestGateway(database, { TRUSTED_DOCUMENTS: manifest });
    expect((await post(other, { documentId: 'abc' })).json).toEqual(HOT_DATA);
    expect((await post(other, persistedQuery(sha256(HOT)))).json).toEqual(HOT_DATA);
  });

  test('by GET, and its response is cached like any other', async () => {
    const target = `/graphql?${queryString({ documentId: 'hot', variables: { limit: 7 } })}`;
    const first = await gateway.get(target);
    expect(first.headers).toMatchObject({
      'cache-control': 'public, max-age=1, must-revalidate, stale-while-revalidate=0',
      etag: expect.any(String),
    });
    expect((await gateway.get(target)).headers).toMatchObject({ 'cache-status': 'vitrine; hit' });
    expect((await gateway.get(target, { 'if-none-match': String(first.headers.etag) })).status).toBe(304);
  });

  test('and counts a view where it selects a notice', async () => {
    const view = { documentId: sha256(VIEW), variables: { id: notice } };
    expect((await post(gateway, view)).json).toEqual({ data: { notice: { viewCount: 1 } } });
    expect((await post(gateway, view)).json).toEqual({ data: { notice: { viewCount: 2 } } });
  });

  test('and what goes wrong is said as for a text', async () => {
    const byId = await post(gateway, { documentId: 'hot', variables: { limit: 0 } }, GRAPHQL);
    const byText = await post(gateway, { query: HOT, variables: { limit: 0 } }, GRAPHQL);
    expect(codeOf(byId)).toBe('BAD_USER_INPUT');
    expect([byId.status, byId.json]).toEqual([byText.status, byText.json]);
    expect(codeOf(await post(gateway, { documentId: 'hot', operationName: 'Cold' }))).toBe('BAD_USER_INPUT');
  });
});

test('an id that is unknown is refused, by a response that is not cached', async () => {
  for (const reference of [{ documentId: 'cold' }, persistedQuery(sha256('{ __typename }')), { doc_id: 'hot2' }]) {
    for (const each of [gateway, strict]) {
      const refused = await post(each, reference, GRAPHQL);
      expect(refused).toMatchObject({ status: 400, headers: { 'cache-control': 'no-store' } });
      expect(refused.json).toEqual({
        errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
      });
      // In application/json, Apollo's clients read the error of a 200.
      expect((await post(each, reference)).status).toBe(200);
      expect(codeOf(await each.get(`/graphql?${queryString(reference)}`))).toBe('PERSISTED_QUERY_NOT_FOUND');
    }
  }
});

test('an id that is no string is refused, and so is an operation without text and id', async () => {
  for (const reference of [
    { documentId: 1 },
    { doc_id: {} },
    persistedQuery(1 as never),
    { extensions: { persistedQuery: 'x' } },
  ]) {
    expect(codeOf(await post(gateway, reference))).toBe('BAD_USER_INPUT');
  }
  expect(codeOf(await post(gateway, { variables: {} }))).toBe('BAD_USER_INPUT');
});

describe('an automatic persisted query', () => {
  const reference = persistedQuery(sha256(OTHER));

  test('is registered with its text, and then named by its hash', async () => {
    const ask = () => [post(gateway, reference), gateway.get(`/graphql?${queryString(reference)}`)];
    // However often an unknown one was asked for.
    for (const unknown of [...ask(), ...ask()]) expect(codeOf(await unknown)).toBe('PERSISTED_QUERY_NOT_FOUND');
    const data = { data: { newProducts: [{ id: 1 }] } };
    expect((await post(gateway, { ...reference, query: OTHER })).json).toEqual(data);
    for (const known of [...ask(), ...ask()]) expect((await known).json).toEqual(data);
  });

  test('is not registered where it is too long to be run, and takes no other its place', async () => {
    const long = `{ newProducts { id } } #${'x'.repeat(1_000_000)}`;
    await post(gateway, { ...reference, query: OTHER });
    for (let number = 0; number < 2; number += 1) {
      const query = long + number;
      expect(codeOf(await post(gateway, { ...persistedQuery(sha256(query)), query }))).toBe('QUERY_TOO_COMPLEX');
      expect(codeOf(await post(gateway, persistedQuery(sha256(query))))).toBe('PERSISTED_QUERY_NOT_FOUND');
    }
    expect((await post(gateway, reference)).status).toBe(200);
  });

  test('is not registered under the hash of another text', async () => {
    const wrong = persistedQuery(sha256('{ another }'));
    expect(codeOf(await post(gateway, { ...wrong, query: OTHER }))).toBe('BAD_USER_INPUT');
    expect(codeOf(await post(gateway, wrong))).toBe('PERSISTED_QUERY_NOT_FOUND');
  });

  test('is not supported where trusted documents are required', async () => {
    const refused = await post(strict, { ...reference, query: OTHER });
    expect((refused.json as GraphqlResult).errors?.[0]).toMatchObject({
      message: 'PersistedQueryNotSupported',
      extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' },
    });
    expect(codeOf(await post(strict, reference))).toBe('PERSISTED_QUERY_NOT_FOUND');
  });
});

describe('where trusted documents are required', () => {
  test('other texts are refused, and those of the file are not', async () => {
    expect(codeOf(await post(strict, { query: OTHER }))).toBe('TRUSTED_DOCUMENT_REQUIRED');
    expect(codeOf(await strict.get(`/graphql?${queryString({ query: OTHER })}`))).toBe('TRUSTED_DOCUMENT_REQUIRED');
    expect((await post(strict, { query: HOT })).json).toEqual(HOT_DATA);
    expect((await post(strict, { query: HOT, ...persistedQuery(sha256(HOT)) })).json).toEqual(HOT_DATA);
  });

  test('REST goes on, and so does the demo shop', async () => {
    expect((await strict.get('/api/product/new')).status).toBe(200);
    const shop: Record<string, string> = JSON.parse(await readFile('examples/shop/trusted-documents.json', 'utf8'));
    const home = Object.values(shop).find((text) => text.includes('query Home'));
    expect((await strict.get(`/graphql?${queryString({ query: home })}`)).json).toMatchObject({
      data: { hotProducts: [{ id: 1 }] },
    });
    await using closed = await createTestGateway(database, {
      TRUSTED_DOCUMENTS,
      TRUSTED_DOCUMENTS_ONLY: 'true',
      DEMO: 'off',
    });
    expect(codeOf(await post(closed, { query: home }))).toBe('TRUSTED_DOCUMENT_REQUIRED');
  });
});

describe('the start is refused', () => {
  test.for<[why: string, content: unknown, message: RegExp]>([
    [
      'a field that the schema does not have',
      { x: 'query Home { shelves }' },
      /faulty\.json: Home \(x\): line 1: Cannot query field "shelves"/,
    ],
    ['a syntax error', { x: 'query {' }, /faulty\.json: document \(x\): line 1: Syntax Error/],
    ['a document without an operation', { x: 'fragment F on Product { id }' }, /faulty\.json: /],
    ['no JSON', '{', /faulty\.json cannot be read/],
    ['another shape', [HOT], /faulty\.json must be a JSON object of ids and texts/],
    [
      'a manifest without texts',
      { format: 'apollo-persisted-query-manifest', operations: [{ id: 'x' }] },
      /must be a JSON object/,
    ],
  ])('for %s', async ([, content, message]) => {
    const faulty = await fileOf('faulty.json', content);
    await expect(createTestGateway(database, { TRUSTED_DOCUMENTS: faulty })).rejects.toThrow(message);
  });

  test('for TRUSTED_DOCUMENTS_ONLY without a file', () => {
    expect(() => readConfig({ TRUSTED_DOCUMENTS_ONLY: 'true' })).toThrow(
      'TRUSTED_DOCUMENTS_ONLY needs TRUSTED_DOCUMENTS',
    );
  });
});
