export interface WaitingClient {
  readonly key: string | undefined;
  readonly bytes: number;
  readonly isGone: (() => boolean) | undefined;
}

interface Options {
  readonly places: () => number;
  /** While no more than this have begun or wait, one waits longer. */
  readonly few: number;
  readonly maxWaitMs: number;
  readonly maxWaiting: number;
  readonly maxWaitingBytes: number;
  /** Is called when a request that had a place is finished. */
  readonly onFinished: () => void;
}

/** `own`: a place. `shared`: an equal request has one, whose response this one may share. */
type Place = 'own' | 'shared';

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

/** The longest wait among few: that they are so late says that this process is slow, and not that more is asked for than it can do. */
const MAX_WAIT_OF_FEW_MS = 5000;

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
 * Nobody is rejected before the longest wait is over, and not so many at a time that good responses suffer: a client that is rejected asks
 * again, and to read a request and reject it costs a good part of what it costs to answer. So clients with N connections cause at most N
 * rejections in the longest wait, and keep the requests that they have no connection for. Where clients are few, none is rejected for want
 * of speed: they wait longer.
 */
export class WaitingLine {
  readonly #options: Options;
  #taken = 0;
  /** The keys of those that have a place. */
  readonly #begun = new Set<string>();
  /** In the order in which they came. */
  readonly #line: Waiter[] = [];
  readonly #equals = new Map<string, Set<Waiter>>();
  #waiting = 0;
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Does the work if it may begin now; else undefined. */
  ifFree<Result>(key: string | undefined, work: () => Promise<Result>): Promise<Result> | undefined {
    if (key !== undefined && this.#begun.has(key)) return work();
    // A request that still waits while a place is free is too late.
    if (this.#taken >= this.#options.places()) return undefined;
    this.#begin(key);
    return this.#finish(key, work);
  }

  /** Does the work in its turn. Resolves to undefined where no place became free in time, and at once where too much waits already. */
  async inTurn<Result>(client: WaitingClient, work: () => Promise<Result>): Promise<Result | undefined> {
    const place = await this.#wait(client);
    if (place === 'own') return this.#finish(client.key, work);
    return place && work();
  }

  waiting(): number {
    return this.#waiting;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Does the work in the place that was taken for it, and gives the place back. */
  async #finish<Result>(key: string | undefined, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      this.#options.onFinished();
      this.#leave(key);
    }
  }

  #begin(key: string | undefined): void {
    this.#taken += 1;
    if (key === undefined) return;
    this.#begun.add(key);
    const nowMs = performance.now();
    for (const equal of this.#equals.get(key) ?? []) if (this.#isInTime(equal, nowMs)) this.#settle(equal, 'shared');
  }

  #leave(key: string | undefined): void {
    this.#taken -= 1;
    if (key !== undefined) this.#begun.delete(key);
    const nowMs = performance.now();
    while (this.#taken < this.#options.places()) {
      const next = this.#takeNext(nowMs);
      if (!next) return;
      const isThere = next.isGone?.() !== true;
      this.#settle(next, isThere ? 'own' : undefined);
      if (isThere) this.#begin(next.key);
    }
  }

  #wait(client: WaitingClient): Promise<Place | undefined> {
    const { maxWaiting, maxWaitingBytes } = this.#options;
    const { key, bytes } = client;
    if (this.#waiting >= maxWaiting || this.#waitingBytes + bytes > maxWaitingBytes) return Promise.resolve(undefined);
    this.#waiting += 1;
    this.#waitingBytes += bytes;
    return new Promise((resolve) => {
      const waiter = { ...client, resolve, sinceMs: performance.now(), isSettled: false };
      this.#line.push(waiter);
      if (key !== undefined) this.#equals.set(key, (this.#equals.get(key) ?? new Set()).add(waiter));
      // A crowd waits less long than what the timer was set for.
      if (this.#taken + this.#waiting === this.#options.few + 1) {
        clearTimeout(this.#timer);
        this.#timer = undefined;
      }
      this.#watch(0);
    });
  }

  #longestWaitMs(): number {
    const { few, maxWaitMs } = this.#options;
    return this.#taken + this.#waiting > few ? maxWaitMs : Math.max(maxWaitMs, MAX_WAIT_OF_FEW_MS);
  }

  #settle(waiter: Waiter, place: Place | undefined): void {
    const { key, bytes, resolve } = waiter;
    waiter.isSettled = true;
    this.#waiting -= 1;
    this.#waitingBytes -= bytes;
    if (key !== undefined) {
      const alike = this.#equals.get(key);
      alike?.delete(waiter);
      if (alike?.size === 0) this.#equals.delete(key);
    }
    resolve(place);
  }

  #isInTime({ sinceMs }: Waiter, nowMs: number): boolean {
    return nowMs - sinceMs < this.#longestWaitMs();
  }

  #oldest(): Waiter | undefined {
    while (this.#line[0]?.isSettled) this.#line.shift();
    return this.#line[0];
  }

  /** Takes the next waiter; undefined where nobody's turn would be in time. */
  #takeNext(nowMs: number): Waiter | undefined {
    const oldest = this.#oldest();
    if (oldest && nowMs - oldest.sinceMs < this.#longestWaitMs() * PATIENCE) return this.#line.shift();
    while (this.#line.at(-1)?.isSettled) this.#line.pop();
    const newest = this.#line.at(-1);
    return newest && this.#isInTime(newest, nowMs) ? this.#line.pop() : undefined;
  }

  /** @param pauseMs for good responses, where there are any to be made */
  #watch(pauseMs: number): void {
    const oldest = this.#oldest();
    if (this.#timer || !oldest) return;
    const dueMs = oldest.sinceMs + this.#longestWaitMs() - performance.now();
    const leastMs = this.#taken < this.#options.places() ? 0 : pauseMs;
    this.#timer = setTimeout(() => this.#rejectLate(), Math.max(leastMs, dueMs));
  }

  #rejectLate(): void {
    const startMs = performance.now();
    for (let count = 0; count < MAX_REJECTED_AT_ONCE; count += 1) {
      const oldest = this.#oldest();
      if (!oldest || this.#isInTime(oldest, startMs)) break;
      this.#line.shift();
      this.#settle(oldest, undefined);
    }
    // After the promise jobs that make the responses.
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#timer = undefined;
        this.#watch(Math.min((performance.now() - startMs) / REJECTING_SHARE, MAX_PAUSE_MS));
      }),
    );
  }
}
