import { CONNECTIONS } from '../load/wrk.ts';
import { medianOf } from '../measure/median.ts';
import { count } from '../report/format.ts';
import { markSection } from '../report/section.ts';
import { markdownTable, textTable } from '../report/table.ts';
import type { WorkersResults, WorkersSample } from './measure.ts';

export const SECTION = { page: 'benchmarks.md', script: 'bench:workers' };

const HEAD = [
  'requests a second',
  'p99, ms',
  'CPU a request, µs: Vitrine',
  'PostgreSQL',
  'a core of Vitrine carries, a second',
];

/** A row for each case and number of workers; medians over the rounds. */
const rowsOf = ({ samples, options }: WorkersResults): string[][] => {
  const titles = [...new Set(samples.map(({ title }) => title))];
  return titles.flatMap((title) =>
    options.workers.map((workers) => {
      const own = samples.filter((sample) => sample.title === title && sample.workers === workers);
      const median = (value: (sample: WorkersSample) => number | undefined): number =>
        medianOf(own.map((sample) => value(sample) ?? Number.NaN));
      const cpuUs = median(({ cpuUsPerRequest }) => cpuUsPerRequest);
      return [
        `${title}, WORKERS=${workers}`,
        count(median(({ requestsPerSecond }) => requestsPerSecond)),
        count(
          median(({ p99Ms }) => p99Ms),
          1,
        ),
        count(cpuUs, 1),
        count(
          median(({ postgresUsPerRequest }) => postgresUsPerRequest),
          1,
        ),
        count(1_000_000 / cpuUs),
      ];
    }),
  );
};

/** For the terminal. */
export const toWorkersText = (results: WorkersResults): string => textTable(['', ...HEAD], rowsOf(results));

/** The section of docs/benchmarks.md. */
export const toWorkersSection = (results: WorkersResults): string => {
  const { date, machine, options } = results;
  const { processors, processor } = machine;
  const { products, rounds, seconds } = options;
  return markSection(SECTION, [
    `\`npm run bench:workers\` on ${date.slice(0, 10)}: ${count(products)} products, ${CONNECTIONS} connections, medians of ${rounds} rounds of ${seconds} s. Vitrine, the load generator and PostgreSQL share ${processors} cores (${processor}), so more workers cannot carry more here; on cores of their own, n workers carry n times the last column.`,
    markdownTable(['', ...HEAD], rowsOf(results)),
  ]);
};
