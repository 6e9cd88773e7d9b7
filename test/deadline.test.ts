import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withDeadline } from '../src/deadline.ts';
import { databaseUnavailable } from '../src/errors.ts';

// Its own timers and clock alone: nothing here waits for a process or a database.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Of these alone: what else runs in this process may set timers, too. */
const MS = 1003;

/** How many timers of that time were set and have not been cleared. */
const countTimers = (): (() => number) => {
  const set = vi.spyOn(globalThis, 'setTimeout');
  const clear = vi.spyOn(globalThis, 'clearTimeout');
  return () => {
    const cleared = new Set(clear.mock.calls.map(([timer]) => timer));
    return set.mock.results.filter(({ value }, place) => set.mock.calls[place]?.[1] === MS && !cleared.has(value))
      .length;
  };
};

const never = <Value>(): Promise<Value> => new Promise(() => {});

/** How a promise has ended; undefined where it has not. */
const endOf = <Value>(promise: Promise<Value>): { readonly end: () => unknown } => {
  let end: unknown;
  promise.then(
    (value) => {
      end = value;
    },
    (error: unknown) => {
      end = error;
    },
  );
  return { end: () => end };
};

test('each wait fails after its own time, in the order in which they began', async () => {
  const first = endOf(withDeadline(never(), 1000));
  await vi.advanceTimersByTimeAsync(400);
  const second = endOf(withDeadline(never(), 1000));
  await vi.advanceTimersByTimeAsync(550);
  expect([first.end(), second.end()]).toEqual([undefined, undefined]);
  await vi.advanceTimersByTimeAsync(100);
  expect([first.end(), second.end()]).toEqual([databaseUnavailable(), undefined]);
  await vi.advanceTimersByTimeAsync(400);
  expect(second.end()).toEqual(databaseUnavailable());
});

test('what ends in time gives its value or its error, whichever of the others has ended, and then no timer is left', async () => {
  const timers = countTimers();
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const ends = works.map(({ promise }) => endOf(withDeadline(promise, MS)));
  for (const place of [2, 0, 4]) works[place]?.resolve(place);
  works[1]?.reject(new Error('broken'));
  await vi.advanceTimersByTimeAsync(500);
  expect(ends.map(({ end }) => end())).toEqual([0, new Error('broken'), 2, undefined, 4]);
  expect(timers()).toBe(1);
  works[3]?.resolve(3);
  await vi.advanceTimersByTimeAsync(100);
  expect(ends[3]?.end()).toBe(3);
  expect(timers()).toBe(0);
});

test('what ends after its time disturbs none of those that have begun since', async () => {
  const timers = countTimers();
  const [late, next] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const tooLate = endOf(withDeadline(late.promise, MS));
  await vi.advanceTimersByTimeAsync(600);
  const inTime = endOf(withDeadline(next.promise, MS));
  await vi.advanceTimersByTimeAsync(450);
  next.resolve('in time');
  await vi.advanceTimersByTimeAsync(0);
  const since = endOf(withDeadline(never(), MS));
  late.resolve('late');
  await vi.advanceTimersByTimeAsync(1100);
  expect([tooLate.end(), inTime.end(), since.end()]).toEqual([databaseUnavailable(), 'in time', databaseUnavailable()]);
  // The one that was due.
  expect(timers()).toBe(1);
});
