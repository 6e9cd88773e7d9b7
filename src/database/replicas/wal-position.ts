import type pg from 'pg';
import type { Logger } from 'pino';

/** The write-ahead log that a position is in. */
interface WalHistory {
  /** Cluster and database: the same in a replica, and in nothing else. */
  readonly origin: string;
  /** Each promotion begins one: what a former primary writes from then on is not in it, whatever its positions are. */
  readonly timeline: number;
}

/** How far a primary has written. */
export interface WalPosition extends WalHistory {
  /** Bytes since the beginning of the log. Exact up to 2^53, which is 8 PiB. */
  readonly lsn: number;
}

/** How far a replica has replayed. */
export interface ReplayPosition extends Pick<WalHistory, 'origin'> {
  /** Null on a server that replays nothing. */
  readonly lsn: number | null;
  /** Null where our role may not see it. */
  readonly receivedTimeline: number | null;
  /** A timeline that it has certainly reached; for minutes after a promotion this may be the one before. */
  readonly recoveredTimeline: number;
  readonly isStandby: boolean;
  /** Tells servers apart that have one name. */
  readonly startedAt: string;
  /** Of the process that answers. */
  readonly pid: number;
}

const bytes = (lsn: string): string => `(${lsn} - '0/0'::pg_lsn)::float8`;

// Replication is of whole clusters, so that the identifier of a database is the same in all of them.
const ORIGIN = `(select system_identifier from pg_control_system())
    || '/' || (select oid from pg_database where datname = current_database())`;

/**
 * Of the positions that a primary knows, only that of insertion is at or after every commit that was acknowledged: with `synchronous_commit = off`
 * a commit is acknowledged, seen by others and notified before it is written, let alone flushed.
 */
const INSERT_LSN = `${bytes('pg_current_wal_insert_lsn()')} as lsn`;

/** The same for as long as a connection to a primary lives. The name of a file of the log begins with its timeline. */
export const WAL_HISTORY = `
  select ${INSERT_LSN}, ${ORIGIN} as origin,
    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as timeline`;

/** A role without pg_read_all_stats sees nulls in `pg_stat_wal_receiver`. */
export const REPLAY_POSITION = {
  name: 'vitrine_replay_position',
  text: `select ${bytes('pg_last_wal_replay_lsn()')} as lsn,
    (select received_tli from pg_stat_wal_receiver) as "receivedTimeline",
    (select min_recovery_end_timeline from pg_control_recovery()) as "recoveredTimeline",
    pg_is_in_recovery() as "isStandby", pg_postmaster_start_time()::text as "startedAt", pg_backend_pid() as pid, ${ORIGIN} as origin`,
};

/** https://www.postgresql.org/docs/current/wal-internals.html; access/xlog_internal.h */
const PAGE_BYTES = 8192;
const PAGE_HEADER_BYTES = 24;

/** Whether it replays the same log: a former primary that came back without being rewound may be further on, in a history of its own. */
export const isOfHistory = (replica: ReplayPosition, { origin, timeline }: WalHistory): boolean =>
  replica.isStandby &&
  replica.origin === origin &&
  (replica.receivedTimeline === timeline || replica.recoveredTimeline === timeline);

/**
 * Whether everything up to a position is replayed. Where the last record ended with its page, the next one is inserted behind the header of the next
 * page, while the replay position stays at the end of the page: without the exception, a replica of an idle database would then count as
 * lagging. No commit record is as short as that header.
 */
export const hasReplayed = (replica: ReplayPosition, position: WalPosition): boolean => {
  const { lsn } = replica;
  if (lsn === null || !isOfHistory(replica, position)) return false;
  return lsn >= position.lsn || (lsn % PAGE_BYTES === 0 && position.lsn - lsn === PAGE_HEADER_BYTES);
};

/** A position of the primary: a replica that has replayed it misses no commit that was acknowledged before it was asked for. */
export interface PrimaryPosition extends WalPosition {
  /** When it was asked for, by `performance.now()`. */
  readonly sentMs: number;
  /** How many changes had been notified by then: the position is after the commits of all of these. */
  readonly changeCount: number;
}

/** The primary's positions, as the connection of the heartbeat finds them. */
export type PrimaryPositions = ReturnType<typeof followPrimary>;

/**
 * Has each heartbeat bring the primary's position: it costs no round trip, an idle process asks for none, and it comes from the server that
 * notifies the changes.
 */
export const followPrimary = (freshnessMs: number, onPosition: () => void, log: Logger) => {
  let changeCount = 0;
  let recent: PrimaryPosition[] = [];
  let history: WalHistory | undefined;

  return {
    /** Of the connection of the heartbeat. */
    observer: {
      onConnect: async (client: pg.Client): Promise<readonly string[]> => {
        changeCount += 1;
        try {
          [history] = (await client.query<WalHistory>(WAL_HISTORY)).rows;
        } catch (error) {
          log.warn({ err: error }, 'the position of the primary cannot be read: no replica is used');
          history = undefined;
        }
        return history ? [INSERT_LSN] : [];
      },
      onChange: (): void => {
        changeCount += 1;
      },
      onSend: () => {
        const sentMs = performance.now();
        const before = changeCount;
        const primary = history;
        return ({ lsn }: { readonly lsn?: unknown }): void => {
          if (!primary || typeof lsn !== 'number') return;
          const { origin, timeline } = primary;
          const boundMs = performance.now() - freshnessMs;
          recent = recent.filter((position) => position.sentMs > boundMs);
          recent.unshift({ lsn, timeline, origin, sentMs, changeCount: before });
          onPosition();
        };
      },
    },
    /** How many changes were notified so far. A lost connection counts as one, because anything may have changed. */
    changeCount: (): number => changeCount,
    /** Younger than the bound, the latest first. */
    recent: (): readonly PrimaryPosition[] => recent,
  };
};
