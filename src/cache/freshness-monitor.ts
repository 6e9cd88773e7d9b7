import type pg from 'pg';
import type { Logger } from 'pino';
import { abandon, type ConnectionConfig, DatabaseClient } from '../database/client.ts';
import type { Clock } from '../database/clock.ts';
import { OperatorError } from '../errors.ts';
import { type ChangeFeed, HEARTBEAT_TIMEOUT_MS, type Heartbeat, type SendHeartbeat } from './change-feed.ts';
import type { Change, TagVersions } from './tags.ts';

/**
 * How this process comes to know of changes in the database. One connection has the beat: its round trip brings what the source of changes tells, proves
 * that the connection lives, and brings the database's clock and the next moments at which answers change by themselves.
 */
export interface FreshnessMonitor {
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
  readonly nextChangeMs: (table: string) => number | undefined;
  /** Until when what is read from now on may be given, by `performance.now()`; undefined where changes are told. */
  readonly trustedUntilMs: () => number | undefined;
  readonly close: () => Promise<void>;
}

interface Options {
  readonly connection: ConnectionConfig;
  readonly source: ChangeFeed;
  readonly clock: Clock;
  readonly tagVersions: TagVersions;
  /** A response shows every change that was committed longer ago than this. 0: each request waits for a heartbeat of its own. */
  readonly freshnessMs: number;
  readonly log: Logger;
}

/** How long a request waits for a beat before it goes to the database itself. */
const PATIENCE_MS = 300;
const FIRST_HEARTBEATS = 4;
const RECONNECT_DELAY_MS = 100;

/** Our clock is never taken to be further behind the database's. */
const MAX_BEHIND_MS = HEARTBEAT_TIMEOUT_MS / 2;

/** Connects at once, and again whenever the connection is lost. Resolves after the first beat. @throws what the first connection throws */
export const startFreshnessMonitor = async (options: Options): Promise<FreshnessMonitor> => {
  const { connection, source, clock, tagVersions, freshnessMs, log } = options;
  const { tables } = source;
  /** Of the tables that change with time alone. */
  const nextChanges = new Map(
    tables.filter(({ nextChangeSql }) => nextChangeSql).map(({ table }) => [table, createNextChange(clock)]),
  );
  let client: pg.Client | undefined;
  let sendHeartbeat: SendHeartbeat | undefined;
  let lastHeartbeatMs = Number.NEGATIVE_INFINITY;
  let heartbeatInFlight: { sentMs: number; done: Promise<boolean> } | undefined;
  let following: Promise<boolean> | undefined;
  let reconnecting: NodeJS.Timeout | undefined;
  let isClosed = false;
  let lastFault: string | undefined;

  const lose = (lost: pg.Client, error: unknown): void => {
    if (client !== lost) return;
    client = undefined;
    heartbeatInFlight = undefined;
    if (isClosed) return;
    log.warn({ err: error }, 'the connection of the pulse is lost');
    abandon(lost);
    reconnecting = setTimeout(reconnect, RECONNECT_DELAY_MS);
  };

  const onChange = (change: Change): void => {
    tagVersions.changed(change);
    nextChanges.get(change.table)?.mayBe(change.rows?.nextChangeMs);
  };

  const allChanged = (): void => {
    for (const { table } of tables) onChange({ table });
  };

  const connect = async (): Promise<void> => {
    const opened = new DatabaseClient({
      ...connection,
      connectionTimeoutMillis: HEARTBEAT_TIMEOUT_MS,
      query_timeout: HEARTBEAT_TIMEOUT_MS,
    });
    opened.on('error', (error) => lose(opened, error));
    opened.on('end', () => lose(opened, new Error('the server closed the connection')));
    let sendOn: SendHeartbeat;
    try {
      await opened.connect();
      sendOn = await source.prepare(opened, onChange);
    } catch (error) {
      abandon(opened);
      throw error;
    }
    if (isClosed) {
      abandon(opened);
      return;
    }
    // Listen first, then trust: whatever was told before is missed, so everything may have changed.
    allChanged();
    client = opened;
    sendHeartbeat = sendOn;
    // The quickest of a few tells the time best: the first has its statement prepared, and may have met a busy machine.
    for (let heartbeats = 0; heartbeats < FIRST_HEARTBEATS; heartbeats += 1) await heartbeat();
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

  const takeHeartbeat = async (): Promise<boolean> => {
    const on = client;
    if (!on || !sendHeartbeat) return false;
    let sentMs = performance.now();
    for (const nextChange of nextChanges.values()) nextChange.asking();
    const behindMs = Math.min(behindMsOf(clock), MAX_BEHIND_MS);
    try {
      const heartbeat = await sendHeartbeat(behindMs, () => {
        sentMs = performance.now();
      });
      if (!heartbeat || client !== on) return false;
      // What was found out by a later time may show what has not begun.
      if (clock.observe(heartbeat.now, sentMs, performance.now())) allChanged();
      learn(heartbeat.nextChanges);
      lastHeartbeatMs = sentMs;
      return true;
    } catch (error) {
      lose(on, error);
      return false;
    }
  };

  const learn = (answered: Heartbeat['nextChanges']): void => {
    for (const [index, { table }] of tables.entries()) {
      if (answered) nextChanges.get(table)?.is(answered[index] ?? Number.POSITIVE_INFINITY);
      // What was not asked is as it was, if there was no change; only a feed that tells of changes knows that.
      else if (!source.tellsChanges) nextChanges.get(table)?.mayBe(undefined);
    }
  };

  /** One at a time on a connection. */
  const heartbeat = (): Promise<boolean> => {
    if (heartbeatInFlight) return heartbeatInFlight.done;
    const done = takeHeartbeat().finally(() => {
      if (heartbeatInFlight?.done === done) heartbeatInFlight = undefined;
    });
    heartbeatInFlight = { sentMs: performance.now(), done };
    return done;
  };

  // A beat that was sent before the bound says nothing of commits since: then the next one is waited for.
  const nextHeartbeat = (): Promise<boolean> => {
    if (!heartbeatInFlight) return heartbeat();
    if (performance.now() - heartbeatInFlight.sentMs < freshnessMs) return heartbeatInFlight.done;
    following ??= heartbeatInFlight.done.then(() => {
      following = undefined;
      return heartbeat();
    });
    return following;
  };

  await connect();

  const ageMs = (): number => performance.now() - lastHeartbeatMs;

  return {
    isFresh: () => {
      const age = ageMs();
      // Ahead of time, so that under load nobody waits.
      if (age > freshnessMs / 2 && freshnessMs > 0 && client) void heartbeat();
      return age < freshnessMs && client !== undefined;
    },
    freshen: async () => {
      if (!client) return false;
      if (ageMs() < freshnessMs) return true;
      return withPatience(nextHeartbeat());
    },
    isLost: () => client === undefined,
    ageMs,
    nextChangeMs: (table) => {
      const nextChange = nextChanges.get(table);
      if (!nextChange) return Number.POSITIVE_INFINITY;
      if (!client) return undefined;
      const ms = nextChange.ms();
      // Until the next beat tells it, nothing that shows what there is in the table can be kept.
      if (ms === undefined) void heartbeat();
      return ms;
    },
    trustedUntilMs: () => (source.tellsChanges ? undefined : lastHeartbeatMs + freshnessMs),
    close: async () => {
      isClosed = true;
      clearTimeout(reconnecting);
      const open = client;
      client = undefined;
      await open?.end();
    },
  };
};

const withPatience = async (heartbeat: Promise<boolean>): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // After a last look at what has arrived: it may be this process that is late.
  const timer = setTimeout(() => setImmediate(resolve, false), PATIENCE_MS);
  try {
    return await Promise.race([heartbeat, promise]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * When what a table shows next changes without a change to its rows (a product published, a notice starting or ending): asked of the database
 * with every beat, and brought forward by changes that are told meanwhile. One that is put off or given up shows with the next beat.
 */
export interface NextChange {
  /** In the database's milliseconds; infinite for never, undefined while it is not known. */
  readonly ms: () => number | undefined;
  /** A change brings with it that moment, in the database's milliseconds, or, where it does not say, any moment. */
  readonly mayBe: (ms: number | undefined) => void;
  /** The database is being asked. */
  readonly asking: () => void;
  /** It answered. */
  readonly is: (ms: number) => void;
}

/** How far our clock may be behind the database's, with what operations lose as they read it in whole milliseconds. */
const behindMsOf = (clock: Clock): number => clock.uncertaintyMs() + 2;

export const createNextChange = (clock: Clock): NextChange => {
  let knownMs = Number.NEGATIVE_INFINITY;
  // What the answer that is under way may not know of.
  let toldMs = Number.POSITIVE_INFINITY;

  return {
    // One that is over may have hidden another.
    ms: () => (knownMs > clock.nowMs() ? knownMs : undefined),
    mayBe: (ms = Number.NEGATIVE_INFINITY) => {
      toldMs = Math.min(toldMs, ms);
      knownMs = Math.min(knownMs, ms);
    },
    asking: () => {
      toldMs = Number.POSITIVE_INFINITY;
    },
    is: (ms) => {
      knownMs = Math.min(ms, toldMs);
    },
  };
};
