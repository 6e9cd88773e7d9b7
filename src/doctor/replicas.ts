import { setTimeout as delay } from 'node:timers/promises';
import { type DatabaseClient, withConnection } from '../database/client.ts';
import { connectionConfig } from '../database/connection.ts';
import { placeOf } from '../database/connection-url.ts';
import { messageOf } from '../database/failures.ts';
import {
  hasReplayed,
  isOfHistory,
  REPLAY_POSITION,
  type ReplayPosition,
  WAL_HISTORY,
  type WalPosition,
} from '../database/replicas/wal-position.ts';
import { type Check, type Finding, ok, oneRow, warn } from './finding.ts';

const TIMEOUT_MS = 3000;

const NO_FOLLOWER =
  'Let it follow this one (pg_rewind, or a new copy). Soon after a promotion only a role that may read pg_stat_wal_receiver (pg_read_all_stats) can see that it does.';
const POLL_MS = 5;

/** A replica that replays later than this share of the bound is hardly ever read from. */
const QUICK_SHARE = 0.5;

/** Whether replicas are there, follow this database, and keep up. A gateway works without them: the primary is read instead. */
export const checkReplicas: Check = async ({ client, config, instances }) => {
  const { databaseReplicaUrls: urls, freshnessMs, databasePoolSize } = config;
  if (urls.length === 0) return [];
  const primary = await oneRow<WalPosition>(client, WAL_HISTORY);
  const findings = await Promise.all(
    urls.map((url) => examine(url, { primary, freshnessMs, connections: (databasePoolSize + 1) * instances })),
  );
  if (freshnessMs > 0) return findings.flat();
  const remedy = 'Leave DATABASE_REPLICA_URLS out, or allow a few milliseconds (FRESHNESS_MS).';
  return [...findings.flat(), warn('replicas', 'none is ever read from with FRESHNESS_MS=0', remedy)];
};

interface Wanted {
  readonly primary: WalPosition;
  readonly freshnessMs: number;
  readonly connections: number;
}

const examine = async (url: string, { primary, freshnessMs, connections }: Wanted): Promise<Finding[]> => {
  const place = placeOf(url);
  const warned = (message: string, remedy: string): Finding[] => [warn('replicas', `${place} ${message}`, remedy)];
  try {
    return await withConnection(connectionConfig(url), TIMEOUT_MS, async (client) => {
      const startMs = performance.now();
      const position = (): Promise<ReplayPosition> => oneRow(client, REPLAY_POSITION.text);
      let replica = await position();
      if (replica.pid !== client.namedPid)
        return warned('is behind a pooler: it is not used', 'Name the server itself in DATABASE_REPLICA_URLS.');
      if (replica.origin !== primary.origin)
        return warned('is another database: it is not used', 'Name streaming replicas of DATABASE_URL.');
      if (!replica.isStandby) return [ok('replicas', `${place} is a primary at present: it is not used`)];
      if (!isOfHistory(replica, primary)) return warned('does not follow this primary: it is not used', NO_FOLLOWER);
      while (!hasReplayed(replica, primary) && performance.now() - startMs < TIMEOUT_MS) {
        await delay(POLL_MS);
        replica = await position();
      }
      if (!hasReplayed(replica, primary))
        return warned(
          `has not replayed what the primary wrote ${TIMEOUT_MS / 1000} s ago: it is not used`,
          'Look at pg_stat_wal_receiver there, pg_stat_replication on the primary, recovery_min_apply_delay, and pg_is_wal_replay_paused().',
        );
      const replayedMs = performance.now() - startMs;
      if (freshnessMs > 0 && replayedMs > freshnessMs * QUICK_SHARE)
        return warned(
          `replays after ${Math.round(replayedMs)} ms: too late to be read from most of the time`,
          'Find what delays it, or raise FRESHNESS_MS.',
        );
      return [
        ok('replicas', `${place} follows, and has replayed all within ${Math.ceil(replayedMs)} ms`),
        ...(await room(client, place, connections)),
        ...hint(replica),
      ];
    });
  } catch (error) {
    return warned(
      `cannot be used: ${messageOf(error)}`,
      'Until it can, the primary is read instead. Check DATABASE_REPLICA_URLS.',
    );
  }
};

const room = async (client: DatabaseClient, place: string, needed: number): Promise<Finding[]> => {
  const { most } = await oneRow<{ most: number }>(
    client,
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most`,
  );
  if (needed <= most) return [];
  const remedy = 'Lower DATABASE_POOL_SIZE, run fewer instances, or raise max_connections there.';
  return [warn('replicas', `${place} allows ${most} connections, and ${needed} are needed`, remedy)];
};

const hint = ({ receivedTimeline }: ReplayPosition): Finding[] =>
  receivedTimeline === null
    ? [ok('replicas', 'after a promotion they are used again some minutes later; with pg_read_all_stats, at once')]
    : [];
