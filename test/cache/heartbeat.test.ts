import { describe, expect, test } from 'vitest';
import { type CachedResponse, createTestGateway } from '../support/gateway.ts';
import { STALE } from '../support/known-answers.ts';
import { createPricedProduct, priceIn } from '../support/priced-product.ts';
import { openSession } from '../support/session.ts';
import { shared } from '../support/shared.ts';
import { wireTo } from '../support/wire.ts';

const product = await shared(createPricedProduct());

/** Ends the gateways' connections of which the last statement matches, and gives their number. */
const endConnections = async (pattern: string): Promise<number> => {
  const ended = await product.database.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'vitrine' and query ~* $1`,
    [pattern],
  );
  return ended.length;
};

describe('a connection that is ended', () => {
  test('is there again soon, and no change is missed, ten times over', async () => {
    const { database, setPrice, read, untilHit } = product;
    await using gateway = await createTestGateway(database);
    await untilHit(gateway);
    for (let price = 2; price <= 11; price += 1) {
      expect(await endConnections('listen|clock_timestamp')).toBe(1);
      const endedMs = performance.now();
      // A commit while no connection listens.
      const acknowledgedMs = await setPrice(price);
      let answer: CachedResponse;
      do {
        const sentMs = performance.now();
        answer = await read(gateway);
        expect(answer.status).toBe(200);
        if (sentMs - acknowledgedMs >= 100) expect(priceIn(answer)).toBe(price);
      } while (answer.headers['cache-status'] !== 'vitrine; hit' || priceIn(answer) !== price);
      // A tenth of a second until it connects again, and the rest for a busy machine.
      expect(performance.now() - endedMs).toBeLessThan(5000);
    }
  });

  test('leaves nothing from before a commit that no connection listened to', async () => {
    const { database, setPrice, readPrice, untilHit } = product;
    await using gateway = await createTestGateway(database);
    for (const [round, price] of [31, 32, 33].entries()) {
      await untilHit(gateway);
      expect(await endConnections('listen|clock_timestamp')).toBe(1);
      await setPrice(price);
      // No request in the meantime, which would replace the cached response.
      const isBack = ({ msg }: Record<string, unknown>): boolean => /is back$/.test(String(msg));
      await expect.poll(() => gateway.logged.filter(isBack).length, { interval: 5 }).toBe(round + 1);
      expect(await readPrice(gateway)).toBe(price);
    }
  });

  test('together with those of the requests costs no request', async () => {
    const { database, setPrice, read, readPrice, untilHit } = product;
    await using gateway = await createTestGateway(database, { FRESHNESS_MS: '0' });
    await untilHit(gateway);
    expect(await endConnections('')).toBeGreaterThan(1);
    await setPrice(2);
    const endedMs = performance.now();
    let answer: CachedResponse;
    do {
      answer = await read(gateway);
      expect(answer.status).toBe(200);
      // A statement that breaks with its connection is an outage: then the last response is given, and marked.
      if (answer.headers['cache-status'] !== STALE) expect(priceIn(answer)).toBe(2);
    } while (answer.headers['cache-status'] !== 'vitrine; hit');
    expect(performance.now() - endedMs).toBeLessThan(5000);
    expect(await readPrice(gateway)).toBe(2);
  });
});

describe('heartbeats', () => {
  test('are not sent by a gateway that nobody asks', async () => {
    const { database, setPrice, readPrice, untilHit } = product;
    await using wire = await wireTo(database);
    await using gateway = await createTestGateway(wire);
    await untilHit(gateway);
    await expect.poll(wire.idleMs, { interval: 50 }).toBeGreaterThan(1000);
    // And a change in the meantime shows all the same.
    await setPrice(5);
    expect(await readPrice(gateway)).toBe(5);
  });

  test.for([
    [0, 3],
    [500, 2],
  ] as const)(
    'are shared: with FRESHNESS_MS=%i, 1,000 requests at once take no more than %i',
    async ([freshnessMs, most]) => {
      const { database, read, untilHit } = product;
      await using wire = await wireTo(database);
      await using gateway = await createTestGateway(wire, { FRESHNESS_MS: String(freshnessMs) });
      await untilHit(gateway);
      await expect.poll(wire.idleMs, { interval: 5 }).toBeGreaterThan(freshnessMs);
      const before = wire.timesSent('vitrine_beat');
      const startedMs = performance.now();
      const statements = await gateway.countStatements(() =>
        Promise.all(Array.from({ length: 1000 }, () => read(gateway))),
      );
      // All from memory; a request that has waited for 300 ms, on a busy machine, reads instead, together with the others.
      expect(statements).toBeLessThan(performance.now() - startedMs < 300 ? 1 : 10);
      const heartbeats = wire.timesSent('vitrine_beat') - before;
      expect(heartbeats).toBeGreaterThan(0);
      expect(heartbeats).toBeLessThanOrEqual(most);
    },
  );

  test('go on while the back office holds a table, whose answers stay in memory until it lets go', async () => {
    const { database, read, readPrice, untilHit } = product;
    await using gateway = await createTestGateway(database, { FRESHNESS_MS: '1000' });
    const notices = (): Promise<CachedResponse> => gateway.get('/api/notice/list');
    await untilHit(gateway);
    await notices();
    await using backOffice = await openSession(database);
    await backOffice.query('begin');
    await backOffice.query('create temp table reloaded on commit drop as table product');
    await backOffice.query('truncate product cascade');
    const heldMs = performance.now();
    // For longer than the bound, than a heartbeat may take, and than it takes to connect again.
    while (performance.now() - heldMs < 2000) {
      expect((await read(gateway)).headers['cache-status']).toBe('vitrine; hit');
      expect((await notices()).status).toBe(200);
    }
    await backOffice.query('update reloaded set price = 7');
    await backOffice.query('insert into product select * from reloaded');
    await backOffice.query('commit');
    await expect.poll(() => readPrice(gateway), { interval: 5 }).toBe(7);
    expect(gateway.logged.filter(({ msg }) => String(msg).includes('is lost'))).toEqual([]);
  });
});
