import { type Check, type Finding, fail, ok, oneRow, warn } from './check.ts';

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
  // While workers are restarted there is one more.
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
