import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startFreshnessMonitor } from '../../src/cache/freshness-monitor.ts';
import { createTagVersions } from '../../src/cache/tags.ts';
import { createClock } from '../../src/database/clock.ts';
import { connectionConfig } from '../../src/database/connection.ts';
import { createTestDatabase } from '../support/database.ts';

const FRESHNESS_MS = 100;

/** Stops the process, as a garbage collection does. */
const pause = (ms: number): void => {
  for (const startMs = performance.now(); performance.now() - startMs < ms; );
};

test('a request does not join a heartbeat that was sent before the bound, even if the process paused after sending it', async () => {
  await using database = await createTestDatabase();
  const sentMs: number[] = [];
  let isSlow = false;
  const monitor = await startFreshnessMonitor({
    source: {
      tables: [],
      notifiesChanges: true,
      prepare: async () => async () => {
        sentMs.push(performance.now());
        if (isSlow) {
          pause(0.6 * FRESHNESS_MS);
          await delay(1.5 * FRESHNESS_MS);
        } else await delay(1);
        return { now: Date.now() };
      },
    },
    connection: connectionConfig(database.url),
    clock: createClock(),
    tagVersions: createTagVersions([]),
    freshnessMs: FRESHNESS_MS,
    log: pino({ level: 'silent' }),
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
