import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { type Answer, createTestGateway, type TestGateway } from './support/gateway.ts';
import { insertCategory, insertProduct } from './support/rows.ts';
import { openSession } from './support/session.ts';
import { wireTo } from './support/wire.ts';

let database: TestDatabase;
let product: number;

beforeAll(async () => {
  database = await createTestDatabase();
  product = await insertProduct(database, { category_id: await insertCategory(database) });
  return () => database[Symbol.asyncDispose]();
});

beforeEach(() => setPrice(1));

/** Resolves once the commit is acknowledged. */
const setPrice = async (price: number): Promise<number> => {
  await database.sql('update product set price = $1 where id = $2', [price, product]);
  return performance.now();
};

const priceIn = ({ text }: Answer): number => Number(/"amount":"([\d.]+)"/.exec(text)?.[1]);

const read = (gateway: TestGateway): Promise<Answer> => gateway.get(`/api/product/${product}`);

const untilHit = async (gateway: TestGateway, timeout = 1000): Promise<void> => {
  const status = async (): Promise<unknown> => (await read(gateway)).headers['cache-status'];
  await expect.poll(status, { interval: 5, timeout }).toBe('vitrine; hit');
};

/** Ends the connections that listen, and gives their number. */
const endListeners = async (): Promise<number> => {
  const ended = await database.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'vitrine' and query ~* 'listen|clock_timestamp'`,
  );
  return ended.length;
};

describe('a connection that is ended', () => {
  test('is there again soon, and no change is missed, ten times over', async () => {
    await using gateway = await createTestGateway(database);
    await untilHit(gateway);
    for (let price = 2; price <= 11; price += 1) {
      expect(await endListeners()).toBe(1);
      // A commit that nobody listens to.
      const acknowledgedMs = await setPrice(price);
      const endedMs = performance.now();
      let answer: Answer;
      do {
        const sentMs = performance.now();
        answer = await read(gateway);
        expect(answer.status).toBe(200);
        if (sentMs - acknowledgedMs >= 100) expect(priceIn(answer)).toBe(price);
      } while (answer.headers['cache-status'] !== 'vitrine; hit' || priceIn(answer) !== price);
      expect(performance.now() - endedMs).toBeLessThan(1000);
    }
  });

  test('at once and for all, with those of the requests, costs no request', async () => {
    await using gateway = await createTestGateway(database, { FRESHNESS_MS: '0' });
    await untilHit(gateway);
    await database.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'vitrine'`,
    );
    await setPrice(2);
    for (let round = 0; round < 20; round += 1) {
      const answer = await read(gateway);
      expect([answer.status, priceIn(answer)]).toEqual([200, 2]);
    }
    await untilHit(gateway);
  });
});

describe('beats', () => {
  test('are not sent by a gateway that nobody asks', async () => {
    await using wire = await wireTo(database);
    await using gateway = await createTestGateway(wire);
    await untilHit(gateway);
    await expect.poll(wire.idleMs, { interval: 50, timeout: 3000 }).toBeGreaterThan(1000);
    // And what was changed meanwhile is known all the same.
    await setPrice(5);
    expect(priceIn(await read(gateway))).toBe(5);
  });

  test.for([
    [0, 3],
    [100, 2],
  ] as const)(
    'are shared: with FRESHNESS_MS=%i 1,000 requests at once take no more than %i',
    async ([freshnessMs, most]) => {
      await using wire = await wireTo(database);
      await using gateway = await createTestGateway(wire, { FRESHNESS_MS: String(freshnessMs) });
      await untilHit(gateway);
      await expect.poll(wire.idleMs, { interval: 5 }).toBeGreaterThan(freshnessMs);
      const before = wire.timesSent('vitrine_beat');
      const statements = await gateway.countStatements(() =>
        Promise.all(Array.from({ length: 1000 }, () => read(gateway))),
      );
      expect(statements).toBe(0);
      const beats = wire.timesSent('vitrine_beat') - before;
      expect(beats).toBeGreaterThan(0);
      expect(beats).toBeLessThanOrEqual(most);
    },
  );

  test('go on while the back office holds a table, whose answers stay in memory until it lets go', async () => {
    await using gateway = await createTestGateway(database);
    const notices = (): Promise<Answer> => gateway.get('/api/notice/list');
    await untilHit(gateway);
    await notices();
    await using backOffice = await openSession(database);
    await backOffice.query('begin');
    await backOffice.query('create temp table reloaded on commit drop as table product');
    await backOffice.query('truncate product');
    const heldMs = performance.now();
    // For longer than a beat may take, and than a reconnection takes.
    while (performance.now() - heldMs < 1500) {
      expect((await read(gateway)).headers['cache-status']).toBe('vitrine; hit');
      expect((await notices()).status).toBe(200);
    }
    await backOffice.query('update reloaded set price = 7');
    await backOffice.query('insert into product select * from reloaded');
    await backOffice.query('commit');
    await expect.poll(async () => priceIn(await read(gateway)), { interval: 5, timeout: 150 }).toBe(7);
    expect(gateway.logged.filter(({ msg }) => String(msg).includes('is lost'))).toEqual([]);
  });
});

describe('a connection that falls silent', () => {
  /** Asks every 25 ms until the time, whatever becomes of those before. */
  const askThroughout = async (gateway: TestGateway, durationMs: number) => {
    const asked: Promise<{ sentMs: number; tookMs: number; answer: Answer }>[] = [];
    const beganMs = performance.now();
    await expect
      .poll(
        () => {
          const sentMs = performance.now();
          asked.push(read(gateway).then((answer) => ({ sentMs, tookMs: performance.now() - sentMs, answer })));
          return sentMs - beganMs;
        },
        { interval: 25, timeout: durationMs * 2 },
      )
      .toBeGreaterThan(durationMs);
    return Promise.all(asked);
  };

  test.for<[string, unknown]>([
    ['300', 'vitrine; hit; ttl=-1; detail=stale-if-error'],
    ['0', 503],
  ])('is noticed, and nobody waits for 2 s: with STALE_IF_ERROR_S=%s the answer is %s', async ([staleS, outcome]) => {
    await using wire = await wireTo(database);
    await using gateway = await createTestGateway(wire, { STALE_IF_ERROR_S: staleS });
    await untilHit(gateway);
    wire.freeze();
    const acknowledgedMs = await setPrice(2);
    const outcomes = new Set<unknown>();
    for (const { sentMs, tookMs, answer } of await askThroughout(gateway, 800)) {
      expect(tookMs).toBeLessThan(2000);
      if (sentMs - acknowledgedMs < 100) continue;
      outcomes.add(answer.status === 200 ? answer.headers['cache-status'] : answer.status);
    }
    expect([...outcomes]).toEqual([outcome]);
  });

  test('and comes back is used within a second', async () => {
    await using wire = await wireTo(database);
    await using gateway = await createTestGateway(wire, { STALE_IF_ERROR_S: '0' });
    await untilHit(gateway);
    for (const [index, silentMs] of [50, 1300].entries()) {
      wire.freeze();
      const acknowledgedMs = await setPrice(10 + index);
      const asked = askThroughout(gateway, silentMs);
      await expect
        .poll(() => performance.now() - acknowledgedMs, { interval: 5, timeout: 3000 })
        .toBeGreaterThan(silentMs);
      wire.thaw();
      const thawedMs = performance.now();
      await expect.poll(async () => priceIn(await read(gateway)), { interval: 5, timeout: 1000 }).toBe(10 + index);
      expect(performance.now() - thawedMs).toBeLessThan(1000);
      for (const { sentMs, answer } of await asked) {
        if (answer.status === 200 && sentMs - acknowledgedMs > 100) expect(priceIn(answer)).toBe(10 + index);
      }
      await untilHit(gateway, 1500);
    }
  });

  test('for good, while new ones work, is replaced', async () => {
    await using wire = await wireTo(database);
    await using gateway = await createTestGateway(wire);
    await untilHit(gateway);
    wire.forget();
    const acknowledgedMs = await setPrice(3);
    for (const { sentMs, answer } of await askThroughout(gateway, 1500)) {
      const isStale = answer.headers['cache-status']?.includes('stale') || answer.status === 503;
      if (sentMs - acknowledgedMs > 100 && !isStale) expect(priceIn(answer)).toBe(3);
    }
    expect(priceIn(await read(gateway))).toBe(3);
    await untilHit(gateway);
    await setPrice(4);
    await expect.poll(async () => priceIn(await read(gateway)), { interval: 5, timeout: 150 }).toBe(4);
  });

  test('and is being opened again when the gateway closes is let go', async () => {
    await using wire = await wireTo(database);
    const opened = (): number => wire.timesSent('application_name');
    {
      await using gateway = await createTestGateway(wire, { FRESHNESS_MS: '0' });
      await untilHit(gateway);
      const before = opened();
      wire.freeze();
      await read(gateway);
      await expect.poll(opened, { interval: 5, timeout: 3000 }).toBe(before + 1);
    }
    wire.thaw();
    await expect.poll(wire.connectionCount, { timeout: 3000 }).toBe(0);
  });
});
