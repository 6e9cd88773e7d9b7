import { performance } from 'node:perf_hooks';

/** How many requests may be executed at the same time. */
export interface Concurrency {
  readonly current: () => number;
  /** To be called after each execution. */
  readonly finished: () => void;
}

interface Options {
  readonly least: number;
  readonly most: number;
}

/**
 * What is in memory waits for a turn of the event loop, in which all that are executed may go on. Measured on 2026-11-25 on a slow machine, at twice to eight times
 * the load that can be carried, of pages that take 1 ms: with 64 at the same time it waited for 57 to 101 ms (99th percentile), with 24 for 32 to 57.
 */
const TURN_MS = 20;

/** Utilization of the event loop, above which requests wait for it and not for the database. */
const BUSY = 0.9;

/** By which the number changes in one step. */
const DECREASE = 0.9;
const INCREASE = 1.25;

/** A step follows from at least so many executions and so much time: of those that are finished in one turn, the last take little of it. */
const EXECUTIONS_PER_STEP = 32;
const ACTIVE_MS_PER_STEP = 50;

/**
 * As many as a busy event loop gets through in a turn: the fewer, the larger the requests are, and the slower the machine. While the loop is not busy the
 * number grows, so that more of them wait for the database at the same time.
 */
export const watchConcurrency = ({ least, most }: Options): Concurrency => {
  let current = most;
  let finished = 0;
  let since = performance.eventLoopUtilization();

  const learn = (): void => {
    const { active, utilization } = performance.eventLoopUtilization(since);
    if (active < ACTIVE_MS_PER_STEP) return;
    const next =
      utilization > BUSY ? Math.max((finished * TURN_MS) / active, current * DECREASE) : Math.ceil(current * INCREASE);
    current = Math.max(least, Math.min(Math.floor(next), most));
    finished = 0;
    since = performance.eventLoopUtilization();
  };

  return {
    current: () => current,
    finished: () => {
      finished += 1;
      if (finished % EXECUTIONS_PER_STEP === 0) learn();
    },
  };
};
