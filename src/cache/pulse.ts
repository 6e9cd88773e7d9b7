import type pg from 'pg';
import type { Logger } from 'pino';
import { abandon, type ConnectionConfig, DatabaseClient } from '../database/client.ts';
import type { Clock } from '../database/clock.ts';
import { OperatorError } from '../errors.ts';
import { BEAT_TIMEOUT_MS } from './beat.ts';
import type { ChangeSource } from './change-source.ts';
import type { Changes, Table } from './changes.ts';
import { behindMsOf, createNextChange, type NextChange } from './next-change.ts';
import type { ProductChange } from './product-change.ts';

/**
 * How this process comes to know of changes in the database. One connection has the beat: its round trip brings what the source of changes tells, proves
 * that the connection lives, and brings the database's clock and the next moments at which answers change by themselves.
 */
export interface Pulse {
  /** Whether the last beat is recent enough that what is in memory misses no commit older than the bound. */
  readonly isFresh: () => boolean;
  /** Waits for a beat if it must, shared by all that wait. False where none comes in time: then nothing in memory is to be trusted. */
  readonly freshen: () => Promise<boolean>;
  /** Whether the connection is lost and not yet back. */
  readonly isLost: () => boolean;
  /** Milliseconds since the last beat was sent. */
  readonly ageMs: () => number;
  /**
   * When what the table shows next changes without a change to its rows (a product published, a notice starting or ending), in
   * the database's milliseconds; infinite for never, undefined while it is not known.
   */
  readonly nextChangeMs: (table: Table) => number | undefined;
  /** Until when what is read from now on may be given, by `performance.now()`; undefined where changes are told. */
  readonly trustedUntilMs: () => number | undefined;
  readonly close: () => Promise<void>;
}

interface Options {
  readonly connection: ConnectionConfig;
  readonly source: ChangeSource;
  readonly clock: Clock;
  /** Is told what the source tells. */
  readonly changes: Changes;
  /** How old a commit may be that an answer misses. 0: every answer waits for a beat of its own. */
  readonly freshnessMs: number;
  readonly log: Logger;
}

/** How long a request waits for a beat before it goes to the database itself. */
const PATIENCE_MS = 300;
const FIRST_BEATS = 4;
const RECONNECT_DELAY_MS = 100;

/** Our clock is never taken to be further behind the database's. */
const MAX_BEHIND_MS = BEAT_TIMEOUT_MS / 2;

const TABLES: readonly Table[] = ['category', 'product', 'notice'];

/** Connects at once, and again whenever the connection is lost. Resolves after the first beat. @throws what the first connection throws */
export const startPulse = async (options: Options): Promise<Pulse> => {
  const { connection, source, clock, changes, freshnessMs, log } = options;
  const nextChange = { product: createNextChange(clock), notice: createNextChange(clock) };
  let client: pg.Client | undefined;
  let lastBeatMs = Number.NEGATIVE_INFINITY;
  let beating: { sentMs: number; done: Promise<boolean> } | undefined;
  let following: Promise<boolean> | undefined;
  let reconnecting: NodeJS.Timeout | undefined;
  let isClosed = false;
  let lastFault: string | undefined;

  const lose = (lost: pg.Client, error: unknown): void => {
    if (client !== lost) return;
    client = undefined;
    beating = undefined;
    if (isClosed) return;
    log.warn({ err: error }, 'the connection of the pulse is lost');
    abandon(lost);
    reconnecting = setTimeout(reconnect, RECONNECT_DELAY_MS);
  };

  const tableChanged = (table: Table): void => {
    changes.tableChanged(table);
    if (table !== 'category') nextChange[table].mayBe(undefined);
  };

  const onChange = (change: Table | ProductChange): void => {
    if (typeof change === 'string') tableChanged(change);
    else {
      changes.productsChanged(change);
      nextChange.product.mayBe(change.publishedMs);
    }
  };

  const connect = async (): Promise<void> => {
    const opened = new DatabaseClient({
      ...connection,
      connectionTimeoutMillis: BEAT_TIMEOUT_MS,
      query_timeout: BEAT_TIMEOUT_MS,
    });
    opened.on('error', (error) => lose(opened, error));
    opened.on('end', () => lose(opened, new Error('the server closed the connection')));
    try {
      await opened.connect();
      await source.prepare(opened, onChange);
    } catch (error) {
      abandon(opened);
      throw error;
    }
    if (isClosed) {
      abandon(opened);
      return;
    }
    // Listen first, then trust: whatever was told before is missed, so everything may have changed.
    for (const table of TABLES) tableChanged(table);
    client = opened;
    // The quickest of a few tells the time best: the first has its statement prepared, and may have met a busy machine.
    for (let beats = 0; beats < FIRST_BEATS; beats += 1) await beat();
  };

  const reconnect = (): void => {
    connect().then(
      () => log.info('the pulse is back'),
      (error: unknown) => {
        // What no waiting mends is told once.
        if (error instanceof OperatorError && error.message !== lastFault) log.error(error.message);
        lastFault = error instanceof OperatorError ? error.message : undefined;
        if (!isClosed && client === undefined) reconnecting = setTimeout(reconnect, RECONNECT_DELAY_MS);
      },
    );
  };

  const sendBeat = async (): Promise<boolean> => {
    const on = client;
    if (!on) return false;
    let sentMs = performance.now();
    nextChange.product.asking();
    nextChange.notice.asking();
    const behindMs = Math.min(behindMsOf(clock), MAX_BEHIND_MS);
    try {
      const beat = await source.beat(on, behindMs, () => {
        sentMs = performance.now();
      });
      if (!beat || client !== on) return false;
      clock.observe(beat.now, sentMs, performance.now());
      learn(nextChange.product, beat.product);
      learn(nextChange.notice, beat.notice);
      lastBeatMs = sentMs;
      return true;
    } catch (error) {
      lose(on, error);
      return false;
    }
  };

  const learn = (next: NextChange, ms: number | null | undefined): void => {
    if (ms !== undefined) next.is(ms ?? Number.POSITIVE_INFINITY);
    // What was not asked is as it was, if there was no change; which only who is told can know.
    else if (!source.tellsChanges) next.mayBe(undefined);
  };

  /** One at a time on a connection. */
  const beat = (): Promise<boolean> => {
    if (beating) return beating.done;
    const done = sendBeat().finally(() => {
      if (beating?.done === done) beating = undefined;
    });
    beating = { sentMs: performance.now(), done };
    return done;
  };

  // A beat that was sent before the bound says nothing of commits since: then the next one is waited for.
  const nextBeat = (): Promise<boolean> => {
    if (!beating) return beat();
    if (performance.now() - beating.sentMs < freshnessMs) return beating.done;
    following ??= beating.done.then(() => {
      following = undefined;
      return beat();
    });
    return following;
  };

  await connect();

  const ageMs = (): number => performance.now() - lastBeatMs;

  return {
    isFresh: () => {
      const age = ageMs();
      // Ahead of time, so that under load nobody waits.
      if (age > freshnessMs / 2 && freshnessMs > 0 && client) void beat();
      return age < freshnessMs && client !== undefined;
    },
    freshen: async () => {
      if (!client) return false;
      if (ageMs() < freshnessMs) return true;
      return withPatience(nextBeat());
    },
    isLost: () => client === undefined,
    ageMs,
    nextChangeMs: (table) => {
      if (table === 'category') return Number.POSITIVE_INFINITY;
      if (!client) return undefined;
      const ms = nextChange[table].ms();
      // Until the next beat tells it, nothing that shows what there is in the table can be kept.
      if (ms === undefined) void beat();
      return ms;
    },
    trustedUntilMs: () => (source.tellsChanges ? undefined : lastBeatMs + freshnessMs),
    close: async () => {
      isClosed = true;
      clearTimeout(reconnecting);
      const open = client;
      client = undefined;
      await open?.end();
    },
  };
};

const withPatience = async (beat: Promise<boolean>): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, PATIENCE_MS, false);
  try {
    return await Promise.race([beat, promise]);
  } finally {
    clearTimeout(timer);
  }
};
