import perfHooks from 'node:perf_hooks';
import type { Pool } from 'pg';
import { Overloaded } from '../errors.ts';
import { WaitingLine } from './waiting-line.ts';

export type LoadGuard = ReturnType<typeof createLoadGuard>;

interface Options {
  /** Upper bound on requests that have begun or wait, and on executions. */
  readonly maxInFlight: number;
  readonly maxWaitMs: number;
  readonly poolSize: number;
  /** Connections for reads, those to replicas included. */
  readonly connections?: number | undefined;
  readonly pool: Pick<Pool, 'waitingCount'>;
  /** Is called with each refusal. */
  readonly onRefused: (load: LoadState) => void;
}

/** What there is to do as a request is refused. */
export interface LoadState {
  readonly inFlight: number;
  readonly waiting: number;
  readonly statementsWaiting: number;
}

/** More would only wait in memory, which the garbage collector then copies, for a turn of the event loop. */
const MAX_CONCURRENCY = 64;
const MAX_PER_CONNECTION = 4;

/** Fewest, however slow they are: for each connection one whose statement is under way, and one whose rows have come. */
const MIN_PER_CONNECTION = 2;

/** Executions beside those of requests that have begun so. */
const MORE_EXECUTIONS = 32;

/** The most bytes of the requests that wait, with their bodies. */
const MAX_WAITING_BYTES = 64 * 1_048_576;

/** Statements that wait for a connection, for each connection of the pool. */
const MAX_QUEUE_PER_CONNECTION = 100;

/**
 * Rejects what could not be answered in time. A rejection costs little more than a response from memory, and `Retry-After` says when to try again.
 * Requests wait in a line. Executions have a semaphore, too: responses that many wait for, and subscriptions, have no place in it.
 */
export const createLoadGuard = ({
  maxInFlight,
  maxWaitMs,
  poolSize,
  connections = poolSize,
  pool,
  onRefused,
}: Options) => {
  const maxQueue = MAX_QUEUE_PER_CONNECTION * poolSize;
  const most = Math.min(maxInFlight, Math.max(MAX_CONCURRENCY, MAX_PER_CONNECTION * connections));
  const concurrency = watchConcurrency({ least: Math.min(MIN_PER_CONNECTION * connections, most), most });
  // One error object for all: capturing a stack trace would cost more than the rest of the rejection.
  const refusal = new Overloaded();
  const line = new WaitingLine({
    places: concurrency.current,
    few: MAX_CONCURRENCY,
    maxWaitMs,
    maxWaiting: maxInFlight - most,
    maxWaitingBytes: MAX_WAITING_BYTES,
    onFinished: concurrency.finished,
  });
  const semaphore = createSemaphore(most + MORE_EXECUTIONS);

  /** The error of a refused request. */
  const refuse = (): Overloaded => {
    onRefused({ inFlight: semaphore.size(), waiting: line.waiting(), statementsWaiting: pool.waitingCount });
    return refusal;
  };

  return {
    /** Requests that will probably be executed begin by it. */
    line,
    refuse,
    /** Does the work of an execution in its turn. @throws (in the promise) Overloaded, at once or after too long a wait */
    during: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      if (semaphore.size() >= maxInFlight || pool.waitingCount >= maxQueue) throw refuse();
      const sinceMs = performance.now();
      return semaphore.during(() => {
        if (performance.now() - sinceMs > maxWaitMs) throw refuse();
        return work();
      });
    },
    /** How much is executed or waits. */
    inFlight: (): number => semaphore.size() + line.waiting(),
    stop: (): void => line.stop(),
  };
};

/** A semaphore that serves first come, first served. A place belongs to the work that is done in it, and cannot be lost. */
export const createSemaphore = (count: number) => {
  let taken = 0;
  const waiting: (() => void)[] = [];

  return {
    /** How much is under way or waits. */
    size: (): number => taken + waiting.length,
    /** Does the work when its turn comes. */
    during: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      // Whose turn comes gets the place of the work that has ended.
      if (taken < count) taken += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else taken -= 1;
      }
    },
  };
};

/** Measured on 2026-11-25 at twice to eight times the load: with 64 at a time it was 57 to 101 ms (99th percentile), with 24 32 to 57. */
const TURN_MS = 20;

/** Utilization of the event loop, above which requests wait for it and not for the database. */
const BUSY = 0.9;

const DECREASE = 0.9;
const INCREASE = 1.25;

/** A step follows from at least so many executions and so much time: of those that are finished in one turn, the last take little of it. */
const EXECUTIONS_PER_STEP = 32;
const ACTIVE_MS_PER_STEP = 50;

/**
 * How many requests may be executed at the same time: while the event loop is busy, as many as it gets through in a turn; else more, which
 * wait for the database together.
 */
export const watchConcurrency = ({ least, most }: { readonly least: number; readonly most: number }) => {
  let current = most;
  let finished = 0;
  let since = perfHooks.performance.eventLoopUtilization();

  const learn = (): void => {
    const { active, utilization } = perfHooks.performance.eventLoopUtilization(since);
    if (active < ACTIVE_MS_PER_STEP) return;
    const next =
      utilization > BUSY ? Math.max((finished * TURN_MS) / active, current * DECREASE) : Math.ceil(current * INCREASE);
    current = Math.max(least, Math.min(Math.floor(next), most));
    finished = 0;
    since = perfHooks.performance.eventLoopUtilization();
  };

  return {
    current: (): number => current,
    finished: (): void => {
      finished += 1;
      if (finished % EXECUTIONS_PER_STEP === 0) learn();
    },
  };
};
