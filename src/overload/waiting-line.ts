/** `begin`: it has taken a place, until it leaves. `join`: an equal request has a place, whose response it may share; it takes none. */
export type Place = 'begin' | 'join';

export interface WaitingClient {
  readonly key: string | undefined;
  readonly bytes: number;
  readonly isGone: (() => boolean) | undefined;
}

interface Options {
  readonly places: () => number;
  readonly maxWaitMs: number;
  readonly maxWaiting: number;
  readonly maxWaitingBytes: number;
}

interface Waiter extends WaitingClient {
  readonly sinceMs: number;
  readonly resolve: (place: Place | undefined) => void;
  /** By an equal request: the line passes over it. */
  isSettled: boolean;
}

/**
 * Until the first has waited for this part of the longest wait it is served first, then the last. With a tenth, 64 clients that ask again were too
 * many.
 */
const PATIENCE = 0.5;

/** A crowd that came together is late together: in one turn of the event loop so many are rejected. */
const MAX_REJECTED_AT_ONCE = 50;

/** The part of the time for making rejections: to send them, and to read what those clients ask next, takes many times as long. */
const REJECTING_SHARE = 0.004;

/** Longest pause between two such turns: so at least 500 rejections a second are sent, however slow the machine is. */
const MAX_PAUSE_MS = 100;

/**
 * Requests that wait until they may begin. A key stands for equal ones, of which one takes a place; requests without one are equal to none.
 *
 * While more is asked for than can be done, some are rejected in any order. First come, first served would make everyone wait for as long as one may;
 * last come, first served answers most of those who are answered at once.
 *
 * Nobody is rejected before the longest wait is over, and not so many at a time that good responses suffer: a client that is rejected asks again, and
 * to read a request and reject it costs a good part of what it costs to answer. So clients with N connections cause at most N rejections in the longest wait, and
 * what they have no connection for stays with them.
 */
export const createWaitingLine = ({ places, maxWaitMs, maxWaiting, maxWaitingBytes }: Options) => {
  let taken = 0;
  const begun = new Set<string>();
  const equals = new Map<string, Set<Waiter>>();
  let waiting = 0;
  /** In the order in which they came, from `first` on. */
  let line: (Waiter | undefined)[] = [];
  let first = 0;
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;

  const takeFirst = (): void => {
    line[first] = undefined;
    first += 1;
    if (first > 1000 && first * 2 > line.length) {
      line = line.slice(first);
      first = 0;
    }
  };

  const isInTime = ({ sinceMs }: Waiter, nowMs: number): boolean => nowMs - sinceMs < maxWaitMs;

  const findOldest = (): Waiter | undefined => {
    while (line[first]?.isSettled) takeFirst();
    return line[first];
  };

  /** Who is next; undefined where nobody's would be in time. */
  const takeNext = (nowMs: number): Waiter | undefined => {
    while (line.at(-1)?.isSettled) line.pop();
    const oldest = findOldest();
    if (oldest && nowMs - oldest.sinceMs < maxWaitMs * PATIENCE) {
      takeFirst();
      return oldest;
    }
    const newest = line.at(-1);
    return newest && isInTime(newest, nowMs) ? line.pop() : undefined;
  };

  const settle = (waiter: Waiter, place: Place | undefined): void => {
    const { key, bytes, resolve } = waiter;
    waiter.isSettled = true;
    waiting -= 1;
    waitingBytes -= bytes;
    if (key !== undefined) {
      const alike = equals.get(key);
      alike?.delete(waiter);
      if (alike?.size === 0) equals.delete(key);
    }
    resolve(place);
  };

  const begin = (key: string | undefined): void => {
    taken += 1;
    if (key === undefined) return;
    begun.add(key);
    const alike = equals.get(key);
    if (!alike) return;
    const nowMs = performance.now();
    for (const equal of alike) if (isInTime(equal, nowMs)) settle(equal, 'join');
  };

  const rejectLate = (): void => {
    const startMs = performance.now();
    for (let count = 0; count < MAX_REJECTED_AT_ONCE; count += 1) {
      const oldest = findOldest();
      if (!oldest || isInTime(oldest, startMs)) break;
      takeFirst();
      settle(oldest, undefined);
    }
    // After the promise jobs that make the responses.
    queueMicrotask(() =>
      process.nextTick(() => {
        timer = undefined;
        watch(Math.min((performance.now() - startMs) / REJECTING_SHARE, MAX_PAUSE_MS));
      }),
    );
  };

  /** @param pauseMs for good responses, where there are any to be made */
  const watch = (pauseMs: number): void => {
    const oldest = findOldest();
    if (timer || !oldest) return;
    const dueMs = oldest.sinceMs + maxWaitMs - performance.now();
    timer = setTimeout(rejectLate, Math.max(taken < places() ? 0 : pauseMs, dueMs));
  };

  return {
    enter: (key?: string): Place | undefined => {
      if (key !== undefined && begun.has(key)) return 'join';
      // A request that still waits while a place is free is too late.
      if (taken >= places()) return undefined;
      begin(key);
      return 'begin';
    },
    /** Resolves to undefined where no place became free in time, and at once where too much waits already. */
    wait: (client: WaitingClient): Promise<Place | undefined> => {
      const { key, bytes } = client;
      if (waiting >= maxWaiting || waitingBytes + bytes > maxWaitingBytes) return Promise.resolve(undefined);
      waiting += 1;
      waitingBytes += bytes;
      return new Promise((resolve) => {
        const waiter = { ...client, resolve, sinceMs: performance.now(), isSettled: false };
        line.push(waiter);
        if (key !== undefined) {
          const alike = equals.get(key);
          if (alike) alike.add(waiter);
          else equals.set(key, new Set([waiter]));
        }
        watch(0);
      });
    },
    leave: (key?: string): void => {
      taken -= 1;
      if (key !== undefined) begun.delete(key);
      const nowMs = performance.now();
      while (taken < places()) {
        const next = takeNext(nowMs);
        if (!next) return;
        const isThere = next.isGone?.() !== true;
        settle(next, isThere ? 'begin' : undefined);
        if (isThere) begin(next.key);
      }
    },
    taken: (): number => taken,
    waiting: (): number => waiting,
    stop: (): void => clearTimeout(timer),
  };
};
