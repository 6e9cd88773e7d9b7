import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../database/clock.ts';
import { abandon, type ConnectionConfig, DatabaseClient } from '../database/connection.ts';
import { withDeadline } from '../deadline.ts';
import { OperatorError } from '../errors.ts';
import { HEARTBEAT_TIMEOUT_MS, type Heartbeat, type Listen, type SendHeartbeat } from './listen.ts';
import type { CachedTable, Change, TagVersions } from './tags.ts';

interface Options {
  readonly connection: ConnectionConfig;
  readonly listen: Listen;
  readonly clock: Clock;
  readonly tagVersions: TagVersions;
  /** A response shows every change that was committed longer ago than this. 0: each request waits for a heartbeat of its own. */
  readonly freshnessMs: number;
  readonly log: Logger;
}

/** How long a request waits for a heartbeat before it reads from the database itself. */
const PATIENCE_MS = 300;
const FIRST_HEARTBEATS = 4;
const RECONNECT_DELAY_MS = 100;

/** Longer than later on: a start on a busy machine should be slow rather than fail. */
const FIRST_CONNECT_TIMEOUT_MS = 10_000;

/** Our clock is never assumed to be further behind the database's. */
const MAX_BEHIND_MS = HEARTBEAT_TIMEOUT_MS / 2;

/** The time that operations lose when they read the clock in whole milliseconds. */
const ROUNDING_MS = 2;

/** A heartbeat that was sent and not answered yet. */
interface UnderWay {
  readonly sentMs: number;
  readonly done: Promise<boolean>;
}

/**
 * How this process learns of changes in the database. Heartbeats are round trips on one connection: each brings the changes that the feed
 * notifies, proves that the connection lives, and reads the database's clock and when responses next change with time alone.
 * It connects again whenever the connection is lost.
 */
export class FreshnessMonitor {
  readonly #options: Options;
  readonly #nextChanges: ReadonlyMap<string, NextChange>;
  readonly #onTime = new Set<(table: string) => void>();
  #client: pg.Client | undefined;
  #send: SendHeartbeat | undefined;
  #lastSentMs = Number.NEGATIVE_INFINITY;
  #underWay: UnderWay | undefined;
  #following: Promise<boolean> | undefined;
  #reconnecting: NodeJS.Timeout | undefined;
  #isClosed = false;
  #lastFault: string | undefined;

  constructor(options: Options) {
    const { tagVersions, clock } = options;
    this.#options = options;
    this.#nextChanges = new Map(
      tagVersions.tables
        .filter(({ nextChangeSql }) => nextChangeSql)
        .map(({ table }) => [table, new NextChange(clock)]),
    );
  }

  /** Whether cached responses miss no commit older than the bound. @param arrivedMs of the request, by `performance.now()` */
  isFresh(arrivedMs = performance.now()): boolean {
    const { freshnessMs } = this.#options;
    const age = arrivedMs - this.#lastSentMs;
    // Before the bound is reached, so that under load no request waits.
    if (age > freshnessMs / 2 && freshnessMs > 0 && this.#client) void this.#heartbeat();
    return age < freshnessMs && this.#client !== undefined;
  }

  /** Waits for a heartbeat if it must; requests share one. False where none comes in time: then no cached response is to be trusted. */
  async freshen(): Promise<boolean> {
    if (!this.#client) return false;
    const isFresh = performance.now() - this.#lastSentMs < this.#options.freshnessMs;
    return isFresh || withPatience(this.#freshHeartbeat());
  }

  isLost(): boolean {
    return this.#client === undefined;
  }

  /** When the last heartbeat was sent, by `performance.now()`: every commit that was acknowledged before is known. */
  asOfMs(): number {
    return this.#lastSentMs;
  }

  /** When the table next changes with time alone, as {@link NextChange} has it. */
  nextChangeMs(table: string, nowMs?: number): number | undefined {
    const nextChange = this.#nextChanges.get(table);
    if (!nextChange) return Number.POSITIVE_INFINITY;
    if (!this.#client) return undefined;
    const ms = nextChange.ms(nowMs);
    // Until the next heartbeat reads it, no response that lists rows of the table can be kept.
    if (ms === undefined) void this.#heartbeat();
    return ms;
  }

  /**
   * Waits until the next changes of all tables are known, where a heartbeat or two can tell.
   * @returns false where no heartbeat came in time
   */
  async plan(): Promise<boolean> {
    // A heartbeat that was under way when a change was notified does not know of it.
    for (let tries = 0; tries < 2; tries += 1) {
      if (![...this.#nextChanges.values()].some((nextChange) => nextChange.ms() === undefined)) return true;
      if (!(await withPatience(this.#heartbeat()))) return false;
    }
    return true;
  }

  /** Calls back where what a table shows has changed with time alone, once that is past and the next time is known. @returns what ends that */
  watchTime(onTime: (table: string) => void): () => void {
    this.#onTime.add(onTime);
    return () => void this.#onTime.delete(onTime);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reconnecting);
    const open = this.#client;
    this.#client = undefined;
    await open?.end();
  }

  /** Resolves after the first heartbeats. @throws what the connection throws */
  async connect(timeoutMs = FIRST_CONNECT_TIMEOUT_MS): Promise<void> {
    const { connection, listen } = this.#options;
    const opened = new DatabaseClient({
      ...connection,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: HEARTBEAT_TIMEOUT_MS,
    });
    opened.on('error', (error) => this.#lose(opened, error));
    opened.on('end', () => this.#lose(opened, new Error('the server closed the connection')));
    let send: SendHeartbeat;
    try {
      await opened.connect();
      send = await listen(opened, (change) => this.#onChange(change));
    } catch (error) {
      abandon(opened);
      throw error;
    }
    if (this.#isClosed) {
      abandon(opened);
      return;
    }
    // Now changes are notified; any that came before was missed.
    this.#onAnyChange();
    this.#client = opened;
    this.#send = send;
    // The quickest of a few reads the clock best: the first also prepares the statement, and may meet a busy machine.
    for (let count = 0; count < FIRST_HEARTBEATS; count += 1) await this.#heartbeat();
  }

  #reconnect(): void {
    const { log } = this.#options;
    this.connect(HEARTBEAT_TIMEOUT_MS).then(
      () => log.info('the connection of the freshness monitor is back'),
      (error: unknown) => {
        // A fault that no waiting mends is logged once.
        if (error instanceof OperatorError && error.message !== this.#lastFault) log.error(error.message);
        this.#lastFault = error instanceof OperatorError ? error.message : undefined;
        if (!this.#isClosed && this.#client === undefined) this.#reconnectLater();
      },
    );
  }

  #reconnectLater(): void {
    this.#reconnecting = setTimeout(() => this.#reconnect(), RECONNECT_DELAY_MS);
  }

  #lose(lost: pg.Client, error: unknown): void {
    if (this.#client !== lost) return;
    this.#client = undefined;
    this.#underWay = undefined;
    if (this.#isClosed) return;
    this.#options.log.warn({ err: error }, 'the connection of the freshness monitor is lost');
    abandon(lost);
    this.#reconnectLater();
  }

  #onChange(change: Change): void {
    // This comes first: a listener that hears of the change may ask when the next one is.
    this.#nextChanges.get(change.table)?.mayBeAt(change.rows?.nextChangeMs);
    this.#options.tagVersions.changed(change);
  }

  #onAnyChange(isOfClock = false): void {
    for (const { table } of this.#options.tagVersions.tables) this.#onChange({ table, isOfClock });
  }

  #heartbeat(): Promise<boolean> {
    if (this.#underWay) return this.#underWay.done;
    // Taken before the heartbeat is sent: if the process pauses in between, the heartbeat seems older than it is, never younger.
    const sentMs = performance.now();
    const done = this.#sendAndLearn().finally(() => {
      if (this.#underWay?.done === done) this.#underWay = undefined;
    });
    this.#underWay = { sentMs, done };
    return done;
  }

  /** A heartbeat that brings every commit older than the bound: the one under way if it was sent within the bound, else the next one. */
  #freshHeartbeat(): Promise<boolean> {
    const underWay = this.#underWay;
    if (!underWay || performance.now() - underWay.sentMs < this.#options.freshnessMs) return this.#heartbeat();
    this.#following ??= underWay.done.then(() => {
      this.#following = undefined;
      return this.#heartbeat();
    });
    return this.#following;
  }

  async #sendAndLearn(): Promise<boolean> {
    const on = this.#client;
    const send = this.#send;
    if (!on || !send) return false;
    let sentMs = performance.now();
    for (const nextChange of this.#nextChanges.values()) nextChange.isAsked();
    try {
      const behindMs = Math.min(this.#options.clock.uncertaintyMs() + ROUNDING_MS, MAX_BEHIND_MS);
      const heartbeat = await send(behindMs, () => {
        sentMs = performance.now();
      });
      if (this.#client !== on) return false;
      this.#learn(heartbeat, sentMs);
      return true;
    } catch (error) {
      this.#lose(on, error);
      return false;
    }
  }

  #learn({ now, nextChanges: read }: Heartbeat, sentMs: number): void {
    const { clock, tagVersions } = this.#options;
    // A response that was made by a later clock may show what has not begun.
    if (clock.observe(now, sentMs, performance.now())) this.#onAnyChange(true);
    // Where the tables could not be asked one is locked, and what is known of their next changes is true.
    for (const [index, ms] of (read ?? []).entries()) {
      const { table } = tagVersions.tables[index] as CachedTable;
      const isPast = this.#nextChanges.get(table)?.isAt(ms ?? Number.POSITIVE_INFINITY);
      if (isPast) for (const onTime of this.#onTime) onTime(table);
    }
    this.#lastSentMs = sentMs;
  }
}

const withPatience = (heartbeat: Promise<boolean>): Promise<boolean> =>
  withDeadline(heartbeat, PATIENCE_MS).catch(() => false);

/**
 * When what a table shows next changes without a change to its rows: read with every heartbeat, and brought forward by changes that are notified
 * in between. A change that is put off or given up shows with the next heartbeat. All times are the database's milliseconds.
 */
export class NextChange {
  readonly #clock: Clock;
  #knownMs = Number.NEGATIVE_INFINITY;
  /** The earliest that was notified since the last heartbeat was sent, whose answer may not have it yet. */
  #notifiedMs = Number.POSITIVE_INFINITY;
  /** The earliest that was still to come when it became known, and is not known to be past. */
  #plannedMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Infinite for never. Undefined while it is not known, also once the known time is past: a later one may follow. */
  ms(nowMs = this.#clock.nowMs()): number | undefined {
    return this.#knownMs > nowMs ? this.#knownMs : undefined;
  }

  /** As a notification says. @param ms undefined: at any time */
  mayBeAt(ms = Number.NEGATIVE_INFINITY): void {
    this.#notifiedMs = Math.min(this.#notifiedMs, ms);
    this.#knownMs = Math.min(this.#knownMs, ms);
    if (ms > this.#clock.nowMs()) this.#plannedMs = Math.min(this.#plannedMs, ms);
  }

  isAsked(): void {
    this.#notifiedMs = Number.POSITIVE_INFINITY;
  }

  /**
   * As a heartbeat says.
   * @returns whether a planned time is past, and the next one is known. What was past when it was notified belongs to the change that was notified.
   */
  isAt(ms: number): boolean {
    const nowMs = this.#clock.nowMs();
    this.#knownMs = Math.min(ms, this.#notifiedMs);
    if (this.#knownMs <= nowMs) return false;
    const isPast = this.#plannedMs <= nowMs;
    this.#plannedMs = this.#knownMs;
    return isPast;
  }
}
