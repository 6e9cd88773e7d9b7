import { createClock } from '../database/clock.ts';
import { connectionConfig, hostsOf, oneRow, withConnection } from '../database/connection.ts';
import { messageOf } from '../database/failures.ts';
import { MINIMUM_VERSION, readServer } from '../database/migrations/apply.ts';
import { checkSessions } from '../database/open.ts';
import {
  isOfHistory,
  REPLAY_POSITION,
  type ReplayPosition,
  WAL_HISTORY,
  type WalPosition,
} from '../database/replicas/wal-position.ts';
import { type Check, type Finding, fail, ok, warn } from './finding.ts';

/** The server's version, its encoding, and whether it can be written to. */
export const checkServer: Check = async ({ client }) => {
  const { major, version, encoding, isStandby, isReadOnly } = await readServer(client);
  const upgrade = `Upgrade the server to PostgreSQL ${MINIMUM_VERSION} or newer.`;
  const createAgain = `Create it again with "create database … encoding 'UTF8' template template0".`;
  return [
    major < MINIMUM_VERSION
      ? fail('version', `PostgreSQL ${version} is too old`, upgrade)
      : ok('version', `PostgreSQL ${version}`),
    encoding === 'UTF8' ? ok('encoding', encoding) : fail('encoding', `the database is ${encoding}`, createAgain),
    writable(isStandby, isReadOnly),
  ];
};

const writable = (isStandby: boolean, isReadOnly: boolean): Finding => {
  if (isStandby) {
    const remedy = 'Set DATABASE_URL to the primary: views are counted, and a standby notifies no changes.';
    return fail('writable', 'this is a standby', remedy);
  }
  if (!isReadOnly) return ok('writable', 'a primary that takes writes');
  const remedy = 'Views are counted: "alter role … reset default_transaction_read_only", or the same for the database.';
  return fail('writable', 'transactions are read-only here', remedy);
};

const CLOCK_READINGS = 5;
const MAX_OFFSET_MS = 1000;

/** How far the clocks of this machine and of the database are apart, measured by round trips. */
export const checkClock: Check = async ({ client }) => {
  const clock = createClock();
  for (let reading = 0; reading < CLOCK_READINGS; reading += 1) {
    const sentMs = performance.now();
    // Numeric, because a role may have an extra_float_digits that cuts off the digits of a double.
    const { now } = await oneRow<{ now: string }>(client, 'select extract(epoch from clock_timestamp()) * 1000 as now');
    clock.observe(Number(now), sentMs, performance.now());
  }
  const offsetMs = Math.round(clock.nowMs() - Date.now());
  const round = `a round trip takes ${(clock.uncertaintyMs() * 2).toFixed(1)} ms`;
  if (Math.abs(offsetMs) <= MAX_OFFSET_MS)
    return [ok('clock', `the database's is ${offsetMs} ms from this machine's; ${round}`)];
  const apart = `${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${offsetMs > 0 ? 'ahead of' : 'behind'}`;
  const remedy =
    'Let NTP set both. All instances follow the clock of the database: if that one is wrong, notices start and end at the wrong time.';
  return [warn('clock', `the database's is ${apart} this machine's; ${round}`, remedy)];
};

/** The share of the free connections that gateways may take: the rest is for people and other programs. */
const USABLE_SHARE = 0.8;

/** Whether the connections of all instances fit into what the server, the database and the role allow. */
export const checkConnections: Check = async ({ client, config, instances }) => {
  const limits = await oneRow<{ role: string } & Record<'server' | 'others' | 'gateways' | 'database' | 'own', number>>(
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
  // The pool, and the connection that listens for changes.
  const each = (config.databasePoolSize + 1) * workers;
  const needed = each * instances;
  const ofEach = `${instances} ${instances === 1 ? 'instance' : 'instances'} of ${each}: DATABASE_POOL_SIZE and one`;
  const wanted = `${needed} connections (${ofEach}${isOne ? '' : `, for each of ${workers} workers`})`;
  const remedy = `Lower DATABASE_POOL_SIZE${isOne ? '' : ' or WORKERS'}, run fewer instances, or raise the limit. (How many instances? "vitrine doctor --instances N".)`;

  const findings: Finding[] = [];
  for (const [name, limit] of [
    [`connection limit of the role ${limits.role}`, limits.own],
    ['connection limit of the database', limits.database],
  ] as const) {
    if (limit >= 0 && needed > limit)
      findings.push(fail('connections', `${wanted} are more than the ${name}, ${limit}`, remedy));
  }
  const free = limits.server - limits.others;
  const state = `${limits.server} for all, ${limits.others} taken by others, ${limits.gateways} by gateways`;
  if (needed > free) findings.push(fail('connections', `${wanted} do not fit: ${state}`, remedy));
  else if (needed > free * USABLE_SHARE)
    findings.push(warn('connections', `${wanted} only just fit: ${state}`, remedy));
  return findings.length > 0 ? findings : [ok('connections', `${wanted} fit: ${state}`)];
};

const SESSIONS = {
  none: 'none between here and the database',
  session: 'in session mode: each connection has a session of its own',
  transaction: 'in transaction mode: each transaction may have another session',
} as const;

/** Whether sessions have what they need, through the pooler that the configuration names. */
export const checkPooler: Check = async ({ client, config: { databasePooler: pooling, databaseTimeoutMs } }) => {
  const warnings = await checkSessions(client, pooling);
  const remedy = `Let the owner run "alter role … set statement_timeout = '${databaseTimeoutMs}ms'; alter role … set jit = off".`;
  return warnings.length > 0 ? warnings.map((text) => warn('pooler', text, remedy)) : [ok('pooler', SESSIONS[pooling])];
};

const TIMEOUT_MS = 3000;

/** Whether replicas are there, and follow this database. The metrics of a gateway say how far they lag, and why one is passed over. */
export const checkReplicas: Check = async ({ client, config }) => {
  const primary = await oneRow<WalPosition>(client, WAL_HISTORY);
  return Promise.all(config.databaseReplicaUrls.map((url) => examineReplica(url, primary)));
};

const examineReplica = async (url: string, primary: WalPosition): Promise<Finding> => {
  const place = hostsOf(url);
  try {
    const replica = await withConnection(connectionConfig(url), TIMEOUT_MS, (client) =>
      oneRow<ReplayPosition>(client, REPLAY_POSITION.text),
    );
    if (!replica.isStandby) return ok('replicas', `${place} is a primary at present: it is not used`);
    if (isOfHistory(replica, primary)) return ok('replicas', `${place} follows this primary`);
    const remedy =
      'Let it follow this one (pg_rewind, or a new copy). Soon after a promotion only a role that may read pg_stat_wal_receiver (pg_read_all_stats) can see that it does.';
    return warn('replicas', `${place} does not follow this primary: it is not used`, remedy);
  } catch (error) {
    const remedy = 'Until it can be, the primary is read instead. Check DATABASE_REPLICA_URLS.';
    return warn('replicas', `${place} cannot be used: ${messageOf(error)}`, remedy);
  }
};
