import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Overloaded } from '../errors.ts';
import { createThroughput } from './throughput.ts';

/**
 * Keeps work that cannot be done in time from being begun. Whatever is begun beyond what the process can finish makes all the rest wait, until
 * nobody's answer comes in time; what is refused at once costs little, and its client knows when to come again.
 */
export interface LoadGuard {
  /** Whether no further execution may begin. */
  readonly isFull: () => boolean;
  /** Whether the event loop is so late that not even a request should be read. */
  readonly isLagging: () => boolean;
  /** Takes up one execution; undefined where it may begin now, else it waits for its turn. @throws Overloaded, also (in the promise) where that comes too late */
  readonly enter: () => Promise<void> | undefined;
  /** It is over. @param isDone whether the execution came to its end, and was not given up because others took too long */
  readonly leave: (isDone: boolean) => void;
  /** The error of whoever is refused. */
  readonly refuse: () => Overloaded;
  readonly stats: { inFlight: number; refused: number };
  readonly stop: () => void;
}

interface Options {
  /** So many executions at once are never passed, however fast they are. */
  readonly maxInFlight: number;
  /** How long an execution may have to wait for those before it. */
  readonly maxWaitMs: number;
  /** How late the event loop may be. */
  readonly maxLoopLagMs: number;
  readonly poolSize: number;
  /** Connections by which executions read, those to other servers than the pool's included. */
  readonly connections?: number | undefined;
  readonly pool: Pick<Pool, 'waitingCount'>;
  readonly lag: LoopLag;
  readonly log: Logger;
}

/**
 * So many executions are begun however long they take: what keeps every connection busy, and a few dozen requests that a database which stands
 * still for a moment need not cost their answers.
 */
const PLACES_PER_CONNECTION = 4;
const MIN_PLACES = 40;

/**
 * So many executions work side by side. More would not finish more: what they have read so far would wait with them, and be moved about by the collector of
 * garbage until it costs more than the work.
 */
const SIDE_BY_SIDE = 64;

/** Times the wait that is foreseen. */
const PATIENCE = 1.25;

/** Statements that wait for a connection of the pool, for each that it has. */
const MAX_QUEUE_PER_CONNECTION = 100;

const TELL_MS = 5000;

/**
 * What can be finished in time is known from what was: by Little's law, an execution that begins behind N others waits for as long as it takes to
 * finish N, and that is read off the last moments. So the bound follows the cost of what is asked for, and there is none in executions a second to
 * be set. It holds only once there has been more to do than can be done side by side for a while: before that, little was finished because
 * little was asked for.
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
  const alwaysAllowed = Math.min(maxInFlight, Math.max(MIN_PLACES, PLACES_PER_CONNECTION * connections));
  const maxQueue = MAX_QUEUE_PER_CONNECTION * poolSize;
  const firstLookMs = maxWaitMs / 5;
  const throughput = createThroughput(maxWaitMs);
  // One for all: to look for where it was thrown would cost more than all the rest of refusing.
  const refusal = new Overloaded();
  const semaphore = createSemaphore(Math.max(SIDE_BY_SIDE, PLACES_PER_CONNECTION * poolSize));
  const stats = { inFlight: 0, refused: 0 };
  /** Since when all places that are always there have been taken, with no longer break than the window. */
  let busySinceMs = Number.NEGATIVE_INFINITY;
  /** Since when they are not. */
  let calmSinceMs: number | undefined = Number.NEGATIVE_INFINITY;
  let toldMs = Number.NEGATIVE_INFINITY;

  const isFull = (): boolean => {
    const { inFlight } = stats;
    if (inFlight < alwaysAllowed) return false;
    if (inFlight >= maxInFlight || pool.waitingCount >= maxQueue) return true;
    const nowMs = performance.now();
    if (nowMs - busySinceMs < firstLookMs) return false;
    // Where all are late because the loop is, to begin less would not make it quicker, and one slow moment would let ever fewer in.
    return inFlight >= throughput.perMs(nowMs) * (maxWaitMs + lag.standingMs());
  };

  /** Those before it took longer than was foreseen: whoever asked is about to give up, and what it would begin now would only hold up the next. */
  const inTime = async (turn: Promise<void>): Promise<void> => {
    const sinceMs = performance.now();
    await turn;
    if (performance.now() - sinceMs > maxWaitMs * PATIENCE) throw refuse();
  };

  const isLagging = (): boolean => lag.standingMs() > maxLoopLagMs;

  const refuse = (): Overloaded => {
    stats.refused += 1;
    const nowMs = performance.now();
    if (nowMs - toldMs > TELL_MS) {
      toldMs = nowMs;
      const { inFlight, refused } = stats;
      const lagMs = Math.round(lag.standingMs());
      log.warn({ inFlight, waiting: pool.waitingCount, lagMs, refused }, 'more is asked for than can be done in time');
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
      if (stats.inFlight >= alwaysAllowed && calmSinceMs !== undefined) {
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
      if (stats.inFlight < alwaysAllowed) calmSinceMs ??= nowMs;
      if (isDone) throughput.add(nowMs);
    },
    stats,
    stop: lag.stop,
  };
};

/** Lets so many work side by side; the others wait for their turn, first come, first served. */
export interface Semaphore {
  /** Undefined where there is a place now. */
  readonly take: () => Promise<void> | undefined;
  /** Gives a place to the next. */
  readonly free: () => void;
}

const createSemaphore = (count: number): Semaphore => {
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

/** How late the event loop gets to what is due. */
export interface LoopLag {
  /** The least of the last few looks, in milliseconds: one long pause (a collection of garbage, a burst) is none, a loop that is always late is. */
  readonly standingMs: () => number;
  readonly stop: () => void;
}

const LOOK_MS = 50;
const LOOKS = 4;

/** By a timer's own lateness: Node's histogram of the delay would wake an idle process more often, and keeps no order. */
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
