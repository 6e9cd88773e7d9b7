import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Replica } from '../database/replicas/replica.ts';
import type { Replicas } from '../database/replicas/replicas.ts';
import type { MetricSources } from './metrics.ts';
import {
  byLabel,
  collectorsOf,
  requestDurations,
  requestErrors,
  requestTotals,
  type Sample,
} from './prometheus-collectors.ts';

/** The metrics of the process begin once for all its gateways: prom-client never ends them, and they would keep a closed gateway in memory. */
const ofProcess = new Registry();
collectDefaultMetrics({ register: ofProcess });

/** The metrics of a gateway, named after https://prometheus.io/docs/practices/naming/, and those of its process. */
export const createRegistry = (sources: MetricSources): Registry => {
  const registry = new Registry();
  const collectors = collectorsOf(registry);
  for (const count of [
    countRequests,
    countMemory,
    countBrowsing,
    countViews,
    countStreams,
    countExecutions,
    countDatabase,
  ])
    count(collectors, sources);
  if (sources.replicas) countReplicas(registry, sources.replicas);
  return Registry.merge([ofProcess, registry]);
};

type Collectors = ReturnType<typeof collectorsOf>;

const countRequests = ({ counter, gauge, histogram }: Collectors, { requests, load, version }: MetricSources): void => {
  gauge(
    'vitrine_build_info',
    'Always 1; its labels say what runs.',
    () => [[{ version, node: process.versions.node }, 1]],
    'first',
  );

  counter(
    'vitrine_requests_total',
    'Answered requests. Beyond 100 operation names of clients, the label is "other".',
    () => requestTotals(requests),
  );
  histogram(
    'vitrine_request_duration_seconds',
    'Time from a request to its response. A response from the cache takes about 10 µs; it is not timed and counts as 0.',
    () => requestDurations(requests),
  );
  counter(
    'vitrine_request_errors_total',
    'Requests that ended with an error, by its code. In GraphQL their status may be 200.',
    () => requestErrors(requests),
  );
  gauge('vitrine_requests_in_flight', 'Requests that are being answered.', () => requests.inFlight);

  counter('vitrine_requests_rejected_total', 'Requests refused because of overload.', () => load.stats.refused);
};

const countMemory = (
  { counter, gauge }: Collectors,
  { responseCache, knownRows, cacheMaxBytes, freshnessMonitor }: MetricSources,
): void => {
  const { stats } = responseCache;
  counter('vitrine_cache_lookups_total', 'Lookups in the response cache, by outcome.', () =>
    byLabel('outcome', { hit: stats.hits, miss: stats.misses, joined: stats.joined, stale: stats.stale }),
  );
  gauge(
    'vitrine_cache_bytes',
    'Memory that cached responses and known rows use.',
    () => responseCache.size().bytes + knownRows.size().bytes,
  );
  gauge('vitrine_cache_max_bytes', 'Memory that cached responses and known rows may use.', () => cacheMaxBytes);
  gauge('vitrine_cache_entries', 'Responses in the cache.', () => responseCache.size().entries);
  gauge('vitrine_known_rows', 'Rows that need not be read while nothing changes them.', () => knownRows.size().rows);
  counter('vitrine_known_row_hits_total', 'Rows that were known, and not read.', () => knownRows.stats.hits);

  gauge(
    'vitrine_heartbeat_age_seconds',
    'Time since the last heartbeat, which proves that no change was missed. It grows while there are no requests.',
    () => (performance.now() - freshnessMonitor.asOfMs()) / 1000,
    'max',
  );
  gauge(
    'vitrine_freshness_monitor_connected',
    '1 while the freshness monitor has its connection to the database.',
    () => (freshnessMonitor.isLost() ? 0 : 1),
    'min',
  );
};

const countBrowsing = ({ counter, gauge }: Collectors, { browseIndex }: MetricSources): void => {
  const index = browseIndex.status;
  counter('vitrine_browse_answers_total', 'Questions of browsing and search, by what answered them.', () =>
    byLabel('engine', { ...browseIndex.answers }),
  );
  gauge(
    'vitrine_browse_index_ready',
    '1 while the index of products can answer.',
    () => (index().isReady && index().leftOut === 0 ? 1 : 0),
    'min',
  );
  gauge(
    'vitrine_browse_index_filled_ratio',
    'How much of the index of products is filled: 1 once it can answer.',
    () => index().filledShare,
    'min',
  );
  gauge('vitrine_browse_index_products', 'Products in the index.', () => index().products);
  gauge(
    'vitrine_browse_index_left_out',
    'Products that the index cannot hold. While there is one, PostgreSQL answers.',
    () => index().leftOut,
  );
  gauge('vitrine_browse_index_bytes', 'Memory that the index of products uses.', () => index().bytes);
};

const countViews = ({ gauge, histogram }: Collectors, { views }: MetricSources): void => {
  histogram('vitrine_view_batch_size', 'Views that were counted by one statement.', () => views.batchSizes);
  gauge('vitrine_views_waiting', 'Views that wait to be counted.', () => views.waiting());
};

const countStreams = ({ counter, gauge, histogram }: Collectors, { subscriptions }: MetricSources): void => {
  const { counts: streams, max: maxStreams } = subscriptions;
  gauge('vitrine_subscriptions', 'Open streams of subscriptions.', () => streams.open);
  gauge('vitrine_subscriptions_max', 'Streams of subscriptions that may be open.', () => maxStreams);
  counter('vitrine_subscription_events_total', 'Events that were sent to listeners.', () => streams.events);
  counter(
    'vitrine_subscriptions_ended_total',
    'Streams that ended, by reason: client (it went), slow (it did not read), token (no longer valid), failure (of the operation), shutdown.',
    () => byLabel('reason', streams.ended),
  );
  histogram(
    'vitrine_subscription_lag_seconds',
    'Time from a change (its notification, or the moment that was planned) until all its listeners have been sent the event.',
    () => streams.lagSeconds,
  );
};

const countExecutions = ({ counter, gauge }: Collectors, { load, fallBacks }: MetricSources): void => {
  gauge('vitrine_executions_in_flight', 'Executions under way.', () => load.stats.inFlight);

  counter(
    'vitrine_executions_not_compiled_total',
    'Executions of operations that are not compiled, by the reference executor.',
    () => fallBacks.notCompiled,
  );
  counter(
    'vitrine_compiled_operation_failures_total',
    'Compiled operations that failed and were executed again by the reference executor, which failed too or answered.',
    () => byLabel('outcome', { failed: fallBacks.failed, answered: fallBacks.answered }),
  );
};

const countDatabase = ({ counter, gauge, histogram }: Collectors, { requests, pool }: MetricSources): void => {
  counter('vitrine_database_statements_total', 'Statements sent to the database.', () =>
    byLabel('statement', requests.statements.byName),
  );
  counter('vitrine_database_statement_failures_total', 'Statements that failed.', () => requests.statements.failed);
  histogram(
    'vitrine_database_statement_duration_seconds',
    'Duration of a statement, with the wait for a connection.',
    () => requests.statements.seconds,
  );

  gauge('vitrine_database_pool_connections', 'Open connections of the pool.', () => pool.totalCount);
  gauge('vitrine_database_pool_idle', 'Idle connections of the pool.', () => pool.idleCount);
  gauge('vitrine_database_pool_waiting', 'Statements that wait for a connection.', () => pool.waitingCount);
  gauge('vitrine_database_pool_max', 'Connections that the pool may open.', () => pool.options.max);
};

/** The parts of a replica that the metrics show. */
interface CountedReplica extends Pick<Replica, 'name' | 'isAway' | 'lag' | 'stats'> {
  readonly pool: Pick<Replica['pool'], 'totalCount' | 'waitingCount'>;
}

/** Registers the metrics of replicas. */
export const countReplicas = (
  registry: Registry,
  { all, stats }: { readonly all: readonly CountedReplica[]; readonly stats: Replicas['stats'] },
): void => {
  const { counter, gauge } = collectorsOf(registry);
  const ofEach = (read: (replica: CountedReplica) => number) => (): readonly Sample[] =>
    all.map((replica) => [{ replica: replica.name }, read(replica)]);

  counter('vitrine_operations_read_total', 'Operations that were read from a database server, by server.', () =>
    byLabel('server', [['primary', stats.primary], ...stats.chosen]),
  );
  counter(
    'vitrine_replica_passed_over_total',
    'Operations that a replica could not serve, by reason: away, other (it does not follow the primary), lag, change (it may not have replayed a notified change), busy.',
    () =>
      [...stats.passedOver].flatMap(([replica, reasons]) =>
        [...reasons].map(([reason, value]): Sample => [{ replica, reason }, value]),
      ),
  );
  counter(
    'vitrine_replica_failures_total',
    'Statements that failed on a replica, and were sent to the primary.',
    ofEach(({ stats: { failures } }) => failures),
  );
  gauge(
    'vitrine_replica_connected',
    '1 while the replica reports its position.',
    ofEach((replica) => (replica.isAway() ? 0 : 1)),
    'min',
  );
  gauge(
    'vitrine_replica_lag_seconds',
    'Lag behind the primary when the replica last reported its position; NaN while unknown.',
    ofEach((replica) => (replica.lag()?.ms ?? Number.NaN) / 1000),
    'max',
  );
  gauge(
    'vitrine_replica_lag_bytes',
    'The same lag in bytes of the write-ahead log.',
    ofEach((replica) => replica.lag()?.bytes ?? Number.NaN),
    'max',
  );
  gauge(
    'vitrine_replica_pool_connections',
    'Open connections of the pool of the replica.',
    ofEach(({ pool }) => pool.totalCount),
  );
  gauge(
    'vitrine_replica_pool_waiting',
    'Statements that wait for a connection of that pool.',
    ofEach(({ pool }) => pool.waitingCount),
  );
};
