import pg from 'pg';
import type { Logger } from 'pino';
import { withDeadline } from '../../deadline.ts';
import { type ConnectionConfig, connectionConfig, DatabaseClient, hostsOf } from '../connection.ts';
import { hasCode, ReadAgain } from '../failures.ts';
import { createPool, type ObserveStatement } from '../pool.ts';
import {
  hasReplayed,
  isOfHistory,
  type PrimaryPosition,
  type PrimaryPositions,
  REPLAY_POSITION,
  type ReplayPosition,
} from './wal-position.ts';

/** Why a replica is not read from. */
type Obstacle = 'away' | 'other' | 'lag' | 'change' | 'busy';

export interface ReplicaOptions {
  readonly url: string;
  readonly positions: PrimaryPositions;
  readonly freshnessMs: number;
  readonly poolSize: number;
  readonly timeoutMs: number;
  readonly log: Logger;
  readonly observer?: ObserveStatement | undefined;
}

/** The share of a statement's time that the replica gets; the rest is for the primary, if it must be asked instead. */
const TIMEOUT_SHARE = 0.5;

/** The share of the bound that the replica gets to replay what the primary has just written, before it is asked for its position. */
const REPLAY_SHARE = 0.05;

/** A recovery conflict (https://www.postgresql.org/docs/current/hot-standby.html#HOT-STANDBY-CONFLICT): the replica is well. */
const SERIALIZATION_FAILURE = '40001';

/** A streaming replica, with what is known of its state. */
export class Replica {
  /** Its host and port. */
  readonly name: string;
  readonly pool: pg.Pool;
  readonly stats = {
    /** Operations that were read here. */
    chosen: 0,
    /** How often it could not be chosen, by why. */
    passedOver: new Map<Obstacle, number>(),
    failures: 0,
  };
  readonly #options: ReplicaOptions;
  readonly #prober: Prober;
  /** The latest position of the primary that the replica has replayed. */
  #reached: PrimaryPosition | undefined;

  constructor(options: ReplicaOptions) {
    const { url, freshnessMs, poolSize, observer } = options;
    const connection = connectionConfig(url);
    this.name = hostsOf(url);
    const log = options.log.child({ replica: this.name });
    this.#options = { ...options, log, timeoutMs: Math.ceil(options.timeoutMs * TIMEOUT_SHARE) };
    this.#prober = createProber(connection, freshnessMs * REPLAY_SHARE, () => this.#update(), log);
    this.pool = createPool({
      connection,
      size: poolSize,
      timeoutMs: this.#options.timeoutMs,
      log,
      ...(observer && { observer }),
      onConnect: (client) => this.#assertSame(client as DatabaseClient),
    });
  }

  /** Whether an operation that begins now reads here. */
  isChosen(): boolean {
    const { stats } = this;
    const why = this.#obstacle();
    if (why) stats.passedOver.set(why, (stats.passedOver.get(why) ?? 0) + 1);
    else stats.chosen += 1;
    return why === undefined;
  }

  #obstacle(): Obstacle | undefined {
    const { positions, freshnessMs, poolSize } = this.#options;
    const reached = this.#reached;
    const replayed = this.#prober.position();
    if (!replayed || !this.#prober.isResponsive()) return 'away';
    const [latest] = positions.recent();
    if (!latest || !reached || performance.now() - reached.sentMs >= freshnessMs)
      return latest && !isOfHistory(replayed, latest) ? 'other' : 'lag';
    if (reached.changeCount !== positions.changeCount()) return 'change';
    // As many wait as can be served at once: the primary may be idle.
    return this.pool.waitingCount >= poolSize ? 'busy' : undefined;
  }

  /** Whether an operation that found no obstacle may still send statements: the replica holds every change that was notified. */
  #isCurrent(): boolean {
    const isReached = this.#reached?.changeCount === this.#options.positions.changeCount();
    return isReached && this.#prober.isResponsive();
  }

  /** By `performance.now()`: the replica misses no commit that was acknowledged before. */
  asOfMs(): number {
    return this.#reached?.sentMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Sends a statement. @throws ReadAgain where the replica cannot answer, or takes too long */
  async query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    if (!this.#isCurrent()) throw new ReadAgain(`${this.name} is no longer up to date`);
    try {
      return await withDeadline(this.pool.query(config), this.#options.timeoutMs);
    } catch (error) {
      this.stats.failures += 1;
      if (!hasCode(error, SERIALIZATION_FAILURE)) this.#prober.suspect();
      this.#options.log.debug({ err: error }, 'a replica failed to answer: the primary is asked');
      throw new ReadAgain(`${this.name} failed to answer`, { cause: error });
    }
  }

  /** A heartbeat has brought a position of the primary. */
  onPrimaryPosition(): void {
    // Where nothing was written since, the position is reached already.
    this.#update();
    this.#prober.probe();
  }

  /** How far it is behind the primary's last position; undefined while it is not known. */
  lagMs(): number | undefined {
    const [latest] = this.#options.positions.recent();
    const replayed = this.#prober.position();
    if (!latest || !this.#reached || !replayed || replayed.lsn === null) return undefined;
    return Math.max(0, latest.sentMs - this.#reached.sentMs);
  }

  /** Whether its position is not known. */
  isAway(): boolean {
    return this.#prober.position() === undefined;
  }

  async close(): Promise<void> {
    this.#prober.close();
    await this.pool.end();
  }

  #update(): void {
    const replayed = this.#prober.position();
    const { recent } = this.#options.positions;
    this.#reached = replayed && (recent().find((position) => hasReplayed(replayed, position)) ?? this.#reached);
  }

  /**
   * The prober's findings hold for another connection if it is to the same server, which has not lost anything since: after a crash, a
   * replica may come back with less than it has shown. A connection does not outlive its server, so it is enough to check as it is opened.
   */
  async #assertSame(client: DatabaseClient): Promise<void> {
    // Known before, so that the same server can only be further on.
    const known = this.#prober.position();
    const [own] = (await client.query<ReplayPosition>(REPLAY_POSITION)).rows;
    if (own && own.pid !== client.namedPid)
      throw new Error(`${this.name} is a pooler: name the servers themselves in DATABASE_REPLICA_URLS`);
    const isSame = own?.startedAt === known?.startedAt && own?.origin === known?.origin;
    if (!own || !known || !isSame || (own.lsn ?? 0) < (known.lsn ?? 0))
      throw new Error(`${this.name} is several servers, or one that has just been restarted`);
  }
}

const PROBE_CONNECT_TIMEOUT_MS = 3000;
const PROBE_TIMEOUT_MS = 1000;
/** A replica that takes longer would take as long for a statement. */
const PATIENCE_MS = 250;
const RECONNECT_DELAY_MS = 500;

type Prober = ReturnType<typeof createProber>;

/**
 * The connection on which a replica is asked for its position.
 * @param delayMs how long after `probe` it is asked: the replica replays what the primary has just written
 * @param onChange called when its position has changed, or is no longer known
 */
const createProber = (connection: ConnectionConfig, delayMs: number, onChange: () => void, log: Logger) => {
  const pool = new pg.Pool({
    ...connection,
    Client: DatabaseClient,
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: PROBE_CONNECT_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  let position: ReplayPosition | undefined;
  /** When the question is sent that is not answered yet. */
  let askedMs: number | undefined;
  let nextConnectMs = 0;
  let isClosed = false;
  let isKnownAway = false;

  const lose = (error: unknown): void => {
    nextConnectMs = performance.now() + RECONNECT_DELAY_MS;
    position = undefined;
    onChange();
    if (isClosed || isKnownAway) return;
    isKnownAway = true;
    log.warn({ err: error }, 'a replica is away: it is passed over');
  };
  // An idle connection broke. One in use fails its statement.
  pool.on('error', lose);
  pool.on('connect', (client) => client.on('error', () => {}));

  const ask = async (): Promise<void> => {
    if (isClosed) return;
    askedMs = performance.now();
    try {
      const { rows } = await pool.query<ReplayPosition>(REPLAY_POSITION);
      position = rows[0];
      if (isKnownAway) log.info('a replica is back');
      isKnownAway = false;
      onChange();
    } catch (error) {
      lose(error);
    } finally {
      askedMs = undefined;
    }
  };

  return {
    /** Asks soon, unless an answer is awaited; connects where there is no connection. */
    probe: (): void => {
      const nowMs = performance.now();
      if (isClosed || askedMs !== undefined || (!position && nowMs < nextConnectMs)) return;
      const waitMs = position ? delayMs : 0;
      askedMs = nowMs + waitMs;
      setTimeout(ask, waitMs).unref();
    },
    /** The last answer on the open connection. */
    position: () => position,
    /** Whether it answers quickly. */
    isResponsive: (): boolean =>
      position !== undefined && (askedMs === undefined || performance.now() - askedMs < PATIENCE_MS),
    /** Its position is not known until the next answer. */
    suspect: (): void => {
      position = undefined;
      onChange();
    },
    close: (): void => {
      isClosed = true;
      position = undefined;
      void pool.end();
    },
  };
};
