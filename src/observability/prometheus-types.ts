import {
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValueWithName,
  type Registry,
} from 'prom-client';
import type { Distribution } from './distribution.ts';

/** Labels with a number. */
export interface Sample<Label extends string> {
  readonly labels: Record<Label, string>;
  readonly value: number;
}

/** Labels with a distribution. */
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

/** Makes gauges that are read at each scrape. `aggregator` says what several processes come to. */
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

/** Makes histograms of distributions that are kept elsewhere: prom-client's own take a label object and a hash for each value. */
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

  /** What `metrics` asks for. */
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
