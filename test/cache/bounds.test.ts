import { pino } from 'pino';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Dependencies } from '../../src/cache/dependencies.ts';
import { FreshnessMonitor } from '../../src/cache/freshness-monitor.ts';
import { createListen } from '../../src/cache/listen.ts';
import { ResponseCache } from '../../src/cache/response-cache.ts';
import { TagVersions } from '../../src/cache/tags.ts';
import { type Clock, createClock } from '../../src/database/clock.ts';
import { connectionConfig } from '../../src/database/connection.ts';
import { FEATURES } from '../../src/features.ts';
import { problemResponse } from '../../src/http/message.ts';
import { createRequestCache } from '../../src/http/request-cache.ts';
import type { OperationRoute } from '../../src/http/route.ts';
import { Languages } from '../../src/language/languages.ts';
import { RequestCounts } from '../../src/observability/counts.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory } from '../support/rows.ts';

const MAX_BYTES = 1_048_576;

let database: TestDatabase;
let clock: Clock;
let tagVersions: TagVersions;
let freshnessMonitor: FreshnessMonitor;
let answers: ResponseCache;

beforeAll(async () => {
  database = await createTestDatabase();
  clock = createClock();
  tagVersions = new TagVersions(FEATURES);
  const log = pino({ level: 'silent' });
  freshnessMonitor = new FreshnessMonitor({
    connection: connectionConfig(database.url),
    listen: createListen(FEATURES),
    clock,
    tagVersions,
    freshnessMs: 1000,
    log,
  });
  await freshnessMonitor.connect();
  return async () => {
    await freshnessMonitor.close();
    await database[Symbol.asyncDispose]();
  };
});

beforeEach(async () => {
  // On a busy machine its connection may be lost, or its clock be learnt again: until the next heartbeat nothing is kept.
  const keeps = () => freshnessMonitor.isFresh() && freshnessMonitor.nextChangeMs('product') !== undefined;
  await vi.waitUntil(keeps, { interval: 5, timeout: 30_000 });
  answers = new ResponseCache({
    freshnessMonitor,
    tagVersions,
    clock,
    maxBytes: MAX_BYTES,
    freshnessMs: 1000,
    staleIfErrorMs: 0,
    timeoutMs: 1000,
    kindOf: () => 'other',
  });
});

/** Asks for an answer of so many bytes, and tells whether it was in memory. */
const ask = async (key: string, bytes: number): Promise<string> => {
  const { response, outcome } = await answers.get(key, async (dependencies) => {
    dependencies.add('product');
    return 'x'.repeat(bytes);
  });
  expect(response.byteLength).toBe(bytes);
  return outcome;
};

describe('an answer that was read where the last commits may be missing', () => {
  test('is given to others only within the bound, and holds for no longer than one that was read at once', async () => {
    const read = (asOfMs: number) => async (dependencies: Dependencies) => {
      dependencies.readsAsOf(asOfMs);
      dependencies.holdsFor(5000);
      dependencies.add('category');
      return String(asOfMs);
    };
    const beganMs = performance.now();
    const ask = (key: string, ageMs: number) => answers.get(key, read(beganMs - ageMs));
    const young = await Promise.all([ask('young', 500), ask('young', 0)]);
    expect(young[0]?.response).toBe(young[1]?.response);
    const [old] = await Promise.all([ask('old', 1001), ask('old', 0)]);
    expect(answers.stats).toMatchObject({ joined: 1, misses: 3 });
    expect((old?.response.validUntilMs ?? 0) - clock.nowMs()).toBeLessThanOrEqual(4000);
  });

  test('is made again for who shared it before that was known', async () => {
    const beganMs = performance.now();
    const ask = (text: string, ageMs: number) =>
      answers.get('late', async (dependencies) => {
        await Promise.resolve();
        dependencies.readsAsOf(beganMs - ageMs);
        return text;
      });
    const [first, second] = await Promise.all([ask('old', 1001), ask('new', 0)]);
    expect([first.response.body, second.response.body]).toEqual(['old', 'new']);
  });
});

describe('answers in memory', () => {
  // More than the bound takes, many times over.
  test.for([
    ['tiny', 3000, () => 10],
    ['small', 3000, () => 1000],
    ['large', 400, () => 60_000],
    ['of every size', 600, (index: number) => (index * 7919) % 200_000],
  ] as const)('that are %s never take more than the bound, nor much less', async ([, count, sizeOf]) => {
    for (let index = 0; index < count; index += 1) {
      await ask(`one-off ${index}`, sizeOf(index));
      // Some are asked for again, at once or once they may be gone.
      if (index % 3 === 0) await ask(`one-off ${index}`, sizeOf(index));
      if (index % 3 === 1) await ask(`one-off ${Math.floor(index / 2)}`, sizeOf(Math.floor(index / 2)));
      expect(answers.size().bytes).toBeLessThanOrEqual(MAX_BYTES);
    }
    const { bytes, entries } = answers.size();
    expect(bytes).toBeGreaterThan(MAX_BYTES / 2);
    expect(entries).toBeGreaterThan(0);
  });

  test('that nobody has repeated yet stay while there is room', async () => {
    const keys = Array.from({ length: 60 }, (_, index) => `once ${index}`);
    for (const outcome of ['miss', 'hit']) for (const key of keys) expect(await ask(key, 5000)).toBe(outcome);
  });

  test('that are hot survive any number of requests that nobody repeats', async () => {
    const hot = Array.from({ length: 20 }, (_, index) => `hot ${index}`);
    for (const key of hot) for (const outcome of ['miss', 'hit']) expect(await ask(key, 5000)).toBe(outcome);
    for (let index = 0; index < 1000; index += 1) expect(await ask(`one-off ${index}`, 20_000)).toBe('miss');
    for (const key of hot) expect(await ask(key, 5000)).toBe('hit');
    // Neither among the first, which found room, nor among the last.
    expect(await ask('one-off 500', 20_000)).toBe('miss');
  });

  test('that are hot stay so when they are made again after a change', async () => {
    for (const outcome of ['miss', 'hit', 'hit']) expect(await ask('hot', 5000)).toBe(outcome);
    const { sequence } = tagVersions;
    await database.sql('truncate product cascade');
    // Of products, and of their variants.
    await expect.poll(() => tagVersions.sequence, { interval: 5 }).toBe(sequence + 2);
    await expect
      .poll(() => freshnessMonitor.isFresh() && freshnessMonitor.nextChangeMs('product'), { interval: 5 })
      .toBe(Infinity);
    for (const outcome of ['miss', 'hit']) expect(await ask('hot', 5000)).toBe(outcome);
    for (let index = 0; index < 200; index += 1) await ask(`one-off ${index}`, 20_000);
    expect(await ask('hot', 5000)).toBe('hit');
  });

  test('are pushed out by the least recently used first', async () => {
    for (let index = 0; index < 40; index += 1) for (const _ of [1, 2]) await ask(`proven ${index}`, 5000);
    for (let index = 100; index < 500; index += 1) {
      for (const _ of [1, 2]) await ask(`proven ${index}`, 5000);
      expect(await ask('proven 0', 5000)).toBe('hit');
    }
    expect(await ask('proven 1', 5000)).toBe('miss');
  });

  test('are not pushed out by one that is too large to keep', async () => {
    for (const outcome of ['miss', 'hit']) expect(await ask('hot', 5000)).toBe(outcome);
    for (const outcome of ['miss', 'miss']) expect(await ask('huge', 900_000)).toBe(outcome);
    expect(await ask('hot', 5000)).toBe('hit');
  });
});

test('a gateway keeps hot answers through a scan, and forgets the scan, within CACHE_MAX_MB', async () => {
  const category = await insertCategory(database);
  await database.sql(
    `insert into product (id, category_id, name, slug, price, description, published_at)
     select n, $1, 'P', 's' || n, 1, repeat('x', 10000), '2020-01-01Z' from generate_series(1, 300) n`,
    [category],
  );
  await using gateway = await createTestGateway(database, { CACHE_MAX_MB: '1', FRESHNESS_MS: '1000' });
  const read = (id: number): Promise<number> => gateway.countStatements(() => gateway.get(`/api/product/${id}`));
  for (const statements of [1, 0, 0]) expect(await read(1)).toBe(statements);
  for (let id = 2; id <= 300; id += 1) expect(await read(id)).toBe(1);
  expect(await read(1)).toBe(0);
  expect(await read(300)).toBe(0);
  expect(await read(2)).toBe(1);
});

describe('requests in memory', () => {
  const route: OperationRoute = {
    methods: ['GET'],
    writeError: problemResponse,
    countedAs: ['rest', 'product'],
    run: () => Promise.reject(new Error('not run here')),
  };
  const ONE_LANGUAGE = new Languages([]);
  const head = { contentType: 'application/json', isNegotiated: false, link: undefined };
  const counts = new RequestCounts().of('rest', 'product');
  const known = { route, head, counts, entry: { response: undefined } };

  test('are forgotten where there are too many', () => {
    const requests = createRequestCache(MAX_BYTES, ONE_LANGUAGE);
    for (let id = 0; id < 5000; id += 1) requests.learn(`/api/product/${id}`, known);
    expect(requests.find('/api/product/0')).toBeUndefined();
    expect(requests.find('/api/product/4999')).toBe(known);
  });

  test('stay in a flood of new ones while they are found', () => {
    const requests = createRequestCache(MAX_BYTES, ONE_LANGUAGE);
    for (const key of ['/asked', '/not-asked']) requests.learn(key, known);
    for (let id = 0; id < 5000; id += 1) {
      requests.learn(`/api/product/${id}`, known);
      requests.find('/asked');
    }
    expect(requests.find('/asked')).toBe(known);
    expect(requests.find('/not-asked')).toBeUndefined();
  });
});
