import { vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { type CachedResponse, JSON_HEADERS, type TestGateway } from './gateway.ts';
import { insertCategory, insertNotice, insertProduct } from './rows.ts';

/** The mark of an answer that is given because the database is away. */
export const STALE = 'vitrine; hit; ttl=-1; detail=stale-if-error';

export type Request = readonly [method: string, target: string, headers?: Record<string, string>, body?: string];

/** A product and a notice of each request that the cache knows, with the id 1, and a second product. */
export const createSmallShop = async (): Promise<TestDatabase> => {
  const database = await createTestDatabase();
  const category = await insertCategory(database);
  for (const id of [1, 2]) await insertProduct(database, { id, category_id: category });
  await insertNotice(database, { id: 1 });
  await database.sql(`select setval('product_id_seq', 100), setval('notice_id_seq', 100)`);
  return database;
};

/** Every kind of answer that is kept, through both APIs. */
export const KNOWN: readonly Request[] = [
  ['GET', '/api/product/1'],
  ['GET', '/api/product/list?orderBy=NEWEST'],
  ['HEAD', '/api/product/hot'],
  ['GET', '/api/notice/list'],
  ['GET', '/api/notice/page?keyword=not'],
  ['GET', '/graphql?query={hotProducts{name}}'],
  [
    'POST',
    '/graphql',
    JSON_HEADERS,
    '{"query":"{ categories { products { price { amount } } } notices { viewCount } }"}',
  ],
];

export const askAll = (
  gateway: TestGateway,
  requests: readonly Request[] = KNOWN,
  more: Record<string, string> = {},
): Promise<CachedResponse[]> =>
  Promise.all(
    requests.map(([method, target, headers, body]) => gateway.request(method, target, { ...headers, ...more }, body)),
  );

/** Asks until everything comes from memory. */
export const untilKnown = async (
  gateway: TestGateway,
  requests: readonly Request[] = KNOWN,
  more: Record<string, string> = {},
): Promise<CachedResponse[]> => {
  let answers: CachedResponse[] = [];
  const askAgain = async (): Promise<void> => {
    const statements = await gateway.countStatements(async () => {
      answers = await askAll(gateway, requests, more);
    });
    if (statements > 0) throw new Error(`it still takes ${statements} statements to answer what should be known`);
  };
  await vi.waitFor(askAgain, { interval: 5, timeout: 30_000 });
  return answers;
};
