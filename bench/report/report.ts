import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Results } from '../benchmark.ts';
import { drawChart } from './chart.ts';
import { toMarkdown } from './markdown.ts';
import type { Row } from './summary.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/** Writes BENCHMARKS.md and its chart. */
export const writeReport = async (results: Results, rows: readonly Row[]): Promise<void> => {
  await writeFile(path.join(ROOT, 'bench/chart.svg'), drawChart(results.workloads, rows));
  await writeFile(path.join(ROOT, 'BENCHMARKS.md'), toMarkdown(results, rows));
};
