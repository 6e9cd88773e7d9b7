import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Overloaded } from '../errors.ts';
import { createThroughput } from './throughput.ts';

/**
 * Rejects executions that could not finish in time. An execution beyond the capacity of the process delays all others, until every response is
 * late; a rejection is cheap, and `Retry-After` says when to try again.
 */
export interface LoadGuard {
  /** Whether no further execution may begin. */
  readonly isFull: () => boolean;
  /** Whether the event loop lags so much that requests are rejected unread. */
  readonly isLagging: () => boolean;
  /** Begins an execution: undefined if it may run now, else a promise of its turn. @throws Overloaded, at once or (in the promise) after too long a wait */
  readonly enter: () => Promise<void> | undefined;
  /** Ends an execution. @param isDone whether it ran to its end, rather than being given up while it waited */
  readonly leave: (isDone: boolean) => void;
  /** The error of a rejected request; counted and logged. */
  readonly refuse: () => Overloaded;
  readonly stats: { inFlight: number; refused: number };
  readonly stop: () => void;
}

interface Options {
  /** Upper bound on concurrent executions, waiting ones included. */
  readonly maxInFlight: number;
  /** Longest wait for earlier executions. */
  readonly maxWaitMs: number;
  /** Largest lag of the event loop. */
  readonly maxLoopLagMs: number;
  readonly poolSize: number;
  /** Connections for reads, those to replicas included. */
  readonly connections?: number | undefined;
  readonly pool: Pick<Pool, 'waitingCount'>;
  readonly lag: LoopLag;
  readonly log: Logger;
}

/**
 * Executions that are always accepted, however slow they are: enough to keep every connection busy, and a few dozen more, so that a short stall of the
 * database rejects nothing.
 */
const ACCEPTED_PER_CONNECTION = 4;
const MIN_ACCEPTED = 40;

/**
 * Concurrency of executions. More would not raise the throughput: rows in memory would wait with them, and the garbage collector would copy them again
 * and again.
 */
const CONCURRENCY = 64;

/** Multiple of the expected wait after which a waiting execution is given up. */
const PATIENCE = 1.25;

/** Statements that wait for a connection, for each connection of the pool. */
const MAX_QUEUE_PER_CONNECTION = 100;

const LOG_INTERVAL_MS = 5000;

/**
 * The bound comes from the recent throughput: by Little's law, an execution behind N others waits as long as N executions take. So it follows the cost
 * of the current requests, and no rate has to be configured. It applies only after all slots have been busy for a while: before that, a low
 * throughput only means few requests.
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
}: Options): LoadGuard => {
  const alwaysAccepted = Math.min(maxInFlight, Math.max(MIN_ACCEPTED, ACCEPTED_PER_CONNECTION * connections));
  const maxQueue = MAX_QUEUE_PER_CONNECTION * poolSize;
  const firstLookMs = maxWaitMs / 5;
  const throughput = createThroughput(maxWaitMs);
  // One error object for all: capturing a stack trace would cost more than the rest of the rejection.
  const refusal = new Overloaded();
  const semaphore = createSemaphore(Math.max(CONCURRENCY, ACCEPTED_PER_CONNECTION * poolSize));
  const stats = { inFlight: 0, refused: 0 };
  /** Since when all guaranteed slots have been busy, without a break longer than the window. */
  let busySinceMs = Number.NEGATIVE_INFINITY;
  /** Since when one of them has been free. */
  let calmSinceMs: number | undefined = Number.NEGATIVE_INFINITY;
  let loggedMs = Number.NEGATIVE_INFINITY;

  const isFull = (): boolean => {
    const { inFlight } = stats;
    if (inFlight < alwaysAccepted) return false;
    if (inFlight >= maxInFlight || pool.waitingCount >= maxQueue) return true;
    const nowMs = performance.now();
    if (nowMs - busySinceMs < firstLookMs) return false;
    // If all executions are late because the event loop lags, a lower bound would not help, and one slow moment would shrink it further and further.
    return inFlight >= throughput.perMs(nowMs) * (maxWaitMs + lag.standingMs());
  };

  /** The earlier executions took longer than expected: the client is about to give up, and this execution would only delay the next one. */
  const inTime = async (turn: Promise<void>): Promise<void> => {
    const sinceMs = performance.now();
    await turn;
    if (performance.now() - sinceMs > maxWaitMs * PATIENCE) throw refuse();
  };

  const isLagging = (): boolean => lag.standingMs() > maxLoopLagMs;

  const refuse = (): Overloaded => {
    stats.refused += 1;
    const nowMs = performance.now();
    if (nowMs - loggedMs > LOG_INTERVAL_MS) {
      loggedMs = nowMs;
      const { inFlight, refused } = stats;
      const lagMs = Math.round(lag.standingMs());
      log.warn({ inFlight, waiting: pool.waitingCount, lagMs, refused }, 'overload: requests are rejected');
    }
    return refusal;
  };

  return {
    isFull,
    isLagging,
    refuse,
    enter: () => {
      if (isFull()) throw refuse();
      stats.inFlight += 1;
      if (stats.inFlight >= alwaysAccepted && calmSinceMs !== undefined) {
        const nowMs = performance.now();
        if (nowMs - calmSinceMs > maxWaitMs) {
          busySinceMs = nowMs;
          throughput.reset(nowMs);
        }
        calmSinceMs = undefined;
      }
      const turn = semaphore.take();
      return turn && inTime(turn);
    },
    leave: (isDone) => {
      semaphore.free();
      stats.inFlight -= 1;
      const nowMs = performance.now();
      if (stats.inFlight < alwaysAccepted) calmSinceMs ??= nowMs;
      if (isDone) throughput.add(nowMs);
    },
    stats,
    stop: lag.stop,
  };
};

/** A semaphore; waiters are served first come, first served. */
export interface Semaphore {
  /** Undefined if a slot is free now. */
  readonly take: () => Promise<void> | undefined;
  /** Passes the slot to the next waiter. */
  readonly free: () => void;
}

export const createSemaphore = (count: number): Semaphore => {
  let taken = 0;
  const waiting: (() => void)[] = [];

  return {
    take: () => {
      if (taken < count) {
        taken += 1;
        return undefined;
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    free: () => {
      const next = waiting.shift();
      if (next) next();
      else taken -= 1;
    },
  };
};

/** Lag of the event loop. */
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
