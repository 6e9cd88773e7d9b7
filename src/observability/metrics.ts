import { setTimeout as delay } from 'node:timers/promises';
import type { Metric as PrometheusMetric, Registry } from 'prom-client';
import { memo } from '../memo.ts';
import { Distribution } from './counts.ts';

export type Value = number | Distribution;

/** A value with its labels. */
export type Sample<Of = number> = readonly [labels: Readonly<Record<string, string>>, value: Of];

/** One metric. Its values are kept elsewhere, and read at each scrape. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  /** The one value, or a value for each of its labels. */
  readonly read: () => Value | Iterable<Sample<Value>>;
  /** How the values of several processes are combined. */
  readonly aggregator: 'sum' | 'min' | 'max' | 'first';
}

const rowOf =
  <Of extends Value>(type: Metric['type']) =>
  (
    name: string,
    help: string,
    read: () => Of | Iterable<Sample<Of>>,
    aggregator: Metric['aggregator'] = 'sum',
  ): Metric => ({ type, name, help, read, aggregator });

export const counter = rowOf<number>('counter');
export const gauge = rowOf<number>('gauge');
export const histogram = rowOf<Distribution>('histogram');

/** A sample for each value of a label. */
export const byLabel = (
  label: string,
  values: Readonly<Record<string, number>> | Iterable<[string, number]>,
): Sample[] =>
  [...(Symbol.iterator in values ? values : Object.entries(values))].map(([of, value]) => [{ [label]: of }, value]);

/** The response to a scrape. */
export interface MetricsPage {
  readonly contentType: string;
  readonly body: string;
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Enough for a few samples of the event loop's delay, one every 10 ms. */
const FIRST_LOOK_MS = 50;

/**
 * prom-client is loaded, and the process is observed, from the first scrape on.
 * @param pageOfAll the metrics of all workers together, where there are several
 */
export const createMetrics = (metrics: readonly Metric[], pageOfAll?: () => Promise<MetricsPage>) => {
  /**
   * The metrics, and those of this process. The result of `getMetricsAsJSON` can be aggregated over processes by prom-client's
   * `AggregatorRegistry.aggregate`.
   */
  const registry = memo(() => createRegistry(metrics).then((registered) => delay(FIRST_LOOK_MS, registered)));
  return { registry, page: pageOfAll ?? (async () => pageOf(await registry())) };
};

/** The metrics of the process begin once for all its gateways: prom-client never ends them, and they would keep a closed gateway in memory. */
let ofProcess: Registry | undefined;

/** A registry of these metrics, and of those of the process. prom-client's own classes would have to get each value of a histogram by itself. */
const createRegistry = async (metrics: readonly Metric[]): Promise<Registry> => {
  const prometheus = await import('prom-client');
  if (!ofProcess) {
    ofProcess = new prometheus.Registry();
    prometheus.collectDefaultMetrics({ register: ofProcess });
  }
  const registry = new prometheus.Registry();
  for (const { read, ...metric } of metrics) {
    const get = async () => ({ ...metric, values: samplesOf(read()).flatMap((each) => valuesOf(metric.name, each)) });
    registry.registerMetric({ name: metric.name, get } as unknown as PrometheusMetric);
  }
  return prometheus.Registry.merge([ofProcess, registry]);
};

const samplesOf = (value: Value | Iterable<Sample<Value>>): readonly Sample<Value>[] =>
  typeof value === 'number' || value instanceof Distribution ? [[{}, value]] : [...value];

const valuesOf = (name: string, [labels, value]: Sample<Value>) => {
  if (typeof value === 'number') return [{ labels, value }];
  const { bounds, counts, sum } = value;
  let count = 0;
  const buckets = counts.map((inRange, index) => {
    count += inRange;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: String(bounds[index] ?? '+Inf') }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
};

/** The metrics of a registry as text. */
export const pageOf = async (registry: Registry): Promise<MetricsPage> => ({
  contentType: registry.contentType,
  body: await registry.metrics(),
});
