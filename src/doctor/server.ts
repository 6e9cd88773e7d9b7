import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseClient, useBriefly } from '../database/client.ts';
import { connectionConfig } from '../database/connection.ts';
import { placeOf } from '../database/connection-url.ts';
import { messageOf } from '../database/failures.ts';
import { findPooling, hasStatementTimeout, keepsStatements } from '../database/pooler.ts';
import {
  hasReplayed,
  isOfHistory,
  REPLAY_POSITION,
  type ReplayPosition,
  WAL_HISTORY,
  type WalPosition,
} from '../database/replicas/wal-position.ts';
import { type Check, type Finding, fail, ok, oneRow, warn } from './finding.ts';

const MINIMUM_VERSION = 150_000;

interface ServerRow {
  number: number;
  version: string;
  encoding: string;
  isStandby: boolean;
  isReadOnly: boolean;
  timeZone: string;
  dateStyle: string;
}

/** The server's version, whether it can be written to, and what the session is set to. */
export const checkServer: Check = async ({ client }) => {
  const row = await oneRow<ServerRow>(
    client,
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
       current_setting('server_encoding') as encoding, pg_is_in_recovery() as "isStandby",
       current_setting('transaction_read_only')::boolean as "isReadOnly", current_setting('TimeZone') as "timeZone",
       current_setting('DateStyle') as "dateStyle"`,
  );
  return [checkVersion(row), checkEncoding(row), checkWritable(row), checkTimeZone(row)];
};

const checkVersion = ({ number, version }: ServerRow): Finding =>
  number >= MINIMUM_VERSION
    ? ok('version', `PostgreSQL ${version}`)
    : fail('version', `PostgreSQL ${version} is too old`, 'Upgrade the server to PostgreSQL 15 or newer.');

const checkEncoding = ({ encoding }: ServerRow): Finding =>
  encoding === 'UTF8'
    ? ok('encoding', 'UTF8')
    : fail(
        'encoding',
        `the database is ${encoding}`,
        `Create it anew with "create database … encoding 'UTF8' template template0".`,
      );

const checkWritable = ({ isStandby, isReadOnly }: ServerRow): Finding => {
  if (isStandby) {
    return fail(
      'writable',
      'this is a standby',
      'Point DATABASE_URL at the primary: views are counted, and a standby notifies no changes.',
    );
  }
  return isReadOnly
    ? fail(
        'writable',
        'transactions are read-only here',
        'Views are counted: "alter role … reset default_transaction_read_only", or the same of the database.',
      )
    : ok('writable', 'a primary that takes writes');
};

// Both are asked for when the connection is opened; a pooler may drop that.
const checkTimeZone = ({ timeZone, dateStyle }: ServerRow): Finding =>
  timeZone === 'UTC' && dateStyle.startsWith('ISO')
    ? ok('time zone', 'sessions are in UTC')
    : fail(
        'time zone',
        `sessions are in ${timeZone} with DateStyle ${dateStyle}, although each asks for UTC and ISO`,
        'A pooler drops what connections ask for: moments would be wrong. Connect to the database itself, or "alter role … set timezone = UTC; alter role … set datestyle = ISO".',
      );

const TRIES = 5;
const TOLERATED_MS = 1000;

/** How far the clocks of this machine and of the database are apart, as well as a round trip can tell. */
export const checkClock: Check = async ({ client }) => {
  let best = { offsetMs: 0, tripMs: Number.POSITIVE_INFINITY };
  for (let tries = 0; tries < TRIES; tries += 1) {
    const sentMs = performance.now();
    const sentAtMs = Date.now();
    const { now } = await oneRow<{ now: number }>(
      client,
      'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
    );
    const tripMs = performance.now() - sentMs;
    if (tripMs < best.tripMs) best = { offsetMs: now - (sentAtMs + tripMs / 2), tripMs };
  }
  const offsetMs = Math.round(best.offsetMs);
  const round = `a round trip takes ${best.tripMs.toFixed(1)} ms`;
  if (Math.abs(offsetMs) <= TOLERATED_MS)
    return [ok('clock', `the database's is ${offsetMs} ms from this machine's; ${round}`)];
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
  return [
    warn(
      'clock',
      `the database's is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} this machine's; ${round}`,
      'Let NTP set both. Answers follow the database, so they agree; notices start and end wrongly if it is the database that is wrong.',
    ),
  ];
};

interface Limits {
  role: string;
  server: number;
  others: number;
  gateways: number;
  database: number;
  own: number;
}

/** Of what is left, so much should stay free for people and other programs. */
const COMFORTABLE_SHARE = 0.8;

/** The pool, and the connection that listens for changes. */
const connectionsOf = (poolSize: number): number => poolSize + 1;

/** Whether the connections of all instances fit into what the server, the database and the role allow. */
export const checkConnections: Check = async ({ client, config, instances }) => {
  const limits = await oneRow<Limits>(
    client,
    `select current_user as role,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true)::int, 0) as server,
       (select count(*)::int from pg_stat_activity
        where backend_type = 'client backend' and application_name is distinct from 'vitrine' and pid <> pg_backend_pid()) as others,
       (select count(*)::int from pg_stat_activity where application_name = 'vitrine' and pid <> pg_backend_pid()) as gateways,
       (select datconnlimit from pg_database where datname = current_database()) as database,
       (select rolconnlimit from pg_roles where rolname = current_user) as own`,
  );
  const { workers } = config;
  const isOne = workers === 1;
  // While a worker is replaced there is one more.
  const each = connectionsOf(config.databasePoolSize) * (isOne ? 1 : workers + 1);
  const needed = each * instances;
  const wanted = `${instances} ${instances === 1 ? 'instance' : 'instances'} of ${each} connections (DATABASE_POOL_SIZE and one${isOne ? '' : `, for each of ${workers} workers and one that takes over`})`;
  const remedy = `Lower DATABASE_POOL_SIZE${isOne ? '' : ' or WORKERS'}, run fewer instances, or raise the limit. (How many instances? "vitrine doctor --instances N".)`;

  const findings: Finding[] = [];
  for (const [name, limit] of [
    [`connection limit of the role ${limits.role}`, limits.own],
    ['connection limit of the database', limits.database],
  ] as const) {
    if (limit >= 0 && needed > limit)
      findings.push(fail('connections', `${wanted} pass the ${name}, ${limit}`, remedy));
  }
  const free = limits.server - limits.others;
  const state = `${limits.server} for all, ${limits.others} taken by others, ${limits.gateways} by gateways`;
  if (needed > free) findings.push(fail('connections', `${wanted} do not fit: ${state}`, remedy));
  else if (needed > free * COMFORTABLE_SHARE)
    findings.push(warn('connections', `${wanted} only just fit: ${state}`, remedy));
  return findings.length > 0 ? findings : [ok('connections', `${wanted} fit: ${state}`)];
};

/** What stands between here and the database, and whether the gateway is told how to live with it. */
export const checkPooler: Check = async ({ client, config }) => {
  const pooling = await findPooling(client);
  if (pooling === 'none') return [ok('pooler', 'none between here and the database')];
  if (pooling === 'session') return [ok('pooler', 'in session mode: each connection has a session of its own')];

  if (config.preparedStatements === 'on' && !(await keepsStatements(client))) {
    const remedy = 'Leave PREPARED_STATEMENTS out, or set max_prepared_statements in PgBouncer 1.21 or newer.';
    return [fail('pooler', 'in transaction mode, and loses prepared statements: PREPARED_STATEMENTS=on', remedy)];
  }
  if (await hasStatementTimeout(client))
    return [ok('pooler', 'in transaction mode: each transaction may have another session')];
  return [
    warn(
      'pooler',
      'in transaction mode, where the gateway can set no statement_timeout: statements that it has given up go on',
      `Let the owner run "alter role … set statement_timeout = '${config.databaseTimeoutMs}ms'".`,
    ),
  ];
};

const TIMEOUT_MS = 3000;

const NO_FOLLOWER =
  'Let it follow this one (pg_rewind, or a new copy). Soon after a promotion that can only be told by who may see pg_stat_wal_receiver (pg_read_all_stats).';
const LOOK_MS = 5;

/** A replica that replays later than this is hardly ever read from. */
const QUICK_SHARE = 0.5;

/** Whether replicas are there, follow this database, and keep up. None of it keeps a gateway from working: the primary is read instead. */
export const checkReplicas: Check = async ({ client, config, instances }) => {
  const { databaseReplicaUrls: urls, freshnessMs, databasePoolSize } = config;
  if (urls.length === 0) return [];
  const primary = await oneRow<WalPosition>(client, WAL_HISTORY);
  const findings = await Promise.all(
    urls.map((url) => look(url, { primary, freshnessMs, connections: (databasePoolSize + 1) * instances })),
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

const look = async (url: string, { primary, freshnessMs, connections }: Wanted): Promise<Finding[]> => {
  const place = placeOf(url);
  const tell = (message: string, remedy: string): Finding[] => [warn('replicas', `${place} ${message}`, remedy)];
  const client = new DatabaseClient({
    ...connectionConfig(url),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  try {
    return await useBriefly(client, async () => {
      const startMs = performance.now();
      const position = (): Promise<ReplayPosition> => oneRow(client, REPLAY_POSITION.text);
      let replica = await position();
      if (replica.pid !== client.namedPid)
        return tell('is behind a pooler: it is not read from', 'Name the server itself in DATABASE_REPLICA_URLS.');
      if (replica.origin !== primary.origin)
        return tell('is another database: it is not read from', 'Name streaming replicas of DATABASE_URL.');
      if (!replica.isStandby) return [ok('replicas', `${place} is a primary at present: it is not read from`)];
      if (!isOfHistory(replica, primary)) return tell('does not follow this primary: it is not read from', NO_FOLLOWER);
      while (!hasReplayed(replica, primary) && performance.now() - startMs < TIMEOUT_MS) {
        await delay(LOOK_MS);
        replica = await position();
      }
      if (!hasReplayed(replica, primary))
        return tell(
          `has not replayed what the primary wrote ${TIMEOUT_MS / 1000} s ago: it is not read from`,
          'Look at pg_stat_wal_receiver there, pg_stat_replication on the primary, recovery_min_apply_delay, and pg_is_wal_replay_paused().',
        );
      const replayedMs = performance.now() - startMs;
      if (freshnessMs > 0 && replayedMs > freshnessMs * QUICK_SHARE)
        return tell(
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
    return tell(
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
  return [warn('replicas', `${place} lets in ${most} connections, and ${needed} are wanted`, remedy)];
};

const hint = ({ receivedTimeline }: ReplayPosition): Finding[] =>
  receivedTimeline === null
    ? [ok('replicas', 'after a promotion they are used again some minutes later; with pg_read_all_stats, at once')]
    : [];
