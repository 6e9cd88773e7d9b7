import type { Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { counter, createMetrics, gauge, type Metrics, type MetricsPage, pageOf } from '../observability/metrics.ts';
import type { FromWorker, MetricsJson, ToWorker } from './worker.ts';

/** If a worker does not reply within this time, its previous reply counts. */
const COLLECT_TIMEOUT_MS = 2000;

/** prom-client averages or omits these. Here the largest lag of an event loop counts, and the earliest start. */
const AGGREGATORS: readonly (readonly [RegExp, 'min' | 'max'])[] = [
  [/^nodejs_eventloop_lag_(?!min)/, 'max'],
  [/^process_start_time_seconds$/, 'min'],
];

interface Sources {
  readonly workers: () => number;
  readonly deaths: () => number;
}

/** Metrics of the primary: what only it knows, and its own process. */
export const createPrimaryMetrics = ({ workers, deaths }: Sources): Metrics =>
  createMetrics([
    gauge('vitrine_workers', 'Worker processes that serve (WORKERS).', workers),
    counter('vitrine_worker_deaths_total', 'Workers that ended before the gateway, and were replaced.', deaths),
  ]);

/** The metrics of all workers, on one page of the primary. prom-client's `clusterMetrics` forgets ended workers, and fails when one is slow. */
export const createClusterMetrics = (sources: Sources) => {
  const primary = createPrimaryMetrics(sources);
  /** The last reply of each running worker. */
  const latest = new Map<Worker, MetricsJson>();
  const answered = new Map<Worker, () => void>();
  const ended: MetricsJson[] = [];
  let underWay: Promise<MetricsPage> | undefined;

  const collect = async (worker: Worker): Promise<void> => {
    const answer = new Promise<void>((resolve) => answered.set(worker, resolve));
    if (worker.isConnected()) worker.send({ kind: 'collect' } satisfies ToWorker);
    await Promise.race([answer, delay(COLLECT_TIMEOUT_MS, undefined, { ref: false })]);
  };

  const createPage = async (): Promise<MetricsPage> => {
    const registry = await primary.registry();
    await Promise.all([...latest.keys()].map(collect));
    const parts = ended.slice();
    if (parts.length > 1) ended.splice(0, parts.length, await (await aggregate(parts)).getMetricsAsJSON());
    const own = await registry.getMetricsAsJSON();
    // No `await` while the list is built: each worker is either in `ended` or in `latest`.
    return pageOf(await aggregate([own, ...ended, ...latest.values()]));
  };

  return {
    /** Adds a worker, and keeps its counters after its end: Prometheus would read a smaller sum as a reset. */
    add: (worker: Worker): void => {
      latest.set(worker, []);
      worker.on('message', (message: FromWorker) => {
        if (message.kind !== 'metrics') return;
        latest.set(worker, message.metrics);
        answered.get(worker)?.();
      });
      const leave = (): void => {
        // Gauges describe the present: those of an ended process are dropped.
        ended.push((latest.get(worker) ?? []).filter(({ type }) => ['counter', 'histogram'].includes(String(type))));
        latest.delete(worker);
        answered.get(worker)?.();
        answered.delete(worker);
      };
      // Its last messages may arrive after its end.
      worker.once('exit', () => {
        if (worker.isConnected()) worker.once('disconnect', leave);
        else leave();
      });
    },
    page: (): Promise<MetricsPage> => {
      underWay ??= createPage().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
  };
};

const aggregate = async (parts: readonly MetricsJson[]): Promise<Registry> => {
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate(parts.map(prepared));
};

/** NaN (a mean without values) becomes null between processes: such values are dropped. */
const prepared = (metrics: MetricsJson): MetricsJson =>
  metrics.map((metric) => ({
    ...metric,
    aggregator: AGGREGATORS.find(([name]) => name.test(metric.name))?.[1] ?? metric.aggregator,
    values: metric.values.filter(({ value }) => Number.isFinite(value)),
  })) as MetricsJson;
