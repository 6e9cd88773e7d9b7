import { CONNECTIONS } from '../load/wrk.ts';
import { medianOf } from '../measure/median.ts';
import { count } from '../report/format.ts';
import { WORKERS_TITLE } from '../report/report.ts';
import { markdownTable, textTable } from '../report/table.ts';
import type { WorkersResults, WorkersSample } from './measure.ts';

const HEAD = [
  'requests a second',
  'times the first',
  'p99, ms',
  'CPU a request, µs: Vitrine',
  'load generator',
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
      const first = (round: number): number =>
        samples.find(
          (sample) => sample.title === title && sample.workers === options.workers[0] && sample.round === round,
        )?.requestsPerSecond ?? Number.NaN;
      const cpuUs = median(({ cpuUsPerRequest }) => cpuUsPerRequest);
      const generatorUs = median(({ generatorUsPerRequest }) => generatorUsPerRequest);
      const postgresUs = median(({ postgresUsPerRequest }) => postgresUsPerRequest);
      const perSecond = median(({ requestsPerSecond }) => requestsPerSecond);
      return [
        `${title}, WORKERS=${workers}`,
        count(perSecond),
        count(
          median(({ requestsPerSecond, round }) => requestsPerSecond / first(round)),
          2,
        ),
        count(
          median(({ p99Ms }) => p99Ms),
          1,
        ),
        count(cpuUs, 1),
        count(generatorUs, 1),
        count(postgresUs, 1),
        count((perSecond * (cpuUs + generatorUs + postgresUs)) / 1_000_000, 2),
        count(1_000_000 / cpuUs),
      ];
    }),
  );
};

/** For the terminal. */
export const toWorkersText = (results: WorkersResults): string => textTable(['', ...HEAD], rowsOf(results));

/** The section of BENCHMARKS.md. */
export const toWorkersSection = (results: WorkersResults): string => {
  const { date, machine, options } = results;
  const { processors, processor } = machine;
  const { products, rounds, seconds } = options;
  return [
    WORKERS_TITLE,
    `Written by \`npm run bench:workers\` on ${date.slice(0, 10)}: ${count(products)} products, ${CONNECTIONS} connections, medians of ${rounds} rounds of ${seconds} s.
Vitrine, the load generator and PostgreSQL share ${processors} cores (${processor}), none of them pinned. Where all cores are in use, workers cannot do more here: what
the generator takes of them is not theirs. Hence the CPU for a request, which is what a core comes to where the load comes from elsewhere: what n workers carry is
n times the last column, as long as PostgreSQL has cores of its own. CPU of Vitrine is that of all its processes, the primary too.`,
    markdownTable(['', ...HEAD], rowsOf(results)),
  ].join('\n\n');
};
