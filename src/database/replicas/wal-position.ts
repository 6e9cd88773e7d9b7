import type pg from 'pg';
import type { Logger } from 'pino';

/** A log that positions are in. */
export interface WalHistory {
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
  /** Null where it is none. */
  readonly lsn: number | null;
  /** Null where our role is not told. */
  readonly receivedTimeline: number | null;
  /** The one that it has surely come to, which may be behind for minutes after a promotion. */
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

/** Whoever may not look into `pg_stat_wal_receiver` (pg_read_all_stats) sees nulls there. */
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

/** Whether it replays the same log: a former primary that came back without being rewound may be further, in a history of its own. */
export const isOfHistory = (replica: ReplayPosition, { origin, timeline }: WalHistory): boolean =>
  replica.isStandby &&
  replica.origin === origin &&
  (replica.receivedTimeline === timeline || replica.recoveredTimeline === timeline);

/**
 * Whether all that was written up to a position is replayed. Where the last record ended with its page, the place for the next one is behind that
 * page's successor's header, at which no replay ends: without the exception, a replica of a database that rests just there would count as
 * lagging. No commit is as short as that header, so that none is taken for it.
 */
export const hasReplayed = (replica: ReplayPosition, position: WalPosition): boolean => {
  const { lsn } = replica;
  if (lsn === null || !isOfHistory(replica, position)) return false;
  return lsn >= position.lsn || (lsn % PAGE_BYTES === 0 && position.lsn - lsn === PAGE_HEADER_BYTES);
};

/** A position of the primary: whoever has replayed it misses no commit that was acknowledged before it was asked for. */
export interface PrimaryPosition extends WalPosition {
  /** When it was asked for, by `performance.now()`. */
  readonly sentMs: number;
  /** How many changes had been told by then: it comes after the commits of all of these. */
  readonly heard: number;
}

/** What the connection of the heartbeat finds out for replicas. */
export interface PrimaryPositions {
  /** That connection's observer. */
  readonly observer: {
    readonly onConnect: (client: pg.Client) => Promise<readonly string[]>;
    readonly onChange: () => void;
    readonly onSend: () => (row: { readonly lsn?: unknown }) => void;
  };
  /** How many changes were notified so far; that the connection was lost, and anything may have changed, is one. */
  readonly heard: () => number;
  /** Younger than the bound, the latest first. */
  readonly recent: () => readonly PrimaryPosition[];
}

interface Options {
  readonly freshnessMs: number;
  readonly onPosition: () => void;
  readonly log: Logger;
}

/**
 * Has each heartbeat bring the primary's position: it costs no round trip, an idle process asks for none, and it comes from the server that
 * notifies the changes.
 */
export const followPrimary = ({ freshnessMs, onPosition, log }: Options): PrimaryPositions => {
  let heard = 0;
  let recent: PrimaryPosition[] = [];
  let history: WalHistory | undefined;

  /** Undefined where the server does not tell. */
  const readHistory = async (client: pg.Client): Promise<WalHistory | undefined> => {
    try {
      return (await client.query<WalHistory>(WAL_HISTORY)).rows[0];
    } catch (error) {
      log.warn({ err: error }, 'the primary does not tell its position: no replica is read from');
      return undefined;
    }
  };

  return {
    observer: {
      onConnect: async (client) => {
        heard += 1;
        history = await readHistory(client);
        return history ? [INSERT_LSN] : [];
      },
      onChange: () => {
        heard += 1;
      },
      onSend: () => {
        const sentMs = performance.now();
        const heardBefore = heard;
        const primary = history;
        return ({ lsn }) => {
          if (!primary || typeof lsn !== 'number') return;
          const { origin, timeline } = primary;
          const boundMs = performance.now() - freshnessMs;
          recent = recent.filter((position) => position.sentMs > boundMs);
          recent.unshift({ lsn, timeline, origin, sentMs, heard: heardBefore });
          onPosition();
        };
      },
    },
    heard: () => heard,
    recent: () => recent,
  };
};
