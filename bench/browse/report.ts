import os from 'node:os';
import { count, percent } from '../report/format.ts';
import { markSection, writeSection } from '../report/section.ts';
import { markdownTable } from '../report/table.ts';
import type { BrowseResults } from './measure.ts';

const SECTION = { page: 'benchmarks.md', script: 'bench:browse' };

export const toMarkdown = (
  { samples, fillSeconds, indexMb, changesPerSecond, freshness, indexShare }: BrowseResults,
  products: number,
): string => {
  const [first] = samples;
  const table = markdownTable(
    ['asked for', 'goal', ...samples.map(({ engine }) => engine)],
    (first?.latencies ?? []).map(({ kind }, row) => [
      kind.title,
      count(kind.goalMs),
      ...samples.map(({ latencies }) => {
        const latency = latencies[row];
        const time = count(latency?.p95Ms, 1);
        return latency && latency.failed > 0 ? `${time}; ${percent(latency.failed / latency.count)} failed` : time;
      }),
    ]),
  );
  const memory = samples.map(({ engine, rssMb }) => `${engine} ${count(rssMb)} MB`).join(', ');
  return markSection(SECTION, [
    `p95 in ms by \`npm run bench:browse\`, ${new Date().toISOString().slice(0, 10)}: ${count(products)} products with five attributes and three variants each; gateway, PostgreSQL and client together on ${os.availableParallelism()} cores (${os.cpus()[0]?.model.trim()}, load ${os.loadavg()[0]?.toFixed(1)}); no response kept.`,
    table,
    `Statements that take longer than \`DATABASE_TIMEOUT_MS\` fail. The index was filled in ${count(fillSeconds)} s and takes ${count(indexMb)} MB (whole process: ${memory}). Under changes, ${count(changesPerSecond)} changed products a second were committed: the index gave ${percent(indexShare)} of the answers, and ${count(freshness.stale)} of ${count(freshness.reads)} prices were old after 100 ms.`,
  ]);
};

/** Puts it into docs/benchmarks.md. */
export const writeBrowse = (markdown: string): Promise<void> => writeSection(SECTION, markdown);
