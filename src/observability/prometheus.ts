import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Replica } from '../database/replicas/replica.ts';
import type { Replicas } from '../database/replicas/replicas.ts';
import type { MetricSources } from './metrics.ts';
import {
  counterOf,
  gaugeOf,
  histogramOf,
  requestDurations,
  requestErrors,
  requestTotals,
} from './prometheus-collectors.ts';

/** The metrics of a gateway, under names as https://prometheus.io/docs/practices/naming/ has them. */
export const createRegistry = (sources: MetricSources): Registry => {
  const {
    requests,
    statements,
    responseCache,
    cacheMaxBytes,
    freshnessMonitor,
    views,
    pool,
    load,
    fallBacks,
    version,
  } = sources;
  const registry = new Registry();
  const counter = counterOf(registry);
  const gauge = gaugeOf(registry);
  const histogram = histogramOf(registry);

  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'vitrine_build_info',
    help: 'Always 1; its labels say what runs.',
    labelNames: ['version', 'node'],
    registers: [registry],
    aggregator: 'first',
  }).set({ version, node: process.versions.node }, 1);

  counter(
    'vitrine_requests_total',
    'Answered requests. Operations that clients name are told apart up to a number of them.',
    ['door', 'operation', 'status', 'cache'],
    () => requestTotals(requests),
  );
  histogram(
    'vitrine_request_duration_seconds',
    'From the request to its answer. One found in memory by the bytes of its request takes some 10 µs: it is not timed and counts as 0.',
    ['door', 'operation', 'cache'],
    () => requestDurations(requests),
  );
  counter(
    'vitrine_request_errors_total',
    'Requests that ended with an error, by its code. In GraphQL their status may be 200.',
    ['door', 'code'],
    () => requestErrors(requests),
  );
  gauge('vitrine_requests_in_flight', 'Requests that are being answered.', () => requests.inFlight);

  const { stats } = responseCache;
  counter('vitrine_cache_lookups_total', 'Answers asked of the cache, by how they came about.', ['outcome'], () => [
    { labels: { outcome: 'hit' }, value: stats.hits },
    { labels: { outcome: 'miss' }, value: stats.misses },
    { labels: { outcome: 'joined' }, value: stats.joined },
    { labels: { outcome: 'stale' }, value: stats.stale },
  ]);
  gauge('vitrine_cache_bytes', 'Memory in use for answers.', () => responseCache.size().bytes);
  gauge('vitrine_cache_max_bytes', 'Memory that answers may use.', () => cacheMaxBytes);
  gauge('vitrine_cache_entries', 'Answers in memory.', () => responseCache.size().entries);

  gauge(
    'vitrine_pulse_age_seconds',
    'Since the last proof that no change was missed. It grows while nobody asks for anything.',
    () => freshnessMonitor.ageMs() / 1000,
    'max',
  );
  gauge(
    'vitrine_pulse_connected',
    'Whether the connection of the pulse stands.',
    () => (freshnessMonitor.isLost() ? 0 : 1),
    'min',
  );

  histogram('vitrine_view_batch_size', 'Views that were counted by one statement.', [], () => [
    { labels: {}, distribution: views.batchSizes },
  ]);
  gauge('vitrine_views_waiting', 'Views that wait to be counted.', views.waiting);

  const { seconds, byName } = statements;
  counter('vitrine_database_statements_total', 'Statements sent to the database.', ['statement'], () =>
    byName.entries().map(([statement, value]) => ({ labels: { statement }, value })),
  );
  counter('vitrine_database_statement_failures_total', 'Statements that failed.', [], () => [
    { labels: {}, value: statements.failed },
  ]);
  histogram(
    'vitrine_database_statement_duration_seconds',
    'What a statement took, with the wait for a connection.',
    [],
    () => [{ labels: {}, distribution: seconds }],
  );
  gauge('vitrine_executions_in_flight', 'Executions under way.', () => load.stats.inFlight);
  counter('vitrine_shed_total', 'Requests refused because too much was asked for at once.', [], () => [
    { labels: {}, value: load.stats.refused },
  ]);

  counter(
    'vitrine_compiled_operation_failures_total',
    'Compiled operations that failed and were executed again by the reference executor, which failed too or answered.',
    ['outcome'],
    () => [
      { labels: { outcome: 'failed' }, value: fallBacks.failed },
      { labels: { outcome: 'answered' }, value: fallBacks.answered },
    ],
  );

  gauge('vitrine_database_pool_connections', 'Open connections of the pool.', () => pool.totalCount);
  gauge('vitrine_database_pool_idle', 'Of these, the ones that do nothing.', () => pool.idleCount);
  gauge('vitrine_database_pool_waiting', 'Statements that wait for a connection.', () => pool.waitingCount);
  gauge('vitrine_database_pool_max', 'Connections that the pool may open.', () => pool.options.max);

  if (sources.replicas) countReplicas(registry, sources.replicas);
  return registry;
};

/** What is told of a replica. */
interface CountedReplica extends Pick<Replica, 'name' | 'isAway' | 'lag' | 'stats'> {
  readonly pool: Pick<Replica['pool'], 'totalCount' | 'waitingCount'>;
}

interface Sources {
  readonly all: readonly CountedReplica[];
  readonly stats: Replicas['stats'];
}

/** The metrics of replicas, where there are any. */
export const countReplicas = (registry: Registry, { all, stats }: Sources): void => {
  const counter = counterOf(registry);

  const gauge = (
    name: string,
    help: string,
    aggregator: 'min' | 'max' | 'sum',
    read: (replica: CountedReplica) => number,
  ) => {
    new Gauge({
      name,
      help,
      labelNames: ['replica'],
      registers: [registry],
      aggregator,
      collect() {
        this.reset();
        for (const replica of all) this.set({ replica: replica.name }, read(replica));
      },
    });
  };

  counter(
    'vitrine_operations_read_total',
    'Operations whose answer was not known, by the server that they were read from.',
    ['server'],
    () => [
      { labels: { server: 'primary' }, value: stats.primary },
      ...[...stats.chosen].map(([server, value]) => ({ labels: { server }, value })),
    ],
  );
  counter(
    'vitrine_replica_passed_over_total',
    'Operations that a replica could not serve: away, other (it does not follow the primary), lag, change (not known to hold one that was told), busy.',
    ['replica', 'reason'],
    () =>
      [...stats.passedOver].flatMap(([replica, reasons]) =>
        [...reasons].map(([reason, value]) => ({ labels: { replica, reason }, value })),
      ),
  );
  counter(
    'vitrine_replica_failures_total',
    'Statements that failed on a replica, and were sent to the primary.',
    ['replica'],
    () => all.map(({ name, stats: { failures } }) => ({ labels: { replica: name }, value: failures })),
  );
  gauge('vitrine_replica_connected', 'Whether it says how far it is.', 'min', ({ isAway }) => (isAway() ? 0 : 1));
  gauge(
    'vitrine_replica_lag_seconds',
    'How far it was behind the primary when it last said how far it is; not a number while it is not known.',
    'max',
    ({ lag }) => (lag()?.ms ?? Number.NaN) / 1000,
  );
  gauge(
    'vitrine_replica_lag_bytes',
    'The same in bytes of the write-ahead log.',
    'max',
    ({ lag }) => lag()?.bytes ?? Number.NaN,
  );
  gauge('vitrine_replica_pool_connections', 'Open connections of its pool.', 'sum', ({ pool }) => pool.totalCount);
  gauge(
    'vitrine_replica_pool_waiting',
    'Statements that wait for one of them.',
    'sum',
    ({ pool }) => pool.waitingCount,
  );
};
