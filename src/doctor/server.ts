import { MINIMUM_VERSION } from '../database/migrations/apply.ts';
import { poolerModeOf } from '../database/pooler.ts';
import { type Check, type Finding, fail, ok, oneRow, warn } from './finding.ts';

/** The server's version, whether it can be written to, and the settings of the session. */
export const checkServer: Check = async ({ client }) => {
  const { major, version, encoding, isStandby, isReadOnly, timeZone, dateStyle } = await oneRow<{
    major: number;
    version: string;
    encoding: string;
    isStandby: boolean;
    isReadOnly: boolean;
    timeZone: string;
    dateStyle: string;
  }>(
    client,
    `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as version,
       current_setting('server_encoding') as encoding, pg_is_in_recovery() as "isStandby",
       current_setting('transaction_read_only')::boolean as "isReadOnly", current_setting('TimeZone') as "timeZone",
       current_setting('DateStyle') as "dateStyle"`,
  );
  const findings = [ok('version', `PostgreSQL ${version}`), ok('encoding', encoding)];
  if (major < MINIMUM_VERSION) {
    const remedy = `Upgrade the server to PostgreSQL ${MINIMUM_VERSION} or newer.`;
    findings[0] = fail('version', `PostgreSQL ${version} is too old`, remedy);
  }
  if (encoding !== 'UTF8') {
    const remedy = `Create it again with "create database … encoding 'UTF8' template template0".`;
    findings[1] = fail('encoding', `the database is ${encoding}`, remedy);
  }

  if (isStandby) {
    const remedy = 'Set DATABASE_URL to the primary: views are counted, and a standby notifies no changes.';
    findings.push(fail('writable', 'this is a standby', remedy));
  } else if (isReadOnly) {
    const remedy =
      'Views are counted: "alter role … reset default_transaction_read_only", or the same for the database.';
    findings.push(fail('writable', 'transactions are read-only here', remedy));
  } else findings.push(ok('writable', 'a primary that takes writes'));

  // Both are asked for when the connection is opened; a pooler may drop that.
  if (timeZone === 'UTC' && dateStyle.startsWith('ISO')) findings.push(ok('time zone', 'sessions are in UTC'));
  else {
    const message = `sessions are in ${timeZone} with DateStyle ${dateStyle}, although each asks for UTC and ISO`;
    const remedy =
      'A pooler drops what connections ask for: times would be wrong. Connect to the database itself, or "alter role … set timezone = UTC; alter role … set datestyle = ISO".';
    findings.push(fail('time zone', message, remedy));
  }
  return findings;
};

const CLOCK_READINGS = 5;
const MAX_OFFSET_MS = 1000;

/** How far the clocks of this machine and of the database are apart, measured by round trips. */
export const checkClock: Check = async ({ client }) => {
  let best = { offsetMs: 0, tripMs: Number.POSITIVE_INFINITY };
  for (let reading = 0; reading < CLOCK_READINGS; reading += 1) {
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
  if (Math.abs(offsetMs) <= MAX_OFFSET_MS)
    return [ok('clock', `the database's is ${offsetMs} ms from this machine's; ${round}`)];
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
  return [
    warn(
      'clock',
      `the database's is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} this machine's; ${round}`,
      'Let NTP set both. All instances follow the clock of the database: if that one is wrong, notices start and end at the wrong time.',
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

/** The share of the free connections that gateways may take: the rest is for people and other programs. */
const USABLE_SHARE = 0.8;

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
  // The pool, and the connection that listens for changes. While a worker is replaced there is one more.
  const each = (config.databasePoolSize + 1) * (isOne ? 1 : workers + 1);
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
  else if (needed > free * USABLE_SHARE)
    findings.push(warn('connections', `${wanted} only just fit: ${state}`, remedy));
  return findings.length > 0 ? findings : [ok('connections', `${wanted} fit: ${state}`)];
};

const POOLERS = {
  none: 'none between here and the database',
  session: 'in session mode: each connection has a session of its own',
  transaction: 'in transaction mode: each transaction may have another session',
} as const;

/** Which pooler is between here and the database, and whether the gateway is configured for it. */
export const checkPooler: Check = async ({ client, config: { preparedStatements, databaseTimeoutMs } }) => {
  const warnings: string[] = [];
  const log = { warn: (text: string) => void warnings.push(text) };
  const { pooling } = await poolerModeOf(client, { preparedStatements, log });
  const remedy = `Let the owner run "alter role … set statement_timeout = '${databaseTimeoutMs}ms'; alter role … set jit = off".`;
  return warnings.length > 0 ? warnings.map((text) => warn('pooler', text, remedy)) : [ok('pooler', POOLERS[pooling])];
};
