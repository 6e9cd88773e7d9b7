import {
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValueWithName,
  type Registry,
} from 'prom-client';
import {
  type CacheUse,
  Distribution,
  DURATION_BOUNDS,
  type HandlerName,
  type OperationCounts,
  type RequestCounts,
} from './counts.ts';

/** A number with its labels. */
export interface Sample<Label extends string> {
  readonly labels: Record<Label, string>;
  readonly value: number;
}

/** A histogram with its labels. */
export interface DistributionSample<Label extends string> {
  readonly labels: Record<Label, string>;
  readonly distribution: Distribution;
}

/** Makes counters whose numbers are read at each scrape. */
export const counterOf =
  (registry: Registry) =>
  <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    samples: () => Iterable<Sample<Label>>,
  ): void => {
    new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, value } of samples()) this.inc(labels, value);
      },
    });
  };

/** Makes gauges that are read at each scrape. `aggregator`: how the values of several processes are combined. */
export const gaugeOf =
  (registry: Registry) =>
  (name: string, help: string, read: () => number, aggregator: 'sum' | 'min' | 'max' = 'sum'): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      aggregator,
      collect() {
        this.set(read());
      },
    });
  };

/** Makes histograms whose values are kept elsewhere: prom-client's own need a label object and a hash for each value. */
export const histogramOf =
  (registry: Registry) =>
  <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    samples: () => Iterable<DistributionSample<Label>>,
  ): void => {
    new KeptHistogram({ name, help, labelNames, registers: [registry] }, samples);
  };

type Values<Label extends string> = MetricObjectWithValues<MetricValueWithName<Label>>;

class KeptHistogram<Label extends string> extends Histogram<Label> {
  readonly #about: { readonly name: string; readonly help: string };
  readonly #samples: () => Iterable<DistributionSample<Label>>;

  constructor(
    about: ConstructorParameters<typeof Histogram<Label>>[0],
    samples: () => Iterable<DistributionSample<Label>>,
  ) {
    super(about);
    this.#about = about;
    this.#samples = samples;
  }

  override async get(): Promise<Values<Label>> {
    const { name, help } = this.#about;
    const values = [...this.#samples()].flatMap((sample) => valuesOf(name, sample));
    return { name, help, type: 'histogram', values, aggregator: 'sum' } as unknown as Values<Label>;
  }

  /** Called by `metrics`. */
  getForPromString(): Promise<Values<Label>> {
    return this.get();
  }
}

const valuesOf = <Label extends string>(name: string, { labels, distribution }: DistributionSample<Label>) => {
  const { bounds, counts, sum } = distribution;
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
export const HANDLER_LABELS = ['handler', 'door'] as const;

type HandlerLabel = (typeof HANDLER_LABELS)[number];

const labelsOf = (handler: HandlerName): Record<HandlerLabel, HandlerName> => ({ handler, door: handler });

/** Requests by handler, operation, status and use of the cache. */
export function* requestTotals({
  all,
}: RequestCounts): Generator<Sample<HandlerLabel | 'operation' | 'status' | 'cache'>> {
  for (const { handler, operation, byCache, untimed } of all()) {
    const statuses = new Map([
      [200, untimed.ok],
      [304, untimed.notModified],
    ]);
    for (const [status, count] of byCache.get('hit')?.statuses ?? []) {
      statuses.set(status, (statuses.get(status) ?? 0) + count);
    }
    const labelled = (cache: CacheUse, status: number) => ({
      ...labelsOf(handler),
      operation,
      status: String(status),
      cache,
    });
    for (const [status, value] of statuses) if (value > 0) yield { labels: labelled('hit', status), value };
    for (const [cache, answered] of byCache) {
      if (cache === 'hit') continue;
      for (const [status, value] of answered.statuses) yield { labels: labelled(cache, status), value };
    }
  }
}

/** How long responses took, in seconds. */
export function* requestDurations({
  all,
}: RequestCounts): Generator<DistributionSample<HandlerLabel | 'operation' | 'cache'>> {
  for (const counts of all()) {
    const { handler, operation, byCache } = counts;
    const hits = hitDurations(counts);
    if (hits) yield { labels: { ...labelsOf(handler), operation, cache: 'hit' }, distribution: hits };
    for (const [cache, { seconds }] of byCache) {
      if (cache !== 'hit') yield { labels: { ...labelsOf(handler), operation, cache }, distribution: seconds };
    }
  }
}

/** Hits: timed ones, and untimed ones in the first range. */
const hitDurations = ({ byCache, untimed }: OperationCounts): Distribution | undefined => {
  const timed = byCache.get('hit')?.seconds;
  const untimedCount = untimed.ok + untimed.notModified;
  if (!timed && untimedCount === 0) return undefined;
  const hits = new Distribution(DURATION_BOUNDS);
  hits.sum = timed?.sum ?? 0;
  for (const index of hits.counts.keys())
    hits.counts[index] = (timed?.counts[index] ?? 0) + (index === 0 ? untimedCount : 0);
  return hits;
};

/** Requests that ended with an error, by handler and code. */
export function* requestErrors({ errors }: RequestCounts): Generator<Sample<HandlerLabel | 'code'>> {
  for (const { handler, code, count } of errors.values())
    yield { labels: { ...labelsOf(handler), code }, value: count };
}
