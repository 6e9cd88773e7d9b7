import type { Metric, Registry } from 'prom-client';
import { Distribution, type RequestCounts } from './counts.ts';

type Value = number | Distribution;

/** A value with its labels. */
export type Sample<Of = number> = readonly [labels: Readonly<Record<string, string>>, value: Of];

/** The one value, or a value for each of its labels. */
type Read<Of extends Value> = () => Of | Iterable<Sample<Of>>;

/**
 * Makes metrics whose values are kept elsewhere, and read at each scrape: prom-client's own classes would have to get each value of a
 * histogram by itself.
 */
export const collectorsOf = (registry: Registry) => {
  /** @param aggregator how the values of several processes are combined */
  const makerOf =
    <Of extends Value>(type: 'counter' | 'gauge' | 'histogram') =>
    (name: string, help: string, read: Read<Of>, aggregator: 'sum' | 'min' | 'max' | 'first' = 'sum'): void => {
      const values = () => samplesOf(read()).flatMap((sample) => valuesOf(name, sample));
      const get = async () => ({ name, help, type, aggregator, values: values() });
      registry.registerMetric({ name, get } as unknown as Metric);
    };
  return {
    counter: makerOf<number>('counter'),
    gauge: makerOf<number>('gauge'),
    histogram: makerOf<Distribution>('histogram'),
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

/** Requests by handler, operation, status and use of the cache. */
export function* requestTotals(requests: RequestCounts): Generator<Sample> {
  for (const { handler, operation, byCache } of requests.all()) {
    for (const [cache, { statuses }] of byCache) {
      for (const [status, value] of statuses) yield [{ handler, operation, status: String(status), cache }, value];
    }
  }
}

/** How long responses took, in seconds. */
export function* requestDurations(requests: RequestCounts): Generator<Sample<Distribution>> {
  for (const { handler, operation, byCache } of requests.all()) {
    for (const [cache, { seconds }] of byCache) yield [{ handler, operation, cache }, seconds];
  }
}

/** Requests that ended with an error, by handler and code. */
export function* requestErrors({ errors }: RequestCounts): Generator<Sample> {
  for (const { handler, code, count } of errors.values()) yield [{ handler, code }, count];
}
