import { performance } from 'node:perf_hooks';
import { afterEach, expect, test, vi } from 'vitest';
import { Overloaded } from '../../src/errors.ts';
import { createLoadGuard, type LoadGuard } from '../../src/overload/load-guard.ts';

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
    poolSize: POOL_SIZE,
    pool,
    onRefused: () => {},
  });

/** Work that has begun, and goes on until it is told to end. */
const createWorks = () => {
  const ends: (() => void)[] = [];
  return {
    work: () => new Promise<void>((resolve) => ends.push(resolve)),
    begun: () => ends.length,
    endAll: (): void => {
      for (const end of ends.splice(0)) end();
    },
  };
};

/** All promise jobs that are due. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('nothing is executed past the queue of the pool', async () => {
  const pool = { waitingCount: 0 };
  const guard = createGuard(pool);
  const work = async (): Promise<string> => 'done';
  expect(await guard.during(work)).toBe('done');
  pool.waitingCount = 100 * POOL_SIZE;
  await expect(guard.during(work)).rejects.toThrow(Overloaded);
  pool.waitingCount = 0;
  expect(await guard.during(work)).toBe('done');
  expect(guard.inFlight()).toBe(0);
});

test('when all who may begin have begun, there is still room for executions that wait in no line', () => {
  const guard = createGuard();
  const { work, begun } = createWorks();
  while (guard.line.ifFree(undefined, () => guard.during(work))) expect(begun()).toBeLessThanOrEqual(64);
  expect(begun()).toBe(64);
  for (let more = begun(); more < EXECUTIONS + 3; more += 1) void guard.during(work);
  expect(begun()).toBe(EXECUTIONS);
  expect(guard.inFlight()).toBe(EXECUTIONS + 3);
});

test('of requests that each take the event loop 5 ms, no more may begin than two for each connection', async () => {
  let active = 0;
  const utilization = vi
    .spyOn(performance, 'eventLoopUtilization')
    .mockImplementation((since) => ({ active: active - (since?.active ?? 0), idle: 0, utilization: 1 }));
  const guard = createGuard();
  for (let number = 0; number < 2000; number += 1) {
    await guard.line.ifFree(undefined, async () => {
      active += 5;
    });
  }
  const { work, begun } = createWorks();
  while (guard.line.ifFree(undefined, work)) expect(begun()).toBeLessThanOrEqual(64);
  expect(begun()).toBe(POOL_SIZE * 2);
  utilization.mockRestore();
});

test('executions whose turn comes too late are refused, and keep no place', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const guard = createGuard();
  const { work, begun, endAll } = createWorks();
  for (let number = 0; number < EXECUTIONS; number += 1) void guard.during(work);
  const late = Promise.allSettled(Array.from({ length: 200 }, () => guard.during(work)));
  vi.advanceTimersByTime(MAX_WAIT_MS + 1);
  endAll();
  for (const { status, ...rest } of await late) {
    expect(status).toBe('rejected');
    expect(rest).toMatchObject({ reason: expect.any(Overloaded) });
  }
  expect(guard.inFlight()).toBe(0);
  for (let number = 0; number < EXECUTIONS; number += 1) void guard.during(work);
  expect(begun()).toBe(EXECUTIONS);
});

test('work that fails gives its place back', async () => {
  const guard = createGuard();
  const fail = async (): Promise<never> => {
    throw new Error('broken');
  };
  for (let number = 0; number < EXECUTIONS + 1; number += 1) {
    await expect(guard.line.ifFree('key', () => guard.during(fail))).rejects.toThrow('broken');
  }
  const { work, endAll } = createWorks();
  while (guard.line.ifFree(undefined, work));
  const turns = Array.from({ length: 3 }, () =>
    guard.line.inTurn({ key: undefined, bytes: 1, isGone: undefined }, fail),
  );
  const ends = Promise.allSettled(turns);
  endAll();
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await settled();
  expect(guard.inFlight()).toBe(0);
  expect(guard.line.ifFree(undefined, work)).toBeInstanceOf(Promise);
});
