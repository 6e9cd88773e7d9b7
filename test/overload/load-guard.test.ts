import { performance } from 'node:perf_hooks';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { Overloaded } from '../../src/errors.ts';
import { createLoadGuard, type LoadGuard, watchLoopLag } from '../../src/overload/load-guard.ts';

const MAX_WAIT_MS = 500;
const POOL_SIZE = 10;
/** What may be executed at the same time, beside what may begin. */
const EXECUTIONS = 64 + 32;

afterEach(() => {
  vi.useRealTimers();
});

const createGuard = (pool = { waitingCount: 0 }): LoadGuard =>
  createLoadGuard({
    maxInFlight: 5000,
    maxWaitMs: MAX_WAIT_MS,
    maxLoopLagMs: 250,
    poolSize: POOL_SIZE,
    pool,
    lag: { standingMs: () => 0, stop: () => {} },
    log: pino({ level: 'silent' }),
  });

test('nothing is executed past the queue of the pool', () => {
  const pool = { waitingCount: 0 };
  const guard = createGuard(pool);
  expect(guard.enter()).toBeUndefined();
  pool.waitingCount = 100 * POOL_SIZE;
  expect(guard.enter).toThrow(Overloaded);
  pool.waitingCount = 0;
  expect(guard.enter()).toBeUndefined();
});

test('when all who may begin have begun, there is still room for executions that wait in no line', () => {
  const guard = createGuard();
  let begun = 0;
  for (; guard.begin(); begun += 1) expect(guard.enter()).toBeUndefined();
  expect(begun).toBe(64);
  for (let more = begun; more < EXECUTIONS; more += 1) expect(guard.enter()).toBeUndefined();
  expect(guard.enter()).toBeInstanceOf(Promise);
});

test('of requests that each take the event loop 5 ms, no more may begin than two for each connection', () => {
  let active = 0;
  const utilization = vi
    .spyOn(performance, 'eventLoopUtilization')
    .mockImplementation((since) => ({ active: active - (since?.active ?? 0), idle: 0, utilization: 1 }));
  const guard = createGuard();
  for (let number = 0; number < 2000; number += 1) {
    expect(guard.begin()).toBe('begin');
    active += 5;
    guard.finish();
  }
  let begun = 0;
  while (guard.begin()) begun += 1;
  expect(begun).toBe(POOL_SIZE * 2);
  utilization.mockRestore();
});

test('an execution whose turn comes too late is refused', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const guard = createGuard();
  for (let number = 0; number < EXECUTIONS; number += 1) guard.enter();
  const [first, second] = [guard.enter(), guard.enter()];
  vi.advanceTimersByTime(MAX_WAIT_MS);
  guard.leave();
  await expect(first).resolves.toBeUndefined();
  vi.advanceTimersByTime(1);
  guard.leave();
  await expect(second).rejects.toThrow(Overloaded);
});

test('one long pause of the event loop is no lag; a loop that is late each time is', () => {
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
