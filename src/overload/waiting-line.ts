/** Requests that wait until they may begin. */
export interface WaitingLine {
  /** Whether a place is free; it is then taken until `leave`. */
  readonly enter: () => boolean;
  /** Resolves to whether a place became free in time; it is then taken. False at once where too much waits already. */
  readonly wait: (client: WaitingClient) => Promise<boolean>;
  readonly leave: () => void;
  readonly taken: () => number;
  readonly waiting: () => number;
  readonly stop: () => void;
}

export interface WaitingClient {
  /** Of its request. */
  readonly bytes: number;
  /** Whether it has gone away. */
  readonly isGone: (() => boolean) | undefined;
}

interface Options {
  readonly places: number;
  /** Longest wait for a place. */
  readonly maxWaitMs: number;
  readonly maxWaiting: number;
  /** Of all requests that wait. */
  readonly maxWaitingBytes: number;
}

interface Waiter extends WaitingClient {
  readonly sinceMs: number;
  readonly resolve: (isInTime: boolean) => void;
}

/** First come, first served, until the first has waited for this part of the longest wait; from then on the last is served first. */
const PATIENCE = 0.1;

/** A crowd that came together is late together: in one turn of the event loop so many are rejected. */
const MAX_REJECTED_AT_ONCE = 50;

/** The part of the time that sending rejections may take. What belongs to them (to read what those clients ask next, the system) takes several times as long. */
const REJECTING_SHARE = 0.01;

/** Longest pause between two such turns: so at least 500 rejections a second are sent, however slow the machine is. */
const MAX_PAUSE_MS = 100;

/**
 * While more is asked for than can be done, some are rejected in any order. First come, first served would make everyone wait for as long as one may;
 * last come, first served answers most of those who are answered at once.
 *
 * Nobody is rejected before the longest wait is over, and not so many at a time that good responses suffer: a client that is rejected asks again, and
 * to read a request and reject it costs a good part of what it costs to answer. So clients with N connections cause at most N rejections in the longest wait, and
 * what they have no connection for stays with them.
 */
export const createWaitingLine = ({ places, maxWaitMs, maxWaiting, maxWaitingBytes }: Options): WaitingLine => {
  let taken = 0;
  /** In the order in which they came, from `first` on. */
  let line: (Waiter | undefined)[] = [];
  let first = 0;
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;

  const waiting = (): number => line.length - first;

  const takeFirst = (): void => {
    line[first] = undefined;
    first += 1;
    if (first > 1000 && first * 2 > line.length) {
      line = line.slice(first);
      first = 0;
    }
  };

  /** Whose turn it is; undefined where nobody's would be in time. */
  const takeNext = (nowMs: number): Waiter | undefined => {
    const oldest = line[first];
    if (oldest && nowMs - oldest.sinceMs < maxWaitMs * PATIENCE) {
      takeFirst();
      return oldest;
    }
    const newest = line.at(-1);
    return newest && nowMs - newest.sinceMs < maxWaitMs ? line.pop() : undefined;
  };

  const settle = ({ bytes, resolve }: Waiter, isInTime: boolean): void => {
    waitingBytes -= bytes;
    resolve(isInTime);
  };

  const rejectLate = (): void => {
    const startMs = performance.now();
    for (let count = 0; count < MAX_REJECTED_AT_ONCE; count += 1) {
      const oldest = line[first];
      if (!oldest || startMs - oldest.sinceMs < maxWaitMs) break;
      takeFirst();
      settle(oldest, false);
    }
    // After the promise jobs that send the responses.
    queueMicrotask(() =>
      process.nextTick(() => {
        timer = undefined;
        watch(Math.min((performance.now() - startMs) / REJECTING_SHARE, MAX_PAUSE_MS));
      }),
    );
  };

  /** @param pauseMs for good responses, where there are any to be made */
  const watch = (pauseMs: number): void => {
    const oldest = line[first];
    if (timer || !oldest) return;
    const dueMs = oldest.sinceMs + maxWaitMs - performance.now();
    timer = setTimeout(rejectLate, Math.max(taken < places ? 0 : pauseMs, dueMs));
  };

  return {
    // A request that still waits while a place is free is too late.
    enter: () => {
      const isFree = taken < places;
      if (isFree) taken += 1;
      return isFree;
    },
    wait: ({ bytes, isGone }) => {
      if (waiting() >= maxWaiting || waitingBytes + bytes > maxWaitingBytes) return Promise.resolve(false);
      waitingBytes += bytes;
      return new Promise((resolve) => {
        line.push({ bytes, isGone, resolve, sinceMs: performance.now() });
        watch(0);
      });
    },
    leave: () => {
      taken -= 1;
      const nowMs = performance.now();
      while (taken < places) {
        const next = takeNext(nowMs);
        if (!next) return;
        const isThere = next.isGone?.() !== true;
        if (isThere) taken += 1;
        settle(next, isThere);
      }
    },
    taken: () => taken,
    waiting,
    stop: () => clearTimeout(timer),
  };
};
