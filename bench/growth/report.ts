import { whenAndWhere } from '../machine/machine.ts';
import { count, percent } from '../report/format.ts';
import { markdownTable } from '../report/table.ts';
import type { GrowthSample } from './measure.ts';
import type { GrowthOptions } from './options.ts';

const nameOf = ({ gateway, products }: GrowthSample): string => {
  const size = products >= 1_000_000 ? `${products / 1_000_000} million` : count(products);
  return gateway === 'now' ? size : `${size}, ${gateway}`;
};

const costTable = (samples: readonly GrowthSample[]): string =>
  markdownTable(
    ['CPU of a request, µs: Vitrine + PostgreSQL; from memory', ...samples.map(nameOf)],
    (samples[0]?.costs ?? []).map(({ title }, row) => [
      title,
      ...samples.map(({ costs }) => {
        const cost = costs[row];
        return `${count(cost?.cold.server)} + ${count(cost?.cold.postgres)}; ${count(cost?.warmServer)}`;
      }),
    ]),
  );

const processTable = (samples: readonly GrowthSample[]): string =>
  markdownTable(
    ['', ...samples.map(nameOf)],
    [
      ['database, GB', ...samples.map(({ databaseBytes }) => count(databaseBytes / 1e9, 1))],
      ['start to first answer, ms', ...samples.map(({ startMs }) => count(startMs))],
      ['memory at start, MB', ...samples.map(({ rssAtStartMb }) => count(rssAtStartMb))],
      ['memory after all of this, MB', ...samples.map(({ rssAtEndMb }) => count(rssAtEndMb))],
      ['connections, with that of the freshness monitor', ...samples.map(({ connections }) => count(connections))],
      ['a price: commit, ms', ...samples.map(({ change }) => count(change.commitMs, 2))],
      ['a price: CPU of Vitrine, µs', ...samples.map(({ change }) => count(change.serverUs, 0))],
      [
        'a price: responses computed again',
        ...samples.map(({ change }) => `${count(change.remade)} of ${count(change.known)}`),
      ],
    ],
  );

const burstTable = (samples: readonly GrowthSample[]): string =>
  markdownTable(
    ['', 'commits a second', 'from memory', 'p50, ms', 'p99, ms', 'CPU: Vitrine, µs', 'CPU: PostgreSQL, µs', 'not 200'],
    samples.flatMap((sample) =>
      sample.bursts.map((burst) => [
        `${nameOf(sample)}: ${burst.what}`,
        count(burst.commits),
        percent(burst.hitShare),
        count(burst.p50Ms, 1),
        count(burst.p99Ms, 1),
        count(burst.serverUs),
        count(burst.postgresUs),
        count(burst.failed),
      ]),
    ),
  );

/** What was measured, as Markdown. */
export const toMarkdown = (samples: readonly GrowthSample[], options: GrowthOptions): string =>
  [
    `Measured by \`npm run bench:growth\` ${whenAndWhere()}; 200 categories, 100,000 notices of
which 300 are in effect. The columns are sizes of the catalogue in products.`,
    costTable(samples),
    processTable(samples),
    `A burst: ${count(options.commitsPerSecond)} new prices a second, each of any product and in a transaction of its own, and ${count(options.requestsPerSecond)} requests a second for what was in memory.`,
    burstTable(samples),
  ].join('\n\n');
