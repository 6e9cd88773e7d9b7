import type { Results } from '../benchmark.ts';
import { CONNECTIONS } from '../load/wrk.ts';
import { count } from './format.ts';
import { markSection } from './section.ts';
import type { Row } from './summary.ts';
import { noiseOf } from './summary.ts';
import { markdownTable } from './table.ts';
import { tablesOf } from './tables.ts';

export const SECTION = { page: 'benchmarks.md', script: 'bench' };

/** The section of docs/benchmarks.md. */
export const toMarkdown = (results: Results, rows: readonly Row[]): string =>
  markSection(SECTION, [
    '![Share of the limit by workload and server](../bench/chart.svg)',
    conditions(results),
    '## Workloads',
    workloadTable(results),
    ...tablesOf(results, rows)
      .filter(({ isForTerminal }) => !isForTerminal)
      .flatMap(({ title, note, head, rows: cells }) => [
        `## ${title}`,
        ...(note ? [note] : []),
        markdownTable(['', ...head], cells),
      ]),
  ]);

const conditions = (results: Results): string => {
  const { date, options, machine } = results;
  const { products, rounds, seconds } = options;
  const { processor, processors, memoryGb, system, cores, commit, versions } = machine;
  const pinning = cores
    ? `the server on core ${cores.server}, the load generator on core ${cores.load}, PostgreSQL where the system puts it`
    : 'no process pinned to a core';
  return [
    `- **When**: ${date.slice(0, 10)}${commit === undefined ? '' : `, commit ${commit}`}. ${count(products)} products, ${CONNECTIONS} connections, ${rounds === 1 ? 'one round' : `medians of ${rounds} rounds`} of ${seconds} s.`,
    `- **Machine**: ${processors} × ${processor}, ${memoryGb} GB, ${system}; ${pinning}.`,
    `- **Versions**: ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}; packages as in package-lock.json.`,
    ...noiseOf(results).map((sentence) => `- ${sentence}`),
  ].join('\n');
};

const workloadTable = ({ workloads }: Results): string =>
  markdownTable(
    ['', 'what is asked', 'bytes of a body'],
    workloads.map(({ code, title, bodyBytes }) => [code, title, count(bodyBytes.GET ?? bodyBytes.POST)]),
    { textColumns: 2 },
  );
