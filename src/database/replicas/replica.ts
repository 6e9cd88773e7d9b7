import type pg from 'pg';
import type { Logger } from 'pino';
import { withDeadline } from '../../errors.ts';
import type { DatabaseClient } from '../client.ts';
import { connectionConfig } from '../connection.ts';
import { placeOf } from '../connection-url.ts';
import { createDatabase, type ObserveStatement } from '../pool.ts';
import { createProber } from './prober.ts';
import {
  hasReplayed,
  isOfHistory,
  type PrimaryPosition,
  type PrimaryPositions,
  REPLAY_POSITION,
  type ReplayPosition,
} from './wal-position.ts';

/** Why a replica is not read from; undefined where it is. */
export type Obstacle = 'away' | 'other' | 'lag' | 'change' | 'busy' | undefined;

/** A streaming replica, of which it is known what it does not miss. */
export interface Replica {
  /** Its host and port. */
  readonly name: string;
  readonly pool: pg.Pool;
  readonly statementCount: () => number;
  /** Of an operation that begins now. */
  readonly obstacle: () => Obstacle;
  /** Whether a statement may be sent of an operation that found no obstacle: it still holds every change that was told. */
  readonly isCurrent: () => boolean;
  /** It misses no commit that was acknowledged before this moment. */
  readonly asOfMs: () => number;
  /** Sends a statement. @throws what the replica does, or AppError SERVICE_UNAVAILABLE where it takes too long */
  readonly query: (...args: [pg.QueryConfig]) => Promise<pg.QueryResult>;
  /** The primary has told a position. */
  readonly onPrimaryPosition: () => void;
  /** How far it is behind the primary's last position; undefined while it is not known. */
  readonly lag: () => { readonly ms: number; readonly bytes: number } | undefined;
  /** Whether nothing is known of it. */
  readonly isAway: () => boolean;
  readonly stats: { failures: number };
  readonly close: () => Promise<void>;
}

interface Options {
  readonly url: string;
  readonly positions: () => PrimaryPositions;
  readonly freshnessMs: number;
  readonly poolSize: number;
  readonly timeoutMs: number;
  readonly log: Logger;
  readonly observer?: ObserveStatement | undefined;
}

/** Of the time for a statement, so much for the replica; the rest is the primary's, if it must be asked instead. */
const TIMEOUT_SHARE = 0.5;

/** Of the bound, so much for the replica to replay what the primary has just written, before it is asked how far it is. */
const REPLAY_SHARE = 0.05;

/** The state of two connections can be told apart by one of them having asked a little earlier. */
const MAX_LOOKS = 3;

// recovery conflict (https://www.postgresql.org/docs/current/hot-standby.html#HOT-STANDBY-CONFLICT): it says nothing against the replica.
const SERIALIZATION_FAILURE = '40001';

export const createReplica = (options: Options): Replica => {
  const { url, positions, freshnessMs, poolSize, observer, log } = options;
  const name = placeOf(url);
  const timeoutMs = Math.ceil(options.timeoutMs * TIMEOUT_SHARE);
  const connection = connectionConfig(url);
  const stats = { failures: 0 };
  let vouched: PrimaryPosition | undefined;

  /** By the latest position of the primary that it has replayed. */
  const vouch = (): void => {
    const replayed = prober.position();
    vouched =
      replayed &&
      (positions()
        .recent()
        .find((position) => hasReplayed(replayed, position)) ??
        vouched);
  };

  const prober = createProber({ name, connection, delayMs: freshnessMs * REPLAY_SHARE, onChange: vouch, log });

  /**
   * What the prober's connection has found is true of another one if that is to the same server, which has not lost anything since: after a crash, a
   * replica may come back with less than it has shown. A connection does not outlive its server, so it is enough to look when it is opened.
   */
  const assertSame = async (opened: pg.ClientBase): Promise<void> => {
    const client = opened as DatabaseClient;
    for (let looks = 1; ; looks += 1) {
      const { rows } = await client.query<ReplayPosition>(REPLAY_POSITION);
      const [own] = rows;
      const known = prober.position();
      if (own && own.pid !== client.namedPid)
        throw new Error(`${name} is a pooler: let DATABASE_REPLICA_URLS lead to the servers`);
      if (
        own &&
        known &&
        own.startedAt === known.startedAt &&
        own.origin === known.origin &&
        (own.lsn ?? 0) >= (known.lsn ?? 0)
      )
        return;
      if (looks === MAX_LOOKS) throw new Error(`${name} is several servers, or one that has just been restarted`);
    }
  };

  const { pool, statementCount } = createDatabase({
    connection,
    size: poolSize,
    timeoutMs,
    log: log.child({ replica: name }),
    ...(observer && { observer }),
    onConnect: assertSame,
  });

  const isCurrent = (): boolean =>
    vouched !== undefined && vouched.heard === positions().heard() && prober.isResponsive();

  const obstacle = (): Obstacle => {
    const replayed = prober.position();
    if (!replayed || !prober.isResponsive()) return 'away';
    const [latest] = positions().recent();
    if (!latest || !vouched || performance.now() - vouched.sentMs >= freshnessMs)
      return latest && !isOfHistory(replayed, latest) ? 'other' : 'lag';
    if (vouched.heard !== positions().heard()) return 'change';
    // As many wait as can be served at once: the primary may have nothing to do.
    return pool.waitingCount >= poolSize ? 'busy' : undefined;
  };

  return {
    name,
    pool,
    statementCount,
    obstacle,
    isCurrent,
    asOfMs: () => vouched?.sentMs ?? Number.NEGATIVE_INFINITY,
    query: async (...args) => {
      try {
        return await withDeadline(pool.query(...args), timeoutMs);
      } catch (error) {
        stats.failures += 1;
        const isConflict = error instanceof Error && 'code' in error && error.code === SERIALIZATION_FAILURE;
        if (!isConflict) prober.suspect();
        log.debug({ err: error, replica: name }, 'a replica failed to answer: the primary is asked');
        throw error;
      }
    },
    onPrimaryPosition: () => {
      // What is replayed already, because nothing was written since, need not be asked.
      vouch();
      prober.probe();
    },
    lag: () => {
      const [latest] = positions().recent();
      const replayed = prober.position();
      if (!latest || !vouched || !replayed || replayed.lsn === null) return undefined;
      return { ms: Math.max(0, latest.sentMs - vouched.sentMs), bytes: Math.max(0, latest.lsn - replayed.lsn) };
    },
    isAway: () => prober.position() === undefined,
    stats,
    close: async () => {
      prober.close();
      await pool.end();
    },
  };
};
