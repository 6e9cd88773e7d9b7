import perfHooks from 'node:perf_hooks';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Overloaded } from '../errors.ts';
import { createWaitingLine } from './waiting-line.ts';

export type LoadGuard = ReturnType<typeof createLoadGuard>;

interface Options {
  /** Upper bound on requests that have begun or wait, and on executions. */
  readonly maxInFlight: number;
  readonly maxWaitMs: number;
  readonly maxLoopLagMs: number;
  readonly poolSize: number;
  /** Connections for reads, those to replicas included. */
  readonly connections?: number | undefined;
  readonly pool: Pick<Pool, 'waitingCount'>;
  readonly lag: LoopLag;
  readonly log: Logger;
}

/** More would only wait in memory, which the garbage collector then copies, for a turn of the event loop. */
const MAX_CONCURRENCY = 64;
const MAX_PER_CONNECTION = 4;

/** Fewest, however slow they are: for each connection one whose statement is under way, and one whose rows have come. */
const MIN_PER_CONNECTION = 2;

/** Executions beside those of requests that have begun so. */
const MORE_EXECUTIONS = 32;

/** Of the requests that wait, with their bodies. */
const MAX_WAITING_BYTES = 64 * 1_048_576;

/** Statements that wait for a connection, for each connection of the pool. */
const MAX_QUEUE_PER_CONNECTION = 100;

const LOG_INTERVAL_MS = 5000;

/**
 * Rejects what could not be answered in time. A rejection costs no more than a response from memory, and `Retry-After` says when to try again.
 * Requests wait in a line. Executions have a semaphore, too: responses that many wait for, and subscriptions, have no place in it.
 */
export const createLoadGuard = ({
  maxInFlight,
  maxWaitMs,
  maxLoopLagMs,
  poolSize,
  connections = poolSize,
  pool,
  lag,
  log,
}: Options) => {
  const maxQueue = MAX_QUEUE_PER_CONNECTION * poolSize;
  const most = Math.min(maxInFlight, Math.max(MAX_CONCURRENCY, MAX_PER_CONNECTION * connections));
  const concurrency = watchConcurrency({ least: Math.min(MIN_PER_CONNECTION * connections, most), most });
  // One error object for all: capturing a stack trace would cost more than the rest of the rejection.
  const refusal = new Overloaded();
  const line = createWaitingLine({
    places: concurrency.current,
    maxWaitMs,
    maxWaiting: maxInFlight - most,
    maxWaitingBytes: MAX_WAITING_BYTES,
  });
  const semaphore = createSemaphore(most + MORE_EXECUTIONS);
  let executing = 0;
  let refused = 0;
  let loggedMs = Number.NEGATIVE_INFINITY;

  const inTime = async (turn: Promise<void>): Promise<void> => {
    const sinceMs = performance.now();
    await turn;
    if (performance.now() - sinceMs > maxWaitMs) throw refuse();
  };

  /** Whether the event loop lags so much that requests are rejected unread. */
  const isLagging = (): boolean => lag.standingMs() > maxLoopLagMs;

  /** The error of a rejected request; counted and logged. */
  const refuse = (): Overloaded => {
    refused += 1;
    const nowMs = performance.now();
    if (nowMs - loggedMs > LOG_INTERVAL_MS) {
      loggedMs = nowMs;
      const lagMs = Math.round(lag.standingMs());
      log.warn(
        { inFlight: executing, waiting: line.waiting(), statementsWaiting: pool.waitingCount, lagMs, refused },
        'overload: requests are rejected',
      );
    }
    return refusal;
  };

  return {
    /** Whether a request that will probably be executed may begin now; one that takes a place then has to `finish`. */
    begin: line.enter,
    wait: line.wait,
    finish: (key?: string): void => {
      concurrency.finished();
      line.leave(key);
    },
    isLagging,
    refuse,
    /** Begins an execution: undefined if it may run now, else a promise of its turn. @throws Overloaded, at once or (in the promise) after too long a wait */
    enter: (): Promise<void> | undefined => {
      if (executing >= maxInFlight || pool.waitingCount >= maxQueue) throw refuse();
      executing += 1;
      const turn = semaphore.take();
      return turn && inTime(turn);
    },
    leave: (): void => {
      executing -= 1;
      semaphore.free();
    },
    stats: {
      get inFlight(): number {
        return executing + line.waiting();
      },
      get refused(): number {
        return refused;
      },
    },
    stop: (): void => {
      line.stop();
      lag.stop();
    },
  };
};

/** A semaphore; waiters are served first come, first served. */
export const createSemaphore = (count: number) => {
  let taken = 0;
  const waiting: (() => void)[] = [];

  return {
    take: (): Promise<void> | undefined => {
      if (taken < count) {
        taken += 1;
        return undefined;
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    free: (): void => {
      const next = waiting.shift();
      if (next) next();
      else taken -= 1;
    },
  };
};

export interface LoopLag {
  /** The lowest of the last few samples, in milliseconds: a single pause (garbage collection, a burst) does not count, lasting lag does. */
  readonly standingMs: () => number;
  readonly stop: () => void;
}

const LOOK_MS = 50;
const LOOKS = 4;

/** Measured by the delay of a timer: Node's histogram would wake an idle process more often, and keeps no order. */
export const watchLoopLag = (): LoopLag => {
  const lagsMs = new Array<number>(LOOKS).fill(0);
  let looks = 0;
  let lastMs = performance.now();
  let standingMs = 0;
  const looking = setInterval(() => {
    const nowMs = performance.now();
    lagsMs[looks % LOOKS] = nowMs - lastMs - LOOK_MS;
    looks += 1;
    lastMs = nowMs;
    standingMs = Math.min(...lagsMs);
  }, LOOK_MS).unref();
  return { standingMs: () => standingMs, stop: () => clearInterval(looking) };
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

/** How many requests may be executed at the same time: while the event loop is busy, as many as it gets through in a turn; else more, which wait for the database together. */
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
