import type { Pool } from 'pg';
import packageJson from '../package.json' with { type: 'json' };
import type { BrowseIndex } from './browse/index-engine.ts';
import type { FreshnessMonitor } from './cache/freshness-monitor.ts';
import type { KnownRows } from './cache/known-rows.ts';
import type { ResponseCache } from './cache/response-cache.ts';
import type { Config } from './config/config.ts';
import type { Replica } from './database/replicas/replica.ts';
import type { Replicas } from './database/replicas/replicas.ts';
import type { LateSource } from './graphql/context.ts';
import type { Live } from './graphql/use-live.ts';
import type { AnswerCounts, Distribution, RequestCounts } from './observability/counts.ts';
import { byLabel, counter, gauge, histogram, type Metric, type Sample } from './observability/metrics.ts';
import type { LoadGuard } from './overload/load-guard.ts';

/** The parts of a gateway that count: plain numbers, which the metrics read at a scrape. */
interface Counting extends Pick<Config, 'cacheMaxBytes' | 'maxSubscriptions'> {
  readonly requests: RequestCounts;
  readonly responseCache: Pick<ResponseCache, 'stats' | 'size'>;
  readonly knownRows: Pick<KnownRows, 'stats' | 'size'>;
  readonly freshnessMonitor: Pick<FreshnessMonitor, 'asOfMs' | 'isLost'>;
  readonly live: Pick<Live, 'counts'>;
  readonly pool: Pool;
  readonly replicas?: Pick<Replicas, 'all' | 'stats'> | undefined;
  readonly load: Pick<LoadGuard, 'inFlight'>;
  readonly browseIndex: Pick<BrowseIndex, 'status' | 'answers'>;
  readonly lateSources: ReadonlyMap<string, Pick<LateSource, 'metrics'>>;
}

/** The metrics of a gateway, named after https://prometheus.io/docs/practices/naming/. Another metric is a row here. */
export const gatewayMetrics = (counting: Counting): readonly Metric[] => [
  ...requestMetrics(counting),
  ...memoryMetrics(counting),
  ...browseMetrics(counting),
  ...streamMetrics(counting),
  ...executionMetrics(counting),
  ...databaseMetrics(counting),
  ...(counting.replicas ? replicaMetrics(counting.replicas) : []),
  ...[...counting.lateSources.values()].flatMap(({ metrics }) => metrics),
];

const requestMetrics = ({ requests }: Counting): Metric[] => [
  gauge(
    'vitrine_build_info',
    'Always 1; its labels say what runs.',
    () => [[{ version: packageJson.version, node: process.versions.node }, 1]],
    'first',
  ),
  counter(
    'vitrine_requests_total',
    'Answered requests. Beyond 100 operation names of clients, the label is "other".',
    () =>
      [...answersOf(requests)].flatMap(([{ cache, ...labels }, { statuses }]) =>
        [...statuses].map(([status, value]): Sample => [{ ...labels, status: String(status), cache }, value]),
      ),
  ),
  histogram(
    'vitrine_request_duration_seconds',
    'Time from a request to its response. A response that is found by the bytes of its request takes about 10 µs; it is not timed and counts as 0.',
    () => [...answersOf(requests)].map(([labels, { seconds }]): Sample<Distribution> => [labels, seconds]),
  ),
  counter(
    'vitrine_request_errors_total',
    'Requests that ended with an error, by its code. In GraphQL their status may be 200.',
    () => [...requests.errors.values()].map(({ handler, code, count }): Sample => [{ handler, code }, count]),
  ),
  gauge('vitrine_requests_in_flight', 'Requests that are being answered.', () => requests.inFlight),
  counter('vitrine_requests_rejected_total', 'Requests refused because of overload.', () => requests.overloads),
];

type AnswerLabels = Readonly<Record<'handler' | 'operation' | 'cache', string>>;

/** The answers of each operation, by their use of the cache. */
function* answersOf(requests: RequestCounts): Generator<[AnswerLabels, AnswerCounts]> {
  for (const { handler, operation, byCache } of requests.all())
    for (const [cache, counts] of byCache) yield [{ handler, operation, cache }, counts];
}

const memoryMetrics = ({ responseCache, knownRows, cacheMaxBytes, freshnessMonitor }: Counting): Metric[] => [
  counter('vitrine_cache_lookups_total', 'Lookups in the response cache, by outcome.', () => {
    const { hits: hit, misses: miss, joined, stale } = responseCache.stats;
    return byLabel('outcome', { hit, miss, joined, stale });
  }),
  gauge(
    'vitrine_cache_bytes',
    'Memory that cached responses and known rows use.',
    () => responseCache.size().bytes + knownRows.size().bytes,
  ),
  gauge('vitrine_cache_max_bytes', 'Memory that cached responses and known rows may use.', () => cacheMaxBytes),
  gauge('vitrine_cache_entries', 'Responses in the cache.', () => responseCache.size().entries),
  gauge('vitrine_known_rows', 'Rows that need not be read while nothing changes them.', () => knownRows.size().rows),
  counter('vitrine_known_row_hits_total', 'Rows that were known, and not read.', () => knownRows.stats.hits),
  gauge(
    'vitrine_heartbeat_age_seconds',
    'Time since the last heartbeat, which proves that no change was missed. It grows while there are no requests.',
    () => (performance.now() - freshnessMonitor.asOfMs()) / 1000,
    'max',
  ),
  gauge(
    'vitrine_freshness_monitor_connected',
    '1 while the freshness monitor has its connection to the database.',
    () => (freshnessMonitor.isLost() ? 0 : 1),
    'min',
  ),
];

const browseMetrics = ({ browseIndex: { status, answers } }: Counting): Metric[] => [
  counter('vitrine_browse_answers_total', 'Questions of browsing and search, by what answered them.', () =>
    byLabel('engine', answers),
  ),
  gauge(
    'vitrine_browse_index_ready',
    '1 while the index of products can answer.',
    () => (status().isReady ? 1 : 0),
    'min',
  ),
  gauge(
    'vitrine_browse_index_filled_ratio',
    'How much of the index of products is filled: 1 once it can answer.',
    () => status().filledShare,
    'min',
  ),
  gauge('vitrine_browse_index_products', 'Products in the index.', () => status().products),
  gauge('vitrine_browse_index_bytes', 'Memory that the index of products uses.', () => status().bytes),
];

const streamMetrics = ({ live: { counts }, maxSubscriptions }: Counting): Metric[] => [
  gauge('vitrine_subscriptions', 'Open streams of subscriptions.', counts.open),
  gauge('vitrine_subscriptions_max', 'Streams of subscriptions that may be open.', () => maxSubscriptions),
  counter('vitrine_subscription_events_total', 'Events that were sent to listeners.', () => counts.events),
  counter(
    'vitrine_subscriptions_ended_total',
    'Streams that ended, by reason: client (it went), slow (it did not read), token (no longer valid), failure (of the operation, or a plugin), shutdown.',
    () => byLabel('reason', counts.ended),
  ),
  histogram(
    'vitrine_subscription_lag_seconds',
    'Time from a change (its notification, or the moment that was planned) until all its listeners have been sent the event.',
    () => counts.lagSeconds,
  ),
];

const executionMetrics = ({ load, requests: { fallBacks } }: Counting): Metric[] => [
  gauge('vitrine_executions_in_flight', 'Executions under way.', load.inFlight),
  counter(
    'vitrine_executions_not_compiled_total',
    'Executions of operations that are not compiled, by the reference executor.',
    () => fallBacks.notCompiled,
  ),
  counter(
    'vitrine_compiled_operation_failures_total',
    'Compiled operations that failed and were executed again by the reference executor, which failed too or answered.',
    () => byLabel('outcome', { failed: fallBacks.failed, answered: fallBacks.answered }),
  ),
];

const databaseMetrics = ({ requests: { statements }, pool }: Counting): Metric[] => [
  counter('vitrine_database_statements_total', 'Statements sent to the database.', () =>
    byLabel('statement', statements.byName),
  ),
  counter('vitrine_database_statement_failures_total', 'Statements that failed.', () => statements.failed),
  histogram(
    'vitrine_database_statement_duration_seconds',
    'Duration of a statement, with the wait for a connection.',
    () => statements.seconds,
  ),
  gauge('vitrine_database_pool_connections', 'Open connections of the pool.', () => pool.totalCount),
  gauge('vitrine_database_pool_idle', 'Idle connections of the pool.', () => pool.idleCount),
  gauge('vitrine_database_pool_waiting', 'Statements that wait for a connection.', () => pool.waitingCount),
  gauge('vitrine_database_pool_max', 'Connections that the pool may open.', () => pool.options.max),
];

/** The parts of replicas that the metrics show. */
interface CountedReplicas extends Pick<Replicas, 'stats'> {
  readonly all: readonly Pick<Replica, 'name' | 'isAway' | 'lagMs' | 'stats'>[];
}

export const replicaMetrics = ({ all, stats }: CountedReplicas): Metric[] => {
  const ofEach = (read: (replica: CountedReplicas['all'][number]) => number) => (): readonly Sample[] =>
    all.map((replica) => [{ replica: replica.name }, read(replica)]);
  return [
    counter(
      'vitrine_operations_read_total',
      'Choices of a server for the reads of an operation, by server: also where it then reads nothing, and again where it begins again.',
      () =>
        byLabel(
          'server',
          new Map([['primary', stats.primary], ...all.map(({ name, stats: { chosen } }) => [name, chosen] as const)]),
        ),
    ),
    counter(
      'vitrine_replica_passed_over_total',
      'Operations that a replica could not serve, by reason: away, other (it does not follow the primary), lag, change (it may not have replayed a notified change), busy.',
      () =>
        all.flatMap(({ name, stats: { passedOver } }) =>
          [...passedOver].map(([reason, value]): Sample => [{ replica: name, reason }, value]),
        ),
    ),
    counter(
      'vitrine_replica_failures_total',
      'Statements that failed on a replica, and were sent to the primary.',
      ofEach((replica) => replica.stats.failures),
    ),
    gauge(
      'vitrine_replica_connected',
      '1 while the replica reports its position.',
      ofEach((replica) => (replica.isAway() ? 0 : 1)),
      'min',
    ),
    gauge(
      'vitrine_replica_lag_seconds',
      'Lag behind the primary when the replica last reported its position; NaN while unknown.',
      ofEach((replica) => (replica.lagMs() ?? Number.NaN) / 1000),
      'max',
    ),
  ];
};
