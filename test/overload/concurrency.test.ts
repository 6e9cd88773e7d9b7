import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchConcurrency } from '../../src/overload/load-guard.ts';

const LEAST = 10;
const MOST = 64;
/** Milliseconds of an event loop that the test lets pass. */
let loop = { active: 0, idle: 0 };

beforeEach(() => {
  loop = { active: 0, idle: 0 };
  vi.spyOn(performance, 'eventLoopUtilization').mockImplementation((since = { active: 0, idle: 0, utilization: 0 }) => {
    const active = loop.active - since.active;
    const idle = loop.idle - since.idle;
    return { active, idle, utilization: active + idle > 0 ? active / (active + idle) : 0 };
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

const finish = (
  concurrency: ReturnType<typeof watchConcurrency>,
  count: number,
  each: { active: number; idle?: number },
): void => {
  for (let number = 0; number < count; number += 1) {
    loop.active += each.active;
    loop.idle += each.idle ?? 0;
    concurrency.finished();
  }
};

test.for<[number, number]>([
  [0.1, MOST],
  [0.5, 40],
  [1, 20],
  [5, LEAST],
])('a loop that is busy with requests of %f ms has %i under way: what it gets through in a turn', ([ms, places]) => {
  const concurrency = watchConcurrency({ least: LEAST, most: MOST });
  expect(concurrency.current()).toBe(MOST);
  finish(concurrency, 2048, { active: ms });
  expect(concurrency.current()).toBe(places);
});

test('where the database is what is waited for, more are under way, and fewer again when the loop is busy', () => {
  const concurrency = watchConcurrency({ least: LEAST, most: MOST });
  finish(concurrency, 2048, { active: 1 });
  expect(concurrency.current()).toBe(20);
  finish(concurrency, 2048, { active: 1, idle: 1 });
  expect(concurrency.current()).toBe(MOST);
  finish(concurrency, 2048, { active: 1, idle: 0.05 });
  expect(concurrency.current()).toBe(20);
});

test('of those that are finished in one turn, the first does not stand for the others', () => {
  const concurrency = watchConcurrency({ least: LEAST, most: MOST });
  finish(concurrency, 2048, { active: 1 });
  for (let turn = 0; turn < 20; turn += 1) {
    finish(concurrency, 32, { active: 1.9 });
    finish(concurrency, 32, { active: 0.1 });
    expect(concurrency.current()).toBeLessThan(25);
  }
});

test('one pause does not decide it', () => {
  const concurrency = watchConcurrency({ least: LEAST, most: MOST });
  finish(concurrency, 2048, { active: 0.2 });
  loop.active += 100;
  finish(concurrency, 32, { active: 0.2 });
  expect(concurrency.current()).toBeGreaterThan(MOST * 0.8);
  finish(concurrency, 1000, { active: 0.2 });
  expect(concurrency.current()).toBe(MOST);
});
