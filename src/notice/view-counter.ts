import type { Clock } from '../database/clock.ts';
import type { Notice } from '../database/generated/client/client.ts';
import type { Sql } from '../database/sql.ts';
import { databaseUnavailable } from '../errors.ts';
import { countViews } from './notice.sql.ts';

export interface ViewCounter {
  /**
   * Counts one view of a readable notice and resolves after the commit with the notice as it then is, `viewCount` being this
   * view's own number. Resolves to null, counting nothing, where no readable notice has the id.
   * @throws AppError SERVICE_UNAVAILABLE when too many views wait; nothing is counted then
   */
  readonly view: (id: number) => Promise<Notice | null>;
}

interface Waiter {
  readonly resolve: (notice: Notice | null) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_TRIES = 4;

/** Under load, so many views gather in this time that a statement for fewer would cost more than it is worth; a lone view never waits. */
const MIN_INTERVAL_MS = 1;

/** At 200,000 views a second this many wait 50 ms; more than that will not be served in time. */
const MAX_WAITING = 10_000;

// Serialization failure and deadlock: the database has rolled back and says so, hence nothing was counted. Any other failure may have
// come after the commit, and to try again could count twice: https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html
const isKnownRollback = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01');

/**
 * A group commit: views that arrive while a statement is in flight wait for it and then share the next one, so that a hot notice
 * costs the database no more than a cold one. One statement at a time: two in flight were slower, for they lock each other's rows.
 */
export const createViewCounter = (sql: Sql, clock: Clock): ViewCounter => {
  let waiting = new Map<number, Waiter[]>();
  let waitingCount = 0;
  let isScheduled = false;
  let lastFlushMs = 0;

  const count = async (batch: [number, Waiter[]][]): Promise<Notice[]> => {
    const ids = batch.map(([id]) => id);
    const views = batch.map(([, waiters]) => waiters.length);
    for (let tries = 1; ; tries += 1) {
      try {
        return await sql.rows<Notice>(countViews, [ids, views, new Date(clock.nowMs())]);
      } catch (error) {
        if (tries === MAX_TRIES || !isKnownRollback(error)) throw error;
      }
    }
  };

  const schedule = (): void => {
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    // At the least after the event loop has taken in every request that has already arrived.
    if (performance.now() - lastFlushMs >= MIN_INTERVAL_MS) setImmediate(flush);
    else setTimeout(flush, MIN_INTERVAL_MS);
  };

  const flush = async (): Promise<void> => {
    lastFlushMs = performance.now();
    const batch = [...waiting];
    waiting = new Map();
    waitingCount = 0;
    try {
      const byId = new Map((await count(batch)).map((notice) => [notice.id, notice]));
      for (const [id, waiters] of batch) settle(waiters, byId.get(id));
    } catch (error) {
      for (const [, waiters] of batch) for (const { reject } of waiters) reject(error);
    }
    isScheduled = false;
    schedule();
  };

  return {
    view: (id) =>
      new Promise((resolve, reject) => {
        if (waitingCount === MAX_WAITING) {
          reject(databaseUnavailable(new Error('too many views wait to be counted')));
          return;
        }
        waitingCount += 1;
        const waiters = waiting.get(id);
        if (waiters) waiters.push({ resolve, reject });
        else waiting.set(id, [{ resolve, reject }]);
        schedule();
      }),
  };
};

/** The statement added one for each waiter: they get the numbers that led up to the stored count, first come first. */
const settle = (waiters: Waiter[], notice: Notice | undefined): void => {
  waiters.forEach(({ resolve }, index) => {
    resolve(notice ? { ...notice, viewCount: notice.viewCount - BigInt(waiters.length - 1 - index) } : null);
  });
};
