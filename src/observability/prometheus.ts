import { collectDefaultMetrics, type Metric as PrometheusMetric, Registry } from 'prom-client';
import { Distribution } from './counts.ts';
import type { Metric, Sample, Value } from './metrics.ts';

/** The metrics of the process begin once for all its gateways: prom-client never ends them, and they would keep a closed gateway in memory. */
const ofProcess = new Registry();
collectDefaultMetrics({ register: ofProcess });

/** A registry of these metrics, and of those of the process. prom-client's own classes would have to get each value of a histogram by itself. */
export const createRegistry = (metrics: readonly Metric[]): Registry => {
  const registry = new Registry();
  for (const { read, ...metric } of metrics) {
    const get = async () => ({ ...metric, values: samplesOf(read()).flatMap((each) => valuesOf(metric.name, each)) });
    registry.registerMetric({ name: metric.name, get } as unknown as PrometheusMetric);
  }
  return Registry.merge([ofProcess, registry]);
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
