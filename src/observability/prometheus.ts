import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { MetricSources } from './metrics.ts';
import { counterOf, gaugeOf, histogramOf } from './prometheus-types.ts';
import { countReplicas } from './replica-samples.ts';
import { requestDurations, requestErrors, requestTotals } from './request-samples.ts';

/** The metrics of a gateway, under names as https://prometheus.io/docs/practices/naming/ has them. */
export const createRegistry = (sources: MetricSources): Registry => {
  const { requests, statements, answers, cacheMaxBytes, pulse, views, pool, load, version } = sources;
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

  const { stats } = answers;
  counter('vitrine_cache_lookups_total', 'Answers asked of the cache, by how they came about.', ['outcome'], () => [
    { labels: { outcome: 'hit' }, value: stats.hits },
    { labels: { outcome: 'miss' }, value: stats.misses },
    { labels: { outcome: 'joined' }, value: stats.joined },
    { labels: { outcome: 'stale' }, value: stats.stale },
  ]);
  gauge('vitrine_cache_bytes', 'Memory in use for answers.', () => answers.size().bytes);
  gauge('vitrine_cache_max_bytes', 'Memory that answers may use.', () => cacheMaxBytes);
  gauge('vitrine_cache_entries', 'Answers in memory.', () => answers.size().entries);

  gauge(
    'vitrine_pulse_age_seconds',
    'Since the last proof that no change was missed. It grows while nobody asks for anything.',
    () => pulse.ageMs() / 1000,
    'max',
  );
  gauge(
    'vitrine_pulse_connected',
    'Whether the connection of the pulse stands.',
    () => (pulse.isLost() ? 0 : 1),
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

  gauge('vitrine_database_pool_connections', 'Open connections of the pool.', () => pool.totalCount);
  gauge('vitrine_database_pool_idle', 'Of these, the ones that do nothing.', () => pool.idleCount);
  gauge('vitrine_database_pool_waiting', 'Statements that wait for a connection.', () => pool.waitingCount);
  gauge('vitrine_database_pool_max', 'Connections that the pool may open.', () => pool.options.max);

  if (sources.replicas) countReplicas(registry, sources.replicas);
  return registry;
};
