import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../database/clock.ts';
import { isDatabaseUnavailable } from '../database/failures.ts';
import type { Sql } from '../database/sql.ts';
import { withDeadline } from '../deadline.ts';
import { databaseUnavailable } from '../errors.ts';
import type { LateSource } from '../graphql/context.ts';
import { Distribution } from '../observability/counts.ts';
import { gauge, histogram, type Metric } from '../observability/metrics.ts';
import { countViews, countViewsOfOne } from './notice.sql.ts';

/** What the statement says of a notice. */
interface Outcome {
  readonly id: number;
  /** Null where it was not counted. */
  readonly viewCount: bigint | null;
  /** Whether it can be read, and was skipped. */
  readonly isLocked: boolean;
}

/** A view that waits to be counted. */
interface Waiter {
  readonly id: number;
  /** By `performance.now()`. */
  readonly sinceMs: number;
  readonly resolve: (number: number | null) => void;
  readonly reject: (error: unknown) => void;
}

/** How long the next statement waits for as many views as the last one had. */
const MAX_GATHER_MS = 1;

/** At 200,000 views a second this many wait 50 ms; further ones would not be counted in time. */
const MAX_WAITING = 10_000;

const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

/** Between two tries where all notices are locked. */
const LOCK_RETRY_MS = 5;

/** The share of the timeout for which a view waits for a locked notice. Then it is rejected: it is still certain that it was not counted. */
const LOCKED_SHARE = 0.5;

/**
 * A group commit: views that arrive while a statement is in flight wait for it and then share the next one, so that a hot notice
 * costs the database no more than a cold one. One statement at a time: two in flight were slower, because they lock each other's rows.
 *
 * The statement skips notices that are locked by others, and their views go into the next one: a lock delays only views of its notice.
 */
export class ViewCounter implements LateSource {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** First come first. */
  #waiting: Waiter[] = [];
  #isScheduled = false;
  /** The number of views of the last statement. */
  #lastCount = 0;
  #gatherUntilMs = 0;
  /** Runs the statement in the context of the request whose view came first: its log and trace show the statement. */
  #asFirst: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined;
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
    return this.#waiting.length;
  }

  /**
   * Counts one view of a readable notice and resolves after the commit with this view's own number, from 1. Resolves to null,
   * counting nothing, where no readable notice has the id.
   * @throws AppError SERVICE_UNAVAILABLE when too many views wait, or the notice is locked for too long: nothing is counted then. Also after
   * the timeout of the database: then the view may still be counted
   */
  take(id: number): Promise<number | null> {
    const counted = new Promise<number | null>((resolve, reject) => {
      if (this.#waiting.length >= MAX_WAITING)
        throw databaseUnavailable(new Error('too many views wait to be counted'));
      this.#asFirst ??= AsyncLocalStorage.snapshot();
      this.#waiting.push({ id, sinceMs: performance.now(), resolve, reject });
      this.#schedule();
    });
    return withDeadline(counted, this.#timeoutMs);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    this.#gatherUntilMs = performance.now() + MAX_GATHER_MS;
    // After the event loop has taken in every request that has already arrived.
    setImmediate(() => this.#gather());
  }

  /**
   * Clients that were answered together often ask again together: without waiting for all of them a view took 1.6 times the CPU (2026-11-29).
   * A single view does not wait.
   */
  #gather(): void {
    if (this.#waiting.length < this.#lastCount && performance.now() < this.#gatherUntilMs)
      setImmediate(() => this.#gather());
    else void this.#flush();
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting;
    this.#lastCount = batch.length;
    this.#waiting = [];
    const run = this.#asFirst ?? AsyncLocalStorage.snapshot();
    this.#asFirst = undefined;
    try {
      const locked = await run(() => this.#count(batch));
      // In front of the views that came since.
      this.#waiting = [...locked, ...this.#waiting];
      if (locked.length === batch.length) await delay(LOCK_RETRY_MS);
    } catch (error) {
      rejectAll(batch, error);
    }
    this.#isScheduled = false;
    this.#schedule();
  }

  /** Settles the views that are counted, and those that never will be. @returns the others, whose notices are locked */
  async #count(batch: readonly Waiter[]): Promise<Waiter[]> {
    const byId = Map.groupBy(batch, ({ id }) => id);
    const locked: Waiter[] = [];
    let views = 0;
    for (const { id, viewCount, isLocked } of await this.#send(byId)) {
      const waiters = byId.get(id) ?? [];
      if (isLocked) locked.push(...rejectLate(waiters, this.#timeoutMs * LOCKED_SHARE));
      // A check of the table bounds it by 2^53 - 1.
      else settle(waiters, viewCount === null ? null : Number(viewCount));
      if (viewCount !== null) views += waiters.length;
    }
    if (views > 0) this.#batchSizes.add(views);
    return locked;
  }

  #send(byId: ReadonlyMap<number, readonly Waiter[]>): Promise<Outcome[]> {
    const ids = [...byId.keys()];
    const views = [...byId.values()].map(({ length }) => length);
    const now = new Date(this.#clock.nowMs());
    return ids.length === 1
      ? this.#sql.rows<Outcome>(countViewsOfOne, [ids[0], views[0], now])
      : this.#sql.rows<Outcome>(countViews, [ids, views, now]);
  }
}

/** Each of these views was counted once: they get the last numbers up to the stored count. @param viewCount null: there is no such notice */
const settle = (waiters: readonly Waiter[], viewCount: number | null): void => {
  let left = waiters.length;
  for (const { resolve } of waiters) {
    left -= 1;
    resolve(viewCount === null ? null : viewCount - left);
  }
};

/** The request that gets an error of the database logs it. Only the first view gets it, so that thousands of views do not log thousands of lines. */
const rejectAll = ([first, ...others]: readonly Waiter[], error: unknown): void => {
  first?.reject(error);
  const toOthers = isDatabaseUnavailable(error) ? databaseUnavailable(error) : error;
  for (const { reject } of others) reject(toOthers);
};

/** Rejects those that have waited for longer than this. @returns the others */
const rejectLate = (waiters: readonly Waiter[], maxMs: number): Waiter[] => {
  const oldestMs = performance.now() - maxMs;
  return waiters.filter(({ sinceMs, reject }) => {
    const isLate = sinceMs < oldestMs;
    if (isLate) reject(databaseUnavailable(new Error('the notice is locked')));
    return !isLate;
  });
};
