import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WaitingLine } from '../../src/overload/waiting-line.ts';

// The rule by itself, on a clock of its own.

const MAX_WAIT_MS = 500;
const PLACES = 10;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A line, and the work of those that have begun, which goes on until it is told to end. */
class Server {
  readonly line: WaitingLine;
  readonly #ends: { readonly key: string | undefined; readonly end: () => void }[] = [];

  constructor({ few = 0, maxWaiting = 5000, maxWaitingBytes = 1_000_000 } = {}) {
    const onFinished = (): void => {};
    this.line = new WaitingLine({
      places: () => PLACES,
      few,
      maxWaitMs: MAX_WAIT_MS,
      maxWaiting,
      maxWaitingBytes,
      onFinished,
    });
  }

  work = (key?: string): Promise<void> =>
    new Promise((end) => {
      this.#ends.push({ key, end });
    });

  /** Whether a request may begin now, which it does. */
  begin(key?: string): boolean {
    return this.line.ifFree(key, () => this.work(key)) !== undefined;
  }

  /** Ends the work that began first, or that of the key. */
  async end(key?: string): Promise<void> {
    const place = key === undefined ? 0 : this.#ends.findIndex((each) => each.key === key);
    for (const { end } of this.#ends.splice(place, 1)) end();
    await vi.advanceTimersByTimeAsync(0);
  }
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** A server whose places are all taken. */
const createFull = (options?: ConstructorParameters<typeof Server>[0]): Server => {
  const server = new Server(options);
  for (let place = 0; place < PLACES; place += 1) expect(server.begin()).toBe(true);
  expect(server.begin()).toBe(false);
  return server;
};

/** Waits, and notes under a name what came of it. */
const queue = (
  server: Server,
  settled: string[],
  name: string,
  { key, isGone }: { key?: string; isGone?: () => boolean } = {},
): void => {
  const begin = async (): Promise<string> => {
    settled.push(name);
    await server.work(key);
    return name;
  };
  const note = (done: string | undefined): void => {
    if (done === undefined) settled.push(`${name} is rejected`);
  };
  void server.line.inTurn({ key, bytes: 1, isGone }, begin).then(note);
};

interface Outcome {
  readonly finishedPerS: number;
  readonly rejectedPerS: number;
  readonly longestWaitMs: number;
}

/** A server that takes so long for each, and clients who share so many connections. Those who find none free do not ask. */
const simulate = async (
  serviceMs: number,
  perMs: number,
  connections: number,
  forMs = 10_000,
  few = 0,
): Promise<Outcome> => {
  const { line } = new Server({ few });
  let asking = 0;
  let finished = 0;
  let rejected = 0;
  let longestWaitMs = 0;
  const serve = async (): Promise<true> => {
    await new Promise((resolve) => setTimeout(resolve, serviceMs));
    finished += 1;
    asking -= 1;
    return true;
  };
  let due = 0;
  for (let ms = 0; ms < forMs; ms += 1) {
    await pass(1);
    const nowMs = performance.now();
    for (due += perMs; due >= 1; due -= 1) {
      if (asking === connections) continue;
      asking += 1;
      if (line.ifFree(undefined, serve)) continue;
      const begin = (): Promise<true> => {
        longestWaitMs = Math.max(longestWaitMs, performance.now() - nowMs);
        return serve();
      };
      void line.inTurn({ key: undefined, bytes: 1, isGone: undefined }, begin).then((isServed) => {
        if (isServed) return;
        rejected += 1;
        asking -= 1;
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

test('of few clients none is rejected where the server is only slow: the bound is how long one waits', async () => {
  const slow = await simulate(300, 64, 64, 10_000, 64);
  expect(slow.rejectedPerS).toBe(0);
  expect(slow.longestWaitMs).toBeGreaterThan(MAX_WAIT_MS);
  const stuck = createFull({ few: 64 });
  const settled: string[] = [];
  queue(stuck, settled, 'waits');
  await pass(4999);
  expect(settled).toEqual([]);
  await pass(1);
  expect(settled).toEqual(['waits is rejected']);
});

test('as soon as they are more than few, those are rejected that have waited longest, until few are left', async () => {
  const server = createFull({ few: 20 });
  const settled: string[] = [];
  for (let count = 1; count <= 10; count += 1) queue(server, settled, String(count));
  await pass(MAX_WAIT_MS * 2);
  expect(settled).toEqual([]);
  for (let count = 11; count <= 13; count += 1) queue(server, settled, String(count));
  await pass(0);
  expect(settled).toEqual(['1 is rejected', '2 is rejected', '3 is rejected']);
});

test('who came first begins first, until the first has waited for half of the longest wait; from then on who came last', async () => {
  const server = createFull();
  const settled: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) queue(server, settled, name);
  await server.end();
  await pass(MAX_WAIT_MS / 2 - 1);
  await server.end();
  await pass(1);
  await server.end();
  await server.end();
  await pass(0);
  expect(settled).toEqual(['a', 'b', 'd', 'c']);
});

test('nobody is rejected before the longest wait is over, and nobody begins after it', async () => {
  const server = createFull();
  const settled: string[] = [];
  queue(server, settled, 'early');
  await pass(MAX_WAIT_MS / 2);
  queue(server, settled, 'late');
  await pass(MAX_WAIT_MS / 2 - 1);
  expect(settled).toEqual([]);
  await pass(1);
  expect(settled).toEqual(['early is rejected']);
  // The event loop was held up for longer than the timer was set for.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + MAX_WAIT_MS);
  await server.end();
  await Promise.resolve();
  expect(settled).toEqual(['early is rejected']);
  expect(server.begin(), 'whoever comes now is in time').toBe(true);
  vi.mocked(performance.now).mockRestore();
});

test('a crowd that came together is rejected a few at a time, so that others are answered in between', async () => {
  const server = createFull();
  const settled: string[] = [];
  for (let count = 0; count < 1000; count += 1) queue(server, settled, String(count));
  await pass(MAX_WAIT_MS);
  expect(settled.length).toBeGreaterThan(0);
  expect(settled.length).toBeLessThan(200);
  await pass(2000);
  expect(settled).toHaveLength(1000);
});

test('a client that went away while it waited takes no place', async () => {
  const server = createFull();
  const settled: string[] = [];
  queue(server, settled, 'gone', { isGone: () => true });
  queue(server, settled, 'there', { isGone: () => false });
  await server.end();
  await pass(0);
  expect(settled.sort()).toEqual(['gone is rejected', 'there']);
  expect(server.begin(), 'the place is taken by who is there').toBe(false);
});

test('of equal requests one takes a place, and the others join it', async () => {
  const server = createFull();
  const settled: string[] = [];
  queue(server, settled, 'first', { key: 'a' });
  queue(server, settled, 'other', { key: 'b' });
  await pass(MAX_WAIT_MS / 2);
  queue(server, settled, 'last', { key: 'a' });
  await server.end();
  await pass(0);
  expect(settled).toEqual(['last', 'first']);
  expect(server.begin()).toBe(false);
  expect(server.line.waiting()).toBe(1);
  expect(server.begin('a'), 'while it has its place').toBe(true);
  await server.end('a');
  await pass(0);
  expect(settled.at(-1), 'what has joined takes no turn').toBe('other');
  expect(server.begin('a')).toBe(false);
});

test('what has waited for too long joins no equal request: it is rejected', async () => {
  const server = createFull();
  const settled: string[] = [];
  // More than are rejected at once, so that the last of them still waits.
  for (let count = 0; count < 60; count += 1) queue(server, settled, 'late', { key: 'a' });
  await pass(MAX_WAIT_MS);
  expect(server.line.waiting()).toBe(10);
  queue(server, settled, 'last', { key: 'a' });
  await server.end();
  await pass(0);
  expect(settled.filter((outcome) => outcome !== 'late is rejected')).toEqual(['last']);
  expect(server.line.waiting()).toBe(10);
});

test('past the bounds of number and size, a request is rejected at once', async () => {
  const ask = async ({ line }: Server, bytes: number): Promise<unknown> =>
    Promise.race([
      line.inTurn({ key: undefined, bytes, isGone: undefined }, () => new Promise(() => {})),
      pass(0).then(() => 'waits'),
    ]);
  const few = createFull({ maxWaiting: 2 });
  expect([await ask(few, 1), await ask(few, 1), await ask(few, 1)]).toEqual(['waits', 'waits', undefined]);
  const small = createFull({ maxWaitingBytes: 100 });
  expect([await ask(small, 60), await ask(small, 60)]).toEqual(['waits', undefined]);
  await small.end();
  expect(await ask(small, 60), 'what no longer waits has no size').toBe('waits');
});
