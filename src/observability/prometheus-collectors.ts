import { Counter, Gauge, type Histogram, type Registry } from 'prom-client';
import { type CacheUse, Distribution, DURATION_BOUNDS, type HandlerName, type RequestCounts } from './counts.ts';

type Labels = Readonly<Record<string, string>>;

/** A value with its labels. */
export type Sample<Value = number> = readonly [labels: Labels, value: Value];

/** Reads the one value of a metric, or a value for each of its labels. */
type Read<Value> = () => Value | Iterable<Sample<Value>>;

interface GaugeOptions {
  readonly labelNames?: readonly string[];
  /** How the values of several processes are combined. @default 'sum' */
  readonly aggregator?: 'sum' | 'min' | 'max' | 'first';
}

/** Makes metrics whose values are kept elsewhere, and read at each scrape. */
export const collectorsOf = (registry: Registry) => {
  const registers = [registry];
  return {
    counter: (name: string, help: string, read: Read<number>, ...labelNames: readonly string[]): void => {
      new Counter({
        name,
        help,
        labelNames,
        registers,
        collect() {
          this.reset();
          for (const [labels, value] of samplesOf(read)) this.inc(labels, value);
        },
      });
    },

    gauge: (
      name: string,
      help: string,
      read: Read<number>,
      { labelNames = [], aggregator = 'sum' }: GaugeOptions = {},
    ): void => {
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        aggregator,
        collect() {
          this.reset();
          for (const [labels, value] of samplesOf(read)) this.set(labels, value);
        },
      });
    },

    /** prom-client's own need a label object and a hash for each value. */
    histogram: (name: string, help: string, read: Read<Distribution>): void => {
      const get = async () => ({
        name,
        help,
        type: 'histogram',
        aggregator: 'sum',
        values: [...samplesOf(read)].flatMap((sample) => valuesOf(name, sample)),
      });
      registry.registerMetric({ name, get } as unknown as Histogram);
    },
  };
};

const samplesOf = <Value extends number | Distribution>(read: Read<Value>): Iterable<Sample<Value>> => {
  const value = read();
  return typeof value === 'number' || value instanceof Distribution ? [[{}, value]] : value;
};

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
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[index] ?? '+Inf' }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
};

/** The handler of a request, also by the name that this label had before: dashboards may use it until 0.2. */
export const HANDLER_LABELS = ['handler', 'door'];

const labelsOf = (handler: HandlerName) => ({ handler, door: handler });

/** Requests by handler, operation, status and use of the cache. */
export function* requestTotals({ all }: RequestCounts): Generator<Sample> {
  for (const { handler, operation, byCache, untimed } of all()) {
    const sampleOf = (cache: CacheUse, status: number, value: number): Sample => [
      { ...labelsOf(handler), operation, status: String(status), cache },
      value,
    ];
    // Those that have the same labels are added up.
    if (untimed.ok > 0) yield sampleOf('hit', 200, untimed.ok);
    if (untimed.notModified > 0) yield sampleOf('hit', 304, untimed.notModified);
    for (const [cache, { statuses }] of byCache) {
      for (const [status, value] of statuses) yield sampleOf(cache, status, value);
    }
  }
}

/** How long responses took, in seconds. Untimed hits are in the first range. */
export function* requestDurations({ all }: RequestCounts): Generator<Sample<Distribution>> {
  for (const { handler, operation, byCache, untimed } of all()) {
    const untimedCount = untimed.ok + untimed.notModified;
    const timed = new Map([...byCache].map(([cache, { seconds }]) => [cache, seconds]));
    if (untimedCount > 0) {
      const hits = new Distribution(DURATION_BOUNDS);
      const { counts, sum } = timed.get('hit') ?? hits;
      hits.sum = sum;
      for (const [index, count] of counts.entries()) hits.counts[index] = count + (index === 0 ? untimedCount : 0);
      timed.set('hit', hits);
    }
    for (const [cache, seconds] of timed) yield [{ ...labelsOf(handler), operation, cache }, seconds];
  }
}

/** Requests that ended with an error, by handler and code. */
export function* requestErrors({ errors }: RequestCounts): Generator<Sample> {
  for (const { handler, code, count } of errors.values()) yield [{ ...labelsOf(handler), code }, count];
}
