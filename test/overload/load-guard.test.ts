import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Overloaded } from '../../src/errors.ts';
import { createLoadGuard, type LoadGuard, watchLoopLag } from '../../src/overload/load-guard.ts';

// The rule by itself, on a clock of its own: a server with so many places, of which each finishes one execution in a fixed time.

const MAX_WAIT_MS = 500;
const POOL_SIZE = 10;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const createGuard = (pool = { waitingCount: 0 }, lagMs = 0): LoadGuard =>
  createLoadGuard({
    maxInFlight: 5000,
    maxWaitMs: MAX_WAIT_MS,
    maxLoopLagMs: 250,
    poolSize: POOL_SIZE,
    pool,
    lag: { standingMs: () => lagMs, stop: () => {} },
    log: pino({ level: 'silent' }),
  });

interface Outcome {
  readonly finishedPerS: number;
  readonly refused: number;
  readonly longestWaitMs: number;
}

/** First come, first served. @param arrivals how many come in this millisecond */
const simulate = (
  guard: LoadGuard,
  serviceMsAt: (ms: number) => number,
  forMs: number,
  arrivals: (ms: number) => number,
): Outcome => {
  const queue: number[] = [];
  const places: { enteredMs: number; doneMs: number }[] = [];
  let finished = 0;
  let refused = 0;
  let longestWaitMs = 0;
  for (let ms = 0; ms < forMs; ms += 1) {
    vi.advanceTimersByTime(1);
    const nowMs = performance.now();
    for (const place of places.filter(({ doneMs }) => doneMs <= nowMs)) {
      places.splice(places.indexOf(place), 1);
      finished += 1;
      guard.leave(true);
    }
    for (let left = arrivals(ms); left > 0; left -= 1) {
      try {
        // Whose turn it is, is decided here by the places below.
        guard.enter()?.catch(() => {});
        queue.push(nowMs);
      } catch (error) {
        expect(error).toBeInstanceOf(Overloaded);
        refused += 1;
      }
    }
    while (places.length < POOL_SIZE && queue.length > 0) {
      const enteredMs = queue.shift() ?? 0;
      // The first moments, in which nothing is known yet, are looked at by themselves.
      if (ms > forMs / 2) longestWaitMs = Math.max(longestWaitMs, nowMs - enteredMs);
      places.push({ enteredMs, doneMs: nowMs + serviceMsAt(ms) });
    }
  }
  return { finishedPerS: (finished / forMs) * 1000, refused, longestWaitMs };
};

const evenly = (perSecond: number) => (ms: number) =>
  Math.floor(((ms + 1) * perSecond) / 1000) - Math.floor((ms * perSecond) / 1000);

describe('asked for more than it can do', () => {
  test.for([
    [5, 1.2],
    [5, 4],
    [20, 4],
    [20, 8],
    [200, 2],
    [200, 8],
    [1000, 4],
  ] as const)('(%i ms each, %f times as much) it does what it can, and nobody waits long', ([serviceMs, factor]) => {
    const perSecond = (POOL_SIZE / serviceMs) * 1000;
    const { finishedPerS, refused, longestWaitMs } = simulate(
      createGuard(),
      () => serviceMs,
      10_000,
      evenly(perSecond * factor),
    );
    expect(finishedPerS).toBeGreaterThan(perSecond * 0.89);
    expect(refused).toBeGreaterThan(0);
    expect(longestWaitMs).toBeLessThan(Math.max(MAX_WAIT_MS, serviceMs * 4) * 1.25);
  });

  test('it follows when the work becomes harder', () => {
    const serviceMsAt = (ms: number): number => (ms < 3000 ? 2 : 20);
    const { finishedPerS, longestWaitMs } = simulate(createGuard(), serviceMsAt, 20_000, evenly(8000));
    expect(longestWaitMs).toBeLessThan(MAX_WAIT_MS * 1.25);
    expect(finishedPerS).toBeGreaterThan(((3 * 5000 + 17 * 500) * 0.95) / 20);
  });

  test('it follows when the work becomes easier', () => {
    const serviceMsAt = (ms: number): number => (ms < 5000 ? 100 : 2);
    const { finishedPerS } = simulate(createGuard(), serviceMsAt, 10_000, evenly(10_000));
    expect(finishedPerS).toBeGreaterThan(((5 * 100 + 5 * 5000) * 0.8) / 10);
  });
});

test('asked for less than it can do, it refuses nothing', () => {
  for (const serviceMs of [1, 20, 200, 1000]) {
    const perSecond = (POOL_SIZE / serviceMs) * 1000;
    expect(simulate(createGuard(), () => serviceMs, 10_000, evenly(perSecond * 0.9)).refused).toBe(0);
  }
});

test('it lets nobody in past the queue of the pool', () => {
  const pool = { waitingCount: 0 };
  const guard = createGuard(pool);
  for (let count = 0; count < 40; count += 1) expect(guard.enter()).toBeUndefined();
  expect(guard.isFull()).toBe(false);
  pool.waitingCount = 1000;
  expect(guard.isFull()).toBe(true);
  expect(guard.enter).toThrow(Overloaded);
  pool.waitingCount = 0;
  expect(guard.isFull()).toBe(false);
});

test('so many work side by side, and the others get their turn in the order in which they came', async () => {
  const guard = createGuard();
  const begun: number[] = [];
  const waiting: Promise<void>[] = [];
  for (let number = 0; number < 1200; number += 1) {
    const turn = guard.enter();
    if (turn) waiting.push(turn.then(() => void begun.push(number)));
  }
  expect(waiting).toHaveLength(1200 - 64);
  for (let left = 0; left < 1200; left += 1) guard.leave(true);
  await Promise.all(waiting);
  expect(begun).toEqual(Array.from({ length: 1200 - 64 }, (_, index) => index + 64));
  for (let number = 0; number < 64; number += 1) expect(guard.enter()).toBeUndefined();
  expect(guard.enter()).toBeInstanceOf(Promise);
});

test('an execution whose turn comes much later than was foreseen is refused', async () => {
  const guard = createGuard();
  for (let number = 0; number < 64; number += 1) guard.enter();
  const [late, later] = [guard.enter(), guard.enter()];
  vi.advanceTimersByTime(MAX_WAIT_MS);
  guard.leave(true);
  await expect(late).resolves.toBeUndefined();
  vi.advanceTimersByTime(MAX_WAIT_MS / 2);
  guard.leave(true);
  await expect(later).rejects.toThrow(Overloaded);
});

test('an event loop that is late for all lets more wait, not fewer in', () => {
  const waitingWith = (lagMs: number): number => {
    const guard = createGuard(undefined, lagMs);
    simulate(guard, () => 5, 3000, evenly(8000));
    return guard.stats.inFlight;
  };
  expect(waitingWith(MAX_WAIT_MS)).toBeGreaterThan(waitingWith(0) * 1.5);
});

test('one long pause of the event loop is no lag; a loop that is late each time is', () => {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let nowMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const lag = watchLoopLag();
  const lookLate = (lateMs: number): number => {
    nowMs += 50 + lateMs;
    vi.advanceTimersByTime(50);
    return lag.standingMs();
  };
  expect([0, 300, 100, 100, 100].map(lookLate)).toEqual([0, 0, 0, 0, 100]);
  lag.stop();
  clock.mockRestore();
});

test('what is given up does not count as finished', () => {
  const guard = createGuard();
  for (let ms = 0; ms < 2000; ms += 1) {
    vi.advanceTimersByTime(1);
    for (let each = 0; each < 5 && !guard.isFull(); each += 1) guard.enter()?.catch(() => {});
    if (ms > 300 && guard.stats.inFlight > 0) guard.leave(false);
  }
  // As many as always may be, and no more for all that left.
  expect(guard.stats.inFlight).toBeLessThanOrEqual(4 * POOL_SIZE);
});

test('a crowd that comes at once is let in, however little was asked for before', () => {
  const guard = createGuard();
  const crowd = (ms: number): number => (ms === 3000 ? 1000 : ms % 100 === 0 ? 1 : 0);
  expect(simulate(guard, () => 5, 8000, crowd).refused).toBe(0);
});
