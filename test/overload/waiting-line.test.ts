import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createWaitingLine, type Place } from '../../src/overload/waiting-line.ts';

// The rule by itself, on a clock of its own.

type WaitingLine = ReturnType<typeof createWaitingLine>;

const MAX_WAIT_MS = 500;
const PLACES = 10;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const createLine = ({ maxWaiting = 5000, maxWaitingBytes = 1_000_000 } = {}): WaitingLine =>
  createWaitingLine({ places: () => PLACES, maxWaitMs: MAX_WAIT_MS, maxWaiting, maxWaitingBytes });

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** A line whose places are all taken. */
const createFullLine = (options?: Parameters<typeof createLine>[0]): WaitingLine => {
  const line = createLine(options);
  for (let place = 0; place < PLACES; place += 1) expect(line.enter()).toBe('begin');
  expect(line.enter()).toBeUndefined();
  return line;
};

/** Waits, and notes under a name what came of it. */
const queue = (
  line: WaitingLine,
  settled: string[],
  name: string,
  { key, isGone }: { key?: string; isGone?: () => boolean } = {},
): void => {
  const note = (turn: Place | undefined): void => {
    settled.push(turn === 'begin' ? name : `${name} ${turn ? 'joins' : 'is rejected'}`);
  };
  void line.wait({ key, bytes: 1, isGone }).then(note);
};

interface Outcome {
  readonly finishedPerS: number;
  readonly rejectedPerS: number;
  readonly longestWaitMs: number;
}

/** A server that takes so long for each, and clients who share so many connections. Those who find none free do not ask. */
const simulate = async (serviceMs: number, perMs: number, connections: number, forMs = 10_000): Promise<Outcome> => {
  const line = createLine();
  const busyUntilMs: number[] = [];
  let asking = 0;
  let finished = 0;
  let rejected = 0;
  let longestWaitMs = 0;
  const begin = (): void => void busyUntilMs.push(performance.now() + serviceMs);
  let due = 0;
  for (let ms = 0; ms < forMs; ms += 1) {
    await pass(1);
    const nowMs = performance.now();
    while ((busyUntilMs[0] ?? Number.POSITIVE_INFINITY) <= nowMs) {
      busyUntilMs.shift();
      finished += 1;
      asking -= 1;
      line.leave();
    }
    for (due += perMs; due >= 1; due -= 1) {
      if (asking === connections) continue;
      asking += 1;
      if (line.enter()) {
        begin();
        continue;
      }
      void line.wait({ key: undefined, bytes: 1, isGone: undefined }).then((turn) => {
        if (turn) {
          longestWaitMs = Math.max(longestWaitMs, performance.now() - nowMs);
          begin();
        } else {
          rejected += 1;
          asking -= 1;
        }
      });
    }
  }
  line.stop();
  return { finishedPerS: (finished / forMs) * 1000, rejectedPerS: (rejected / forMs) * 1000, longestWaitMs };
};

describe('asked for more than it can do', () => {
  test.for([
    [5, 1.2],
    [5, 8],
    [20, 4],
    [200, 2],
  ] as const)('(%i ms each, %f times as much) it does what it can, and rejects few', async ([serviceMs, factor]) => {
    const perMs = PLACES / serviceMs;
    const connections = 300;
    const { finishedPerS, rejectedPerS, longestWaitMs } = await simulate(serviceMs, perMs * factor, connections, 5000);
    expect(finishedPerS).toBeGreaterThan(perMs * 1000 * 0.95);
    expect(longestWaitMs).toBeLessThanOrEqual(MAX_WAIT_MS);
    expect(rejectedPerS).toBeLessThanOrEqual(connections / (MAX_WAIT_MS / 1000));
  });
});

test('asked for less than it can do, nobody is rejected', async () => {
  for (const serviceMs of [2, 20, 200]) {
    expect((await simulate(serviceMs, (PLACES / serviceMs) * 0.9, 1000, 3000)).rejectedPerS).toBe(0);
  }
});

test('clients that ask again as soon as they are answered are not rejected while all can be answered within half of the longest wait', async () => {
  const serviceMs = 20;
  const clients = (PLACES / serviceMs) * MAX_WAIT_MS * 0.4;
  const { finishedPerS, rejectedPerS } = await simulate(serviceMs, clients, clients, 5000);
  expect(rejectedPerS).toBe(0);
  expect(finishedPerS).toBeGreaterThan((PLACES / serviceMs) * 1000 * 0.95);
});

test('who came first begins first, until the first has waited for half of the longest wait; from then on who came last', async () => {
  const line = createFullLine();
  const settled: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) queue(line, settled, name);
  line.leave();
  await pass(MAX_WAIT_MS / 2 - 1);
  line.leave();
  await pass(1);
  line.leave();
  line.leave();
  await pass(0);
  expect(settled).toEqual(['a', 'b', 'd', 'c']);
});

test('nobody is rejected before the longest wait is over, and nobody begins after it', async () => {
  const line = createFullLine();
  const settled: string[] = [];
  queue(line, settled, 'early');
  await pass(MAX_WAIT_MS / 2);
  queue(line, settled, 'late');
  await pass(MAX_WAIT_MS / 2 - 1);
  expect(settled).toEqual([]);
  await pass(1);
  expect(settled).toEqual(['early is rejected']);
  // The event loop was held up for longer than the timer was set for.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + MAX_WAIT_MS);
  line.leave();
  await Promise.resolve();
  expect(settled).toEqual(['early is rejected']);
  expect(line.enter(), 'whoever comes now is in time').toBe('begin');
  vi.mocked(performance.now).mockRestore();
});

test('a crowd that came together is rejected a few at a time, so that others are answered in between', async () => {
  const line = createFullLine();
  const settled: string[] = [];
  for (let count = 0; count < 1000; count += 1) queue(line, settled, String(count));
  await pass(MAX_WAIT_MS);
  expect(settled.length).toBeGreaterThan(0);
  expect(settled.length).toBeLessThan(200);
  await pass(2000);
  expect(settled).toHaveLength(1000);
});

test('a client that went away while it waited takes no place', async () => {
  const line = createFullLine();
  const settled: string[] = [];
  queue(line, settled, 'gone', { isGone: () => true });
  queue(line, settled, 'there', { isGone: () => false });
  line.leave();
  await pass(0);
  expect(settled).toEqual(['gone is rejected', 'there']);
  expect(line.taken()).toBe(PLACES);
});

test('of equal requests one takes a place, and the others join it', async () => {
  const line = createFullLine();
  const settled: string[] = [];
  queue(line, settled, 'first', { key: 'a' });
  queue(line, settled, 'other', { key: 'b' });
  await pass(MAX_WAIT_MS / 2);
  queue(line, settled, 'last', { key: 'a' });
  line.leave();
  await pass(0);
  expect(settled).toEqual(['last', 'first joins']);
  expect([line.taken(), line.waiting()]).toEqual([PLACES, 1]);
  expect(line.enter('a'), 'while it has its place').toBe('join');
  line.leave('a');
  await pass(0);
  expect(settled.at(-1), 'what has joined takes no turn').toBe('other');
  expect(line.enter('a')).toBeUndefined();
});

test('what has waited for too long joins no equal request: it is rejected', async () => {
  const line = createFullLine();
  const settled: string[] = [];
  // More than are rejected at once, so that the last of them still waits.
  for (let count = 0; count < 60; count += 1) queue(line, settled, 'late', { key: 'a' });
  await pass(MAX_WAIT_MS);
  expect(line.waiting()).toBe(10);
  queue(line, settled, 'last', { key: 'a' });
  line.leave();
  await pass(0);
  expect(settled.filter((outcome) => outcome !== 'late is rejected')).toEqual(['last']);
  expect(line.waiting()).toBe(10);
});

test('past the bounds of number and size, a request is rejected at once', async () => {
  const bytesOf = async (line: WaitingLine, bytes: number): Promise<unknown> =>
    Promise.race([line.wait({ key: undefined, bytes, isGone: undefined }), pass(0).then(() => 'waits')]);
  const few = createFullLine({ maxWaiting: 2 });
  expect([await bytesOf(few, 1), await bytesOf(few, 1), await bytesOf(few, 1)]).toEqual(['waits', 'waits', undefined]);
  const small = createFullLine({ maxWaitingBytes: 100 });
  expect([await bytesOf(small, 60), await bytesOf(small, 60)]).toEqual(['waits', undefined]);
  small.leave();
  await pass(0);
  expect(await bytesOf(small, 60), 'what no longer waits has no size').toBe('waits');
});
