import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { FreshnessMonitor } from '../../src/cache/freshness-monitor.ts';
import { HEARTBEAT_TIMEOUT_MS, type SendHeartbeat } from '../../src/cache/listen.ts';
import { TagVersions } from '../../src/cache/tags.ts';
import { createClock } from '../../src/database/clock.ts';
import { connectionConfig } from '../../src/database/connection.ts';
import { createTestDatabase } from '../support/database.ts';
import { wireTo } from '../support/wire.ts';

const FRESHNESS_MS = 100;

/** Stops the process, as a garbage collection does. */
const pause = (ms: number): void => {
  for (const startMs = performance.now(); performance.now() - startMs < ms; );
};

const start = async ({ url }: { readonly url: string }, send: SendHeartbeat): Promise<FreshnessMonitor> => {
  const monitor = new FreshnessMonitor({
    listen: async () => send,
    connection: connectionConfig(url),
    clock: createClock(),
    tagVersions: new TagVersions([]),
    freshnessMs: FRESHNESS_MS,
    log: pino({ level: 'silent' }),
  });
  await monitor.connect();
  return monitor;
};

test('a request does not join a heartbeat that was sent before the bound, even if the process paused after sending it', async () => {
  await using database = await createTestDatabase();
  const sentMs: number[] = [];
  let isSlow = false;
  const monitor = await start(database, async () => {
    sentMs.push(performance.now());
    if (isSlow) {
      pause(0.6 * FRESHNESS_MS);
      await delay(1.5 * FRESHNESS_MS);
    } else await delay(1);
    return { now: Date.now() };
  });
  // What was committed while the answer was on its way is not known.
  expect(monitor.asOfMs()).toBeLessThanOrEqual(sentMs.at(-1) ?? 0);
  await expect.poll(() => performance.now() - monitor.asOfMs()).toBeGreaterThan(FRESHNESS_MS);
  isSlow = true;
  void monitor.freshen();
  await expect.poll(() => performance.now() - (sentMs.at(-1) ?? 0)).toBeGreaterThan(FRESHNESS_MS);
  const arrivedMs = performance.now();
  await monitor.freshen();
  expect(arrivedMs - (sentMs.at(-1) ?? 0)).toBeLessThan(FRESHNESS_MS);
  await monitor.close();
});

test('at the start a connection may take longer than a heartbeat: a busy machine starts late, and not in vain', async () => {
  await using database = await createTestDatabase();
  await using wire = await wireTo(database);
  wire.freeze();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const starting = start(wire, async () => ({ now: Date.now() }));
  try {
    await expect.poll(wire.connectionCount).toBe(1);
    vi.advanceTimersByTime(2 * HEARTBEAT_TIMEOUT_MS);
  } finally {
    vi.useRealTimers();
  }
  await wire.restore();
  const monitor = await starting;
  expect(monitor.isLost()).toBe(false);
  await monitor.close();
});
