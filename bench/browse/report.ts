import os from 'node:os';
import { count, percent } from '../report/format.ts';
import { markSection, writeSection } from '../report/section.ts';
import { markdownTable } from '../report/table.ts';
import type { BrowseResults } from './measure.ts';

const SECTION = { page: 'browse.md', script: 'bench:browse' };

export const toMarkdown = (
  { samples, fillSeconds, indexMb, changesPerSecond, freshness, indexShare }: BrowseResults,
  products: number,
): string => {
  const [first] = samples;
  const table = markdownTable(
    ['p50 / p95, ms', 'goal, p95', ...samples.map(({ engine }) => engine)],
    (first?.latencies ?? []).map(({ kind }, row) => [
      kind.title,
      count(kind.goalMs),
      ...samples.map(({ latencies }) => {
        const latency = latencies[row];
        const times = [latency?.p50Ms, latency?.p95Ms].map((ms) => count(ms, 1)).join(' / ');
        return latency && latency.failed > 0 ? `${times}; ${percent(latency.failed / latency.count)} failed` : times;
      }),
    ]),
  );
  const memory = samples.map(({ engine, rssMb }) => `${engine} ${count(rssMb)} MB`).join(', ');
  return markSection(SECTION, [
    `Measured by \`npm run bench:browse\` on ${new Date().toISOString().slice(0, 10)}, on ${os.availableParallelism()} cores (${os.cpus()[0]?.model.trim()}) for gateway, PostgreSQL and client together, over HTTP, one question after another, with no response kept: ${count(products)} products, 200 categories, 2,000 brands, 5,000 tags, five attributes and three variants each. *PostgreSQL* is the same gateway without the index.`,
    table,
    `A statement that takes longer than \`DATABASE_TIMEOUT_MS\` fails. The machine's load was ${os.loadavg()[0]?.toFixed(1)}.`,
    `The index was filled in ${count(fillSeconds)} s and takes ${count(indexMb)} MB; the whole process: ${memory}. Under changes the back office committed ${count(changesPerSecond)} changed products a second; the index gave ${percent(indexShare)} of the answers. Of ${count(freshness.reads)} prices that were read 100 ms after their commit, ${count(freshness.stale)} were old.`,
  ]);
};

/** Puts it into docs/browse.md. */
export const writeBrowse = (markdown: string): Promise<void> => writeSection(SECTION, markdown);
