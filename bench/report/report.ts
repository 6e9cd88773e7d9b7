import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Results } from '../benchmark.ts';
import { drawChart } from './chart.ts';
import { writeLastRun } from './comparison.ts';
import { toMarkdown } from './markdown.ts';
import type { Row } from './summary.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const FILE = path.join(ROOT, 'docs/benchmarks.md');

export const WORKERS_TITLE = '## Workers';

/** Writes docs/benchmarks.md, its chart, and the shares that later runs are compared with. */
export const writeReport = async (results: Results, rows: readonly Row[]): Promise<void> => {
  await writeFile(path.join(ROOT, 'bench/chart.svg'), drawChart(results.workloads, rows));
  await writeLastRun(results, rows);
  const workers = sectionOf(await readFile(FILE, 'utf8'), WORKERS_TITLE);
  await writeFile(FILE, toMarkdown(results, rows, workers));
};

/** Puts the section on workers into docs/benchmarks.md, in the place of the one that is there. */
export const writeWorkersSection = async (section: string): Promise<void> => {
  const text = await readFile(FILE, 'utf8');
  const old = sectionOf(text, WORKERS_TITLE);
  await writeFile(
    FILE,
    old === undefined ? text.replace(NEXT, () => `${section}\n\n${NEXT}`) : text.replace(old, () => section),
  );
};

/** What follows it in {@link toMarkdown}. */
const NEXT = '## How far runs differ';

/** A section with its heading, up to the next of that level. */
const sectionOf = (text: string, title: string): string | undefined => {
  const begin = text.indexOf(`\n${title}\n`) + 1;
  if (begin === 0) return undefined;
  const end = text.indexOf('\n## ', begin);
  return text.slice(begin, end < 0 ? undefined : end).trimEnd();
};
