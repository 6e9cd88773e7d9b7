import type { TestGateway } from './gateway.ts';

interface SampleLine {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What one scrape brought. */
export interface Scrape {
  readonly samples: readonly SampleLine[];
  /** The sum of the samples of that name that carry these labels. */
  readonly sum: (name: string, labels?: Readonly<Record<string, string>>) => number;
}

/** Prometheus's text format, as strictly as Prometheus reads it. @throws Error at a line that is none of it */
export const parseMetrics = (text: string): Scrape => {
  const samples = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parseSample);
  return {
    samples,
    sum: (name, labels = {}) =>
      samples
        .filter((sample) => sample.name === name)
        .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
        .reduce((sum, { value }) => sum + value, 0),
  };
};

const parseSample = (line: string): SampleLine => {
  const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  // Of a range in which nothing was looked at there is no mean.
  if (name === undefined || (Number.isNaN(Number(value)) && value !== 'Nan')) throw new Error(`no sample: ${line}`);
  const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/g)];
  return { name, labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])), value: Number(value) };
};

export const scrape = async (gateway: TestGateway): Promise<Scrape> => {
  const { status, text } = await gateway.get('/metrics');
  if (status !== 200) throw new Error(`/metrics answered ${status}`);
  return parseMetrics(text);
};
