import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Results } from '../benchmark.ts';
import { drawChart } from './chart.ts';
import { writeLastRun } from './comparison.ts';
import { SECTION, toMarkdown } from './markdown.ts';
import { writeSection } from './section.ts';
import type { Row } from './summary.ts';

/** Writes the section in docs/benchmarks.md, its chart, and the shares that later runs are compared with. */
export const writeReport = async (results: Results, rows: readonly Row[]): Promise<void> => {
  await writeFile(path.join(import.meta.dirname, '../chart.svg'), drawChart(results.workloads, rows));
  await writeLastRun(results, rows);
  await writeSection(SECTION, toMarkdown(results, rows));
};
