import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CONNECTIONS } from '../load/wrk.ts';
import { whenAndWhere } from '../machine/machine.ts';
import { count, percent } from '../report/format.ts';
import { markSection, writeSection } from '../report/section.ts';
import { textTable } from '../report/table.ts';
import { drawCacheChart } from './chart.ts';
import type { CacheOptions, CacheSample } from './measure.ts';

const SECTION = { page: 'benchmarks.md', script: 'bench:cache' };
const CHART = path.join(import.meta.dirname, 'chart.svg');

const nameOf = (products: number): string =>
  products % 1_000_000 === 0 ? `${products / 1_000_000} million products` : `${count(products)} products`;

/** For the terminal: the page has the chart alone. */
export const toText = (samples: readonly CacheSample[]): string =>
  textTable(
    ['CACHE_MAX_MB', 'from memory', 'memory, MB', 'CPU of a request, µs: Vitrine', 'PostgreSQL', 'requests a second'],
    samples.map(({ products, cacheMb, hitShare, rssMb, serverUs, postgresUs, requestsPerSecond }) => [
      `${nameOf(products)}, ${cacheMb}`,
      percent(hitShare),
      ...[rssMb, serverUs, postgresUs, requestsPerSecond].map((value) => count(value)),
    ]),
  );

const toMarkdown = ({ exponent, seconds }: CacheOptions): string =>
  markSection(SECTION, [
    '![From memory, memory and CPU time by the size of the cache](../bench/cache/chart.svg)',
    `\`npm run bench:cache\` ${whenAndWhere()} for gateway, PostgreSQL (1 GB of shared buffers) and client; ${CONNECTIONS} connections, ${seconds} s each. Without the index of products (\`BROWSE_INDEX_MAX_MB=0\`).`,
    `What is asked for is an assumption, so compare the sizes, not the shares: 75 of 100 requests are product pages, 20 lists of a category, 5 the hot or the new products. Rank *r* is asked for in proportion to 1 / *r*^${exponent}, about as [sales follow ranks](https://papers.ssrn.com/sol3/papers.cfm?abstract_id=1679991). Nothing changes meanwhile.`,
  ]);

/** Puts it into docs/benchmarks.md, and its chart beside this file. */
export const writeCache = async (samples: readonly CacheSample[], options: CacheOptions): Promise<void> => {
  await writeFile(CHART, drawCacheChart(samples, nameOf));
  await writeSection(SECTION, toMarkdown(options));
};
