import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../database/clock.ts';
import { hasCode, isDatabaseUnavailable } from '../database/failures.ts';
import type { Sql, Statement } from '../database/sql.ts';
import { Wait } from '../deadline.ts';
import { databaseUnavailable } from '../errors.ts';
import { Distribution } from '../observability/counts.ts';
import { gauge, histogram, type Metric } from '../observability/metrics.ts';
import { countViews, countViewsOfOne, countViewsOnceUnlocked, readableIds } from './notice.sql.ts';

interface Counted {
  readonly id: number;
  readonly viewCount: bigint;
}

const MAX_TRIES = 4;

/** How long the next statement waits for as many views as the last one had. */
const MAX_GATHER_MS = 1;

/** At 200,000 views a second this many wait 50 ms; further ones would not be counted in time. */
const MAX_WAITING = 10_000;

/** In addition, so many views may wait for the one notice whose lock is waited for. */
const MAX_AWAITING = 5000;

const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

/** Between two tries where all notices are locked. */
const LOCK_RETRY_MS = 2;

/** A view that has waited for so long when its notice is found locked is rejected: it is still certain that it was not counted. */
const MAX_LOCKED_MS = 750;

// Serialization failure and deadlock: the database has rolled back, so nothing was counted. Any other failure may have come after the commit,
// and a second try could count twice: https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html
const isKnownRollback = (error: unknown): boolean => hasCode(error, '40001', '40P01');

/**
 * A group commit: views that arrive while a statement is in flight wait for it and then share the next one, so that a hot notice
 * costs the database no more than a cold one. One statement at a time: two in flight were slower, because they lock each other's rows.
 *
 * The statement skips notices that are locked by others, and their views go into the next one: a lock delays only views of its notice.
 * For one notice at a time, the one skipped for longest, a second statement waits for the lock: without it an instance might never get
 * the lock of a notice that other instances count all the time.
 */
export class ViewCounter {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #waiting: Batch = new Map();
  #waitingCount = 0;
  #isScheduled = false;
  /** The number of views of the last statement. */
  #lastCount = 0;
  #gatherUntilMs = 0;
  /** Runs the statement in the context of the request whose view came first: its log and trace show the statement. */
  #asFirst: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined;
  /** The notice whose lock is waited for, and the views of it that came since. */
  #awaited: { readonly id: number; readonly later: Waiter[] } | undefined;
  /** How many views each statement has counted. */
  readonly #batchSizes = new Distribution(BATCH_SIZES);
  readonly metrics: readonly Metric[] = [
    histogram('vitrine_view_batch_size', 'Views that were counted by one statement.', () => this.#batchSizes),
    gauge('vitrine_views_waiting', 'Views that wait to be counted.', () => this.waiting()),
  ];

  /** @param timeoutMs of the database */
  constructor(sql: Sql, clock: Clock, timeoutMs: number) {
    this.#sql = sql;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  waiting(): number {
    return this.#waitingCount + (this.#awaited?.later.length ?? 0);
  }

  /**
   * Counts one view of a readable notice and resolves after the commit with this view's own number, from 1. Resolves to null,
   * counting nothing, where no readable notice has the id.
   * @throws AppError SERVICE_UNAVAILABLE when too many views wait, or the notice is locked for too long: nothing is counted then. Also after
   * the timeout of the database: then the view may still be counted
   */
  view(id: number): Promise<number | null> {
    return new Promise((resolve, reject) => {
      const queue = this.#queueOf(id);
      if (!queue) {
        reject(databaseUnavailable(new Error('too many views wait to be counted')));
        return;
      }
      queue.push({ wait: new Wait(this.#timeoutMs, reject), resolve });
      this.#schedule();
    });
  }

  #queueOf(id: number): Waiter[] | undefined {
    const awaited = this.#awaited;
    if (id === awaited?.id) return awaited.later.length < MAX_AWAITING ? awaited.later : undefined;
    if (this.#waitingCount >= MAX_WAITING) return undefined;
    this.#waitingCount += 1;
    this.#asFirst ??= AsyncLocalStorage.snapshot();
    const queue = this.#waiting.get(id) ?? [];
    if (queue.length === 0) this.#waiting.set(id, queue);
    return queue;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    this.#gatherUntilMs = performance.now() + MAX_GATHER_MS;
    // After the event loop has taken in every request that has already arrived.
    setImmediate(() => this.#gather());
  }

  /** Clients that were answered together often ask again together: waiting for all of them saves a statement. A single view does not wait. */
  #gather(): void {
    if (this.#waitingCount < this.#lastCount && performance.now() < this.#gatherUntilMs)
      setImmediate(() => this.#gather());
    else void this.#flush();
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting;
    this.#lastCount = this.#waitingCount;
    this.#waiting = new Map();
    this.#waitingCount = 0;
    const run = this.#asFirst ?? AsyncLocalStorage.snapshot();
    this.#asFirst = undefined;
    try {
      const left = await run(() => this.#count(countViews, batch));
      if (left.size > 0) {
        const locked = await this.#findLocked(left);
        this.#putBack(locked);
        const [first] = locked.keys();
        if (first !== undefined && !this.#awaited) void this.#awaitLock(first);
        else if (locked.size === batch.size) await delay(LOCK_RETRY_MS);
      }
    } catch (error) {
      rejectAll(batch, error);
    }
    this.#isScheduled = false;
    this.#schedule();
  }

  async #awaitLock(id: number): Promise<void> {
    const waiters = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    this.#waitingCount -= waiters.length;
    const later: Waiter[] = [];
    this.#awaited = { id, later };
    const batch: Batch = new Map([[id, waiters]]);
    try {
      const left = await this.#count(countViewsOnceUnlocked, batch);
      if (left.size > 0) settle(waiters, null);
    } catch (error) {
      rejectAll(batch, error);
    }
    this.#awaited = undefined;
    if (later.length > 0) this.#waiting.set(id, later);
    this.#waitingCount += later.length;
    this.#schedule();
  }

  /** Settles the views that are counted. @returns the others */
  async #count(statement: Statement, batch: Batch): Promise<Batch> {
    const left: Batch = new Map(batch);
    let views = 0;
    for (const { id, viewCount } of await this.#send(statement, batch)) {
      const waiters = batch.get(id) ?? [];
      left.delete(id);
      views += waiters.length;
      // A check of the table bounds it by 2^53 - 1.
      settle(waiters, Number(viewCount));
    }
    if (views > 0) this.#batchSizes.add(views);
    return left;
  }

  async #send(statement: Statement, batch: Batch): Promise<Counted[]> {
    const ids = [...batch.keys()];
    const views = [...batch.values()].map(({ length }) => length);
    const isOne = statement === countViews && ids.length === 1;
    for (let tries = 1; ; tries += 1) {
      try {
        return isOne
          ? await this.#sql.rows<Counted>(countViewsOfOne, [ids[0], views[0], this.#now()])
          : await this.#sql.rows<Counted>(statement, [ids, views, this.#now()]);
      } catch (error) {
        if (tries === MAX_TRIES || !isKnownRollback(error)) throw error;
      }
    }
  }

  /** A notice that was skipped and can be read is locked. @returns the views of locked notices */
  async #findLocked(left: Batch): Promise<Batch> {
    const rows = await this.#sql.rows<{ id: number }>(readableIds, [[...left.keys()], this.#now()]);
    const readable = new Set(rows.map(({ id }) => id));
    const locked: Batch = new Map();
    for (const [id, waiters] of left) {
      if (!readable.has(id)) settle(waiters, null);
      else {
        const patient = rejectLate(waiters, MAX_LOCKED_MS);
        if (patient.length > 0) locked.set(id, patient);
      }
    }
    return locked;
  }

  /** In front of the views that came since. */
  #putBack(batch: Batch): void {
    const since = this.#waiting;
    this.#waiting = new Map(batch);
    for (const waiters of batch.values()) this.#waitingCount += waiters.length;
    for (const [id, waiters] of since) this.#waiting.set(id, [...(batch.get(id) ?? []), ...waiters]);
  }

  #now(): Date {
    return new Date(this.#clock.nowMs());
  }
}

interface Waiter {
  readonly wait: Wait;
  readonly resolve: (number: number | null) => void;
}

/** Views by the ids of their notices, first come first. */
type Batch = Map<number, Waiter[]>;

/** Each of these views was counted once: they get the last numbers up to the stored count. @param viewCount null: there is no such notice */
const settle = (waiters: readonly Waiter[], viewCount: number | null): void => {
  let left = waiters.length;
  for (const { wait, resolve } of waiters) {
    left -= 1;
    wait.end();
    resolve(viewCount === null ? null : viewCount - left);
  }
};

/** The request that gets an error of the database logs it. Only the first view gets it, so that thousands of views do not log thousands of lines. */
const rejectAll = (batch: Batch, error: unknown): void => {
  const [first, ...others] = [...batch.values()].flat();
  first?.wait.fail(error);
  const toOthers = isDatabaseUnavailable(error) ? databaseUnavailable(error) : error;
  for (const { wait } of others) wait.fail(toOthers);
};

/** Rejects those that have waited for longer than this. @returns the others */
const rejectLate = (waiters: readonly Waiter[], maxMs: number): Waiter[] => {
  const oldestMs = performance.now() - maxMs;
  return waiters.filter(({ wait }) => {
    const isLate = wait.sinceMs < oldestMs;
    if (isLate) wait.fail(databaseUnavailable(new Error('the notice is locked')));
    return !isLate;
  });
};
