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
  'cores in use, all',
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
      const generatorUs = median(({ generatorUsPerRequest }) => generatorUsPerRequest);
      const postgresUs = median(({ postgresUsPerRequest }) => postgresUsPerRequest);
      const perSecond = median(({ requestsPerSecond }) => requestsPerSecond);
      return [
        `${title}, WORKERS=${workers}`,
        count(perSecond),
        count(
          median(({ p99Ms }) => p99Ms),
          1,
        ),
        count(cpuUs, 1),
        count(postgresUs, 1),
        count((perSecond * (cpuUs + generatorUs + postgresUs)) / 1_000_000, 2),
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
    `\`npm run bench:workers\` on ${date.slice(0, 10)}: ${count(products)} products, ${CONNECTIONS} connections, medians of ${rounds} rounds of ${seconds} s. Vitrine, the load generator and PostgreSQL share ${processors} cores (${processor}), so more workers cannot carry more here. Compare the CPU: n workers on cores of their own carry n times the last column, if PostgreSQL has cores of its own too.`,
    markdownTable(['', ...HEAD], rowsOf(results)),
  ]);
};
