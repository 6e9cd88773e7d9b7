import { isDatabaseUnavailable } from '../database/unavailable.ts';
import { databaseUnavailable } from '../errors.ts';

/** A view that is to be counted, and who is told of it. */
export interface Waiter {
  /** By `performance.now()`. */
  readonly sinceMs: number;
  readonly resolve: (number: number | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Views by the ids of their notices, first come first. */
export type Batch = Map<number, Waiter[]>;

/** A statement added one for each of these: they get the numbers that led up to the stored count. Null: there is no such notice. */
export const settle = (waiters: readonly Waiter[], viewCount: number | null): void => {
  let left = waiters.length;
  for (const { resolve } of waiters) {
    left -= 1;
    resolve(viewCount === null ? null : viewCount - left);
  }
};

/** Whoever gets an error of the database logs it: one of them does, so that thousands who wait make no thousands of lines. */
export const rejectAll = (batch: Batch, error: unknown): void => {
  const [first, ...others] = [...batch.values()].flat();
  first?.reject(error);
  const toOthers = isDatabaseUnavailable(error) ? databaseUnavailable(error) : error;
  for (const { reject } of others) reject(toOthers);
};

/** Rejects those that have waited for longer than this, and gives the others. */
export const rejectLate = (waiters: readonly Waiter[], maxMs: number): Waiter[] => {
  const oldestMs = performance.now() - maxMs;
  return waiters.filter(({ sinceMs, reject }) => {
    const isLate = sinceMs < oldestMs;
    if (isLate) reject(databaseUnavailable(new Error('the notice is locked')));
    return !isLate;
  });
};
