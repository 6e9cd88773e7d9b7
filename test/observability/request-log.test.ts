import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';

/** The lines of answered requests. */
const lines = ({ logged }: TestGateway): Record<string, unknown>[] =>
  logged.filter(({ handler }) => handler !== undefined);

/** One of every kind, the second of two that are equal from memory. */
const askAll = async (gateway: TestGateway): Promise<void> => {
  for (const target of ['/api/notice/list', '/api/notice/list', '/livez', '/metrics', '/nowhere']) {
    await gateway.get(target);
  }
};

const paths = (gateway: TestGateway): unknown[] => lines(gateway).map(({ path }) => path);

describe('the log', () => {
  test('has a line for a request with handler, operation, status, duration, use of the cache, statements and id', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database);
    const id = await insertNotice(database);
    await gateway.get(`/api/notice/${id}?secret=hunter2`, {
      'x-request-id': 'mine',
      authorization: 'Bearer hunter2-token',
    });
    await gateway.graphql('query News($word: String) { noticePage(keyword: $word) { total } }', { word: 'hunter2' });
    await gateway.get(`/graphql?query=${encodeURIComponent('{noticePage(keyword:"hunter2"){total}}')}`);
    expect(lines(gateway)).toMatchObject([
      {
        msg: `GET /api/notice/${id} 200`,
        level: 30,
        requestId: 'mine',
        handler: 'rest',
        operation: 'notice',
        status: 200,
        durationMs: expect.any(Number),
        cache: 'none',
        statements: expect.any(Number),
      },
      { msg: 'POST /graphql 200', handler: 'graphql', operation: 'News', cache: 'miss', statements: 1 },
      { msg: 'GET /graphql 200', handler: 'graphql', operation: 'anonymous', cache: 'miss', statements: 1 },
    ]);
    expect(JSON.stringify(gateway.logged), 'no query, variable or token').not.toContain('hunter2');
  });

  test('tells an error once: its cause in a line of its own, its code in the line of the request', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database);
    await database.sql('drop table product cascade');
    for (const ask of [
      () => gateway.get('/api/product/hot', { 'x-request-id': 'it' }),
      () => gateway.graphql('{ hotProducts { id } }', {}, { 'x-request-id': 'it' }),
    ]) {
      gateway.logged.length = 0;
      await ask();
      expect(gateway.logged.filter(({ requestId }) => requestId === 'it')).toMatchObject([
        { level: 50, err: { message: expect.stringContaining('does not exist') } },
        { level: 30, status: 500, code: 'INTERNAL_SERVER_ERROR' },
      ]);
    }
  });

  test('leaves out answers from memory and probes that go well, and all where none are wanted', async () => {
    await using database = await createTestDatabase();
    await using misses = await createTestGateway(database);
    await using none = await createTestGateway(database, { LOG_REQUESTS: 'none' });
    for (const gateway of [misses, none]) await askAll(gateway);
    expect(paths(misses)).toEqual(['/api/notice/list', '/nowhere']);
    expect(paths(none)).toEqual([]);
  });

  test('has at most 20 lines a second of mistakes of clients, with codes of the gateway or of a plugin', async () => {
    const refuse: Plugin = {
      onParse: () => {
        throw new GraphQLError('Pay first.', { extensions: { code: 'PAYMENT_REQUIRED', http: { status: 402 } } });
      },
    };
    await using database = await createTestDatabase();
    for (const [plugins, status] of [
      [[], 400],
      [[refuse], 402],
    ] as const) {
      await using gateway = await createTestGateway(database, {}, plugins);
      const beganMs = performance.now();
      const asked = Array.from({ length: 60 }, (_, place) =>
        gateway.post({ query: `{ nothing${place} }` }, { accept: 'application/graphql-response+json' }),
      );
      for (const answered of await Promise.all(asked)) expect(answered.status).toBe(status);
      const seconds = Math.ceil((performance.now() - beganMs) / 1000);
      expect(lines(gateway).length).toBeLessThanOrEqual(20 * seconds);
    }
  });

  test('tells of each of several requests of one turn of the event loop its own statements, and of nothing later', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database, { CACHE_MAX_MB: '0' });
    const parent = await insertCategory(database);
    await insertCategory(database, { parent_id: parent });
    const STATEMENTS = {
      'query One { notices { id } }': 1,
      'query None { __typename }': 0,
      'query Two { categories { id children { id } } }': 2,
    };
    await Promise.all(Object.keys(STATEMENTS).map((query) => gateway.post({ query })));
    await gateway.post({ query: 'query Later { __typename }' });
    const told = lines(gateway).map(({ operation, statements }) => [operation, statements]);
    expect(Object.fromEntries(told)).toEqual({ One: 1, None: 0, Two: 2, Later: 0 });
  });

  test('puts a statement that requests share down to the one that came first', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database);
    const category_id = await insertCategory(database);
    const ids = await Promise.all(Array.from({ length: 10 }, () => insertProduct(database, { category_id })));
    await Promise.all(ids.map((id) => gateway.get(`/api/product/${id}`)));
    const statements = lines(gateway).map((line) => Number(line.statements));
    expect(statements).toHaveLength(10);
    expect(Math.max(...statements)).toBe(1);
    expect(statements.reduce((sum, each) => sum + each, 0)).toBeLessThan(10);
  });
});
