import pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../database/clock.ts';

/** What an answer can depend on. Every change to one of these tables is notified on the channel under its name. */
export type Table = 'category' | 'product' | 'notice';

/**
 * What this process knows of changes in the database. One connection listens to notifications, and its own round trip is the beat: it
 * returns after every notification of a commit that was acknowledged before it was sent (`NOTIFY` is delivered at commit, in
 * order, https://www.postgresql.org/docs/current/sql-notify.html), proves that the connection lives, and brings the database's clock
 * and the next moments at which answers change by themselves.
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
  /** How often the table is known to have changed. While it is the same, so is what the table shows at one moment. */
  readonly generation: (table: Table) => number;
  /**
   * When what the table shows next changes without a change to its rows (a product published, a notice starting or ending), in
   * the database's milliseconds; infinite for never, undefined while it is not known.
   */
  readonly nextChangeMs: (table: Table) => number | undefined;
  readonly close: () => Promise<void>;
}

interface Options {
  readonly connection: pg.ClientConfig;
  readonly clock: Clock;
  /** How old a commit may be that an answer misses. 0: every answer waits for a beat of its own. */
  readonly freshnessMs: number;
  readonly log: Logger;
}

/** A round trip that takes this long means that the connection is dead or that nobody is at its other end. */
const BEAT_TIMEOUT_MS = 1000;
/** How long a request waits for a beat before it goes to the database itself. */
const PATIENCE_MS = 300;
const FIRST_BEATS = 4;
const RECONNECT_DELAY_MS = 100;

/**
 * A table that the back office keeps locked (a reload in one transaction) is not waited for: the beat goes on without the next moments,
 * for nothing that was committed has changed them.
 */
const LOCK_TIMEOUT_MS = 20;
const LOCK_NOT_AVAILABLE = '55P03';

const NOW = 'extract(epoch from clock_timestamp())::float8 * 1000';

// Our clock may be behind the database's, and operations read it in whole milliseconds: a moment that is just past there is still to
// come for some of them, and what they then answer must not outlive it.
const AFTER = `> now() - $1::float8 * interval '1 millisecond'`;
const MAX_BEHIND_MS = BEAT_TIMEOUT_MS / 2;

const BEAT = {
  name: 'vitrine_beat',
  text: `
    select ${NOW} as now,
      (select extract(epoch from min(published_at))::float8 * 1000 from product where status = 'ON_SALE' and published_at ${AFTER}) as product,
      (select extract(epoch from least(
        (select min(starts_at) from notice where status = 'PUBLISHED' and starts_at ${AFTER}),
        (select min(ends_at) from notice where status = 'PUBLISHED' and ends_at ${AFTER})))::float8 * 1000) as notice`,
};

const BARE_BEAT = { name: 'vitrine_bare_beat', text: `select ${NOW} as now` };

/** Milliseconds; null for no such moment, and without the key where nobody asked. */
type BeatRow = { now: number; product?: number | null; notice?: number | null };

/** Listens at once, and again whenever the connection is lost. Resolves after the first beat. @throws what the first connection throws */
export const startPulse = async ({ connection, clock, freshnessMs, log }: Options): Promise<Pulse> => {
  const generations: Record<Table, number> = { category: 0, product: 0, notice: 0 };
  // What the last beat said, and the generation that it said it of.
  const nextChange = { product: { generation: -1, ms: 0 }, notice: { generation: -1, ms: 0 } };
  let client: pg.Client | undefined;
  let lastBeatMs = Number.NEGATIVE_INFINITY;
  let beating: { sentMs: number; done: Promise<boolean> } | undefined;
  let following: Promise<boolean> | undefined;
  let reconnecting: NodeJS.Timeout | undefined;
  let isClosed = false;

  const lose = (lost: pg.Client, error: unknown): void => {
    if (client !== lost) return;
    client = undefined;
    beating = undefined;
    if (isClosed) return;
    log.warn({ err: error }, 'the connection that listens for changes is lost');
    // `end` would wait for a server that may not be there.
    destroy(lost);
    reconnecting = setTimeout(reconnect, RECONNECT_DELAY_MS);
  };

  const connect = async (): Promise<void> => {
    const opened = new pg.Client({
      ...connection,
      options: [connection.options, `-c lock_timeout=${LOCK_TIMEOUT_MS}`].filter(Boolean).join(' '),
      connectionTimeoutMillis: BEAT_TIMEOUT_MS,
      query_timeout: BEAT_TIMEOUT_MS,
    });
    opened.on('error', (error) => lose(opened, error));
    opened.on('end', () => lose(opened, new Error('the server closed the connection')));
    opened.on('notification', ({ payload }) => {
      if (payload !== undefined && payload in generations) generations[payload as Table] += 1;
    });
    try {
      await opened.connect();
      await opened.query('listen vitrine');
    } catch (error) {
      destroy(opened);
      throw error;
    }
    if (isClosed) {
      destroy(opened);
      return;
    }
    // Listen first, then trust: whatever was notified before is missed, so everything may have changed.
    for (const table of Object.keys(generations) as Table[]) generations[table] += 1;
    client = opened;
    // The quickest of a few tells the time best: the first has its statement prepared, and may have met a busy machine.
    for (let beats = 0; beats < FIRST_BEATS; beats += 1) await beat();
  };

  const reconnect = (): void => {
    connect().then(
      () => log.info('listening for changes again'),
      () => {
        if (!isClosed && client === undefined) reconnecting = setTimeout(reconnect, RECONNECT_DELAY_MS);
      },
    );
  };

  const sendBeat = async (): Promise<boolean> => {
    const on = client;
    if (!on) return false;
    let sentMs = performance.now();
    const { product, notice } = generations;
    const behindMs = Math.min(clock.uncertaintyMs() + 2, MAX_BEHIND_MS);
    try {
      const { rows } = await on.query<BeatRow>({ ...BEAT, values: [behindMs] }).catch((error: unknown) => {
        if (!isLockTimeout(error)) throw error;
        sentMs = performance.now();
        return on.query<BeatRow>(BARE_BEAT);
      });
      const [row] = rows;
      if (!row || client !== on) return false;
      clock.observe(row.now, sentMs, performance.now());
      if (row.product !== undefined)
        nextChange.product = { generation: product, ms: row.product ?? Number.POSITIVE_INFINITY };
      if (row.notice !== undefined)
        nextChange.notice = { generation: notice, ms: row.notice ?? Number.POSITIVE_INFINITY };
      lastBeatMs = sentMs;
      return true;
    } catch (error) {
      lose(on, error);
      return false;
    }
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
    generation: (table) => generations[table],
    nextChangeMs: (table) => {
      if (table === 'category') return Number.POSITIVE_INFINITY;
      const { generation, ms } = nextChange[table];
      if (!client) return undefined;
      if (generation === generations[table] && ms > clock.nowMs()) return ms;
      // Until the next beat tells it, nothing that shows the table can be kept.
      void beat();
      return undefined;
    },
    close: async () => {
      isClosed = true;
      clearTimeout(reconnecting);
      const open = client;
      client = undefined;
      await open?.end();
    },
  };
};

const isLockTimeout = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;

const withPatience = async (beat: Promise<boolean>): Promise<boolean> => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, PATIENCE_MS, false);
  try {
    return await Promise.race([beat, promise]);
  } finally {
    clearTimeout(timer);
  }
};

const destroy = (client: pg.Client): void => {
  client.removeAllListeners();
  client.on('error', () => {});
  client.connection.stream.destroy();
};
