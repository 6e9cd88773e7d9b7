import { Counter, Gauge, type Histogram, type Registry } from 'prom-client';
import { Distribution, type RequestCounts } from './counts.ts';

type Value = number | Distribution;

/** A value with its labels. */
export type Sample<Of = number> = readonly [labels: Readonly<Record<string, string>>, value: Of];

/** Of all counters and gauges: prom-client takes labels that were named before. */
const LABEL_NAMES = [
  ...['cache', 'code', 'engine', 'handler', 'node', 'operation', 'outcome'],
  ...['reason', 'replica', 'server', 'statement', 'status', 'version'],
];

/** The one value, or a value for each of its labels. */
type Read<Of extends Value> = () => Of | Iterable<Sample<Of>>;

/** Makes metrics whose values are kept elsewhere, and read at each scrape. */
export const collectorsOf = (registry: Registry) => {
  const shared = { labelNames: LABEL_NAMES, registers: [registry] };
  return {
    counter: (name: string, help: string, read: Read<number>): void => {
      new Counter({
        ...shared,
        name,
        help,
        collect() {
          this.reset();
          for (const [labels, value] of samplesOf(read())) this.inc(labels, value);
        },
      });
    },

    /** @param aggregator how the values of several processes are combined */
    gauge: (
      name: string,
      help: string,
      read: Read<number>,
      aggregator: 'sum' | 'min' | 'max' | 'first' = 'sum',
    ): void => {
      new Gauge({
        ...shared,
        name,
        help,
        aggregator,
        collect() {
          this.reset();
          for (const [labels, value] of samplesOf(read())) this.set(labels, value);
        },
      });
    },

    /** prom-client's own would have to be given each value by itself. */
    histogram: (name: string, help: string, read: Read<Distribution>): void => {
      const values = () => samplesOf(read()).flatMap((sample) => valuesOf(name, sample));
      const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: values() });
      registry.registerMetric({ name, get } as unknown as Histogram);
    },
  };
};

const samplesOf = <Of extends Value>(value: Of | Iterable<Sample<Of>>): readonly Sample<Of>[] =>
  typeof value === 'number' || value instanceof Distribution ? [[{}, value]] : [...(value as Iterable<Sample<Of>>)];

/** A sample for each value of a label. */
export const byLabel = (
  label: string,
  values: Readonly<Record<string, number>> | Iterable<[string, number]>,
): Sample[] =>
  [...(Symbol.iterator in values ? values : Object.entries(values))].map(([of, value]) => [{ [label]: of }, value]);

const valuesOf = (name: string, [labels, { bounds, counts, sum }]: Sample<Distribution>) => {
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

/** Requests by handler, operation, status and use of the cache. */
export function* requestTotals({ all }: RequestCounts): Generator<Sample> {
  for (const { handler, operation, byCache } of all()) {
    for (const [cache, { statuses }] of byCache) {
      for (const [status, value] of statuses) yield [{ handler, operation, status: String(status), cache }, value];
    }
  }
}

/** How long responses took, in seconds. */
export function* requestDurations({ all }: RequestCounts): Generator<Sample<Distribution>> {
  for (const { handler, operation, byCache } of all()) {
    for (const [cache, { seconds }] of byCache) yield [{ handler, operation, cache }, seconds];
  }
}

/** Requests that ended with an error, by handler and code. */
export function* requestErrors({ errors }: RequestCounts): Generator<Sample> {
  for (const { handler, code, count } of errors.values()) yield [{ handler, code }, count];
}
