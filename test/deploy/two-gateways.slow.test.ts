import { beforeAll, describe, expect, test } from 'vitest';
import { type Asked, getByNewConnection, keepAsking } from '../support/asking.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hasHaproxy, type Instance, nameIn, startHaproxy, startInstance } from '../support/haproxy.ts';
import type { ProxyProcess } from '../support/proxy-process.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { BROKEN, expectEachInARow, expectHonest, numbers, startLoad, type View, view } from '../support/views.ts';

// Two gateways behind HAProxy on one PostgreSQL, all as processes of their own, the proxy with the file that deploy/ ships.

const FRESHNESS_MS = 100;

let database: TestDatabase;
let one: Instance;
let two: Instance;
let proxy: ProxyProcess;
let product: number;

describe.skipIf(!hasHaproxy)('behind HAProxy', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    const started = new AsyncDisposableStack();
    database = started.use(await createTestDatabase());
    product = await insertProduct(database, { category_id: await insertCategory(database) });
    [one, two] = await Promise.all([startInstance(database.url), startInstance(database.url)]);
    started.use(one);
    started.use(two);
    proxy = started.use(await startHaproxy([one.address, two.address]));
    return () => started.disposeAsync();
  });

  const target = (): string => `${proxy.url}/api/product/${product}`;

  /** Resolves once the proxy sends requests to both. */
  const untilBothServe = async (): Promise<void> => {
    const names = await Promise.all([one.name(), two.name()]);
    const seen = new Set<string>();
    await expect
      .poll(
        async () => {
          seen.add(nameIn((await getByNewConnection(target())).headers));
          return names.every((name) => seen.has(name));
        },
        { interval: 20, timeout: 60_000 },
      )
      .toBe(true);
  };

  /** Views of a notice, of which none waits for ever, with the moment that each that failed was sent. */
  const watchedView = () => {
    const failedSinceMs: number[] = [];
    const look = async (url: string, id: number, api?: 'rest' | 'graphql'): Promise<View> => {
      const startedMs = performance.now();
      const late = new Promise<View>((resolve) => setTimeout(resolve, 10_000, BROKEN).unref());
      const seen = await Promise.race([view(url, id, api), late]);
      if (seen.status !== 200) failedSinceMs.push(startedMs);
      return seen;
    };
    return { look, failedSinceMs };
  };

  test('a change is seen through both as soon as it must', async () => {
    await untilBothServe();
    const names = await Promise.all([one.name(), two.name()]);
    let hits = 0;
    for (const price of numbers(1, 20)) {
      await database.sql('update product set price = $1 where id = $2', [price, product]);
      const dueMs = performance.now() + FRESHNESS_MS;
      const checked = new Set<string>();
      await expect
        .poll(
          async () => {
            const { status, headers, text, startedMs }: Asked = await getByNewConnection(target());
            expect(status).toBe(200);
            if (startedMs <= dueMs) return checked.size;
            expect(text, `${startedMs - dueMs} ms after it was due`).toContain(`"amount":"${price}.00"`);
            checked.add(nameIn(headers));
            if (String(headers['cache-status']).endsWith('hit')) hits += 1;
            return checked.size;
          },
          { interval: 5, timeout: 30_000 },
        )
        .toBe(2);
      expect([...checked].toSorted()).toEqual(names.toSorted());
    }
    expect(hits, 'answers came from memory').toBeGreaterThan(0);
  });

  test('a rolling restart under load fails no request and loses no view', async () => {
    await untilBothServe();
    const before = await Promise.all([one.name(), two.name()]);
    const id = await insertNotice(database);
    await using load = startLoad({ url: () => proxy.url, ids: [id], clients: 20 });
    await using asking = keepAsking(target(), 4);
    for (const instance of [one, two]) {
      await load.answered(100);
      await instance.restart();
      await untilBothServe();
    }
    await load.answered(100);
    expect(await asking.stop()).toEqual([]);
    await load.stop();
    await expectEachInARow(database, load.tally);
    expect(asking.count()).toBeGreaterThan(100);
    for (const name of await Promise.all([one.name(), two.name()])) expect(before).not.toContain(name);
  });

  test('a gateway that is killed under load loses the views that it was at, and nothing else', async () => {
    await untilBothServe();
    const ids = await Promise.all(numbers(1, 3).map(() => insertNotice(database)));
    const { look, failedSinceMs } = watchedView();
    await using load = startLoad({ url: () => proxy.url, ids, clients: 20, look });
    await using asking = keepAsking(target(), 4);
    for (const instance of [one, two]) {
      await load.answered(200);
      const failedBefore = failedSinceMs.length;
      const goneMs = await instance.kill();
      await load.answered(200);
      const lost = failedSinceMs.slice(failedBefore);
      expect(lost.length).toBeGreaterThan(0);
      // A client may lose more than one: its next view goes over another connection to the same gateway, where HAProxy has not yet found that one closed.
      for (const startedMs of lost) expect(startedMs).toBeLessThanOrEqual(goneMs);
      await expectHonest(database, load.tally);
      await instance.startAgain();
      await untilBothServe();
    }
    await load.answered(200);
    expect(await asking.stop(), 'what counts nothing is asked of the other').toEqual([]);
    await load.stop();
    await expectHonest(database, load.tally);
  });
});
