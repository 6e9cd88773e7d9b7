import type { Registry } from 'prom-client';
import { type MetricsPage, pageOf } from '../observability/metrics.ts';
import type { WorkerProcess } from './worker-process.ts';

/** What a registry holds, as it can be sent to another process and added up. */
export type MetricsJson = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The metrics of all workers together. */
export interface MetricsSum {
  /** From now on what this worker counts belongs to it, also when it is gone. */
  readonly add: (worker: WorkerProcess) => void;
  readonly page: () => Promise<MetricsPage>;
}

interface Options {
  /** Of the primary itself. */
  readonly own: () => Promise<Registry>;
}

/** A worker that is too busy to tell counts as it last told. */
const COLLECT_TIMEOUT_MS = 2000;

/** What is added to what those that are gone have counted, so many at a time. */
const MAX_PAST = 16;

/**
 * For some of Node's own metrics prom-client takes the mean, or leaves them out: but the delay that matters is that of the worker where it is longest,
 * and all began when the first did.
 */
const AGGREGATORS: readonly (readonly [RegExp, 'min' | 'max'])[] = [
  [/^nodejs_eventloop_lag_(?!min)/, 'max'],
  [/^process_start_time_seconds$/, 'min'],
];

export const createMetricsSum = ({ own }: Options): MetricsSum => {
  /** What each that lives has told last. */
  const latest = new Map<WorkerProcess, MetricsJson>();
  /** What those that are gone have counted: were it dropped, Prometheus would take the smaller sum for a counter that began anew. */
  const past: MetricsJson[] = [];
  const pending = new Map<number, () => void>();
  let lastId = 0;
  let underWay: Promise<MetricsPage> | undefined;

  const collect = (worker: WorkerProcess): Promise<void> =>
    new Promise((resolve) => {
      lastId += 1;
      const id = lastId;
      const settle = (): void => {
        clearTimeout(timer);
        pending.delete(id);
        resolve();
      };
      const timer = setTimeout(settle, COLLECT_TIMEOUT_MS);
      pending.set(id, settle);
      void worker.ended.then(settle);
      worker.send({ kind: 'collect', id });
    });

  const merged = async (parts: readonly MetricsJson[]): Promise<Registry> => {
    const { AggregatorRegistry } = await import('prom-client');
    return AggregatorRegistry.aggregate(parts.map(prepared));
  };

  const compact = async (): Promise<void> => {
    const parts = past.slice();
    const sum = await (await merged(parts)).getMetricsAsJSON();
    past.splice(0, parts.length, sum);
  };

  const sumUp = async (): Promise<MetricsPage> => {
    const registry = await own();
    await Promise.all([...latest.keys()].map(collect));
    if (past.length > MAX_PAST) await compact();
    const primary = await registry.getMetricsAsJSON();
    // From here on nothing is waited for, so that each worker is among those that live or those that are gone, never both.
    const parts = [primary, ...past, ...latest.values()];
    return pageOf(await merged(parts));
  };

  return {
    add: (worker) => {
      latest.set(worker, []);
      worker.onMessage((message) => {
        if (message.kind === 'collected' || message.kind === 'farewell') latest.set(worker, message.metrics);
        if (message.kind === 'collected') pending.get(message.id)?.();
      });
      void worker.ended.then(() => {
        past.push((latest.get(worker) ?? []).filter(isCounted));
        latest.delete(worker);
      });
    },
    page: () => {
      underWay ??= sumUp().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
  };
};

/** Gauges are of the moment, and end with what they measure. Of the types that prom-client declares, JSON has the names. */
const isCounted = ({ type }: MetricsJson[number]): boolean => ['counter', 'histogram'].includes(String(type));

/** Numbers that are none (the mean of nothing) do not survive the way between processes. */
const prepared = (metrics: MetricsJson): MetricsJson =>
  metrics.map((metric) => ({
    ...metric,
    aggregator: AGGREGATORS.find(([name]) => name.test(metric.name))?.[1] ?? metric.aggregator,
    values: metric.values.filter(({ value }) => Number.isFinite(value)),
  })) as MetricsJson;
