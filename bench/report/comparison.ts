import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Results } from '../benchmark.ts';
import type { LimitForm } from '../measure/limit.ts';
import { LIMIT } from '../servers/contenders.ts';
import { DASH } from './format.ts';
import type { Row } from './summary.ts';
import { textTable } from './table.ts';

// The shares of the last whole run are committed, so that a shorter run can be compared with them.

const FILE = path.join(import.meta.dirname, '../last-run.json');

/** Of CPU time: they depend least on what else the machine does. */
type Shares = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface LastRun {
  readonly date: string;
  readonly commit: string | undefined;
  /** By the label of the row and the code of the workload; a part of 1. */
  readonly cpuShares: Shares;
  /** How the limit wrote bodies, by workload: a shorter run does not find it out again. */
  readonly limitForms: Readonly<Record<string, LimitForm>>;
}

export const readLastRun = async (): Promise<LastRun> => JSON.parse(await readFile(FILE, 'utf8'));

export const writeLastRun = async ({ date, machine, workloads }: Results, rows: readonly Row[]): Promise<void> => {
  const round = (share: number): number => Number(share.toPrecision(3));
  const cpuShares = Object.fromEntries(
    serversOf(rows).map(({ label, figures }) => [
      label,
      Object.fromEntries([...figures].map(([code, { cpuShare }]) => [code, round(cpuShare)])),
    ]),
  );
  const limitForms = Object.fromEntries(workloads.map(({ code, limitForm }) => [code, limitForm]));
  const run: LastRun = { date, commit: machine.commit, cpuShares, limitForms };
  await writeFile(FILE, `${JSON.stringify(run, null, 2)}\n`);
};

/** More than this is worth a look, in points of a hundred. */
const NOTABLE_POINTS = 5;

/** What has changed since the last whole run, for the terminal. */
export const compareWithLastRun = async ({ workloads }: Results, rows: readonly Row[]): Promise<string> => {
  const { date, commit = 'unknown', cpuShares } = await readLastRun();
  const cells = serversOf(rows).flatMap(({ label, figures }) =>
    workloads.map(({ code }) => {
      const now = figures.get(code)?.cpuShare ?? Number.NaN;
      return { label, code, points: (now - (cpuShares[label]?.[code] ?? Number.NaN)) * 100 };
    }),
  );
  const notable = cells
    .filter(({ points }) => Math.abs(points) > NOTABLE_POINTS)
    .map(({ label, code, points }) => `${label} ${code} (${signed(points)})`);
  const table = textTable(
    [`Points of CPU share since ${date.slice(0, 10)}, commit ${commit}`, ...workloads.map(({ code }) => code)],
    [...Map.groupBy(cells, ({ label }) => label)].map(([label, own]) => [
      label,
      ...own.map(({ points }) => signed(points)),
    ]),
  );
  return `${table}\n\nCells that differ by more than ${NOTABLE_POINTS} points: ${notable.join(', ') || 'none'}.`;
};

/** The limit is 1 by definition. */
const serversOf = (rows: readonly Row[]): Row[] => rows.filter(({ name }) => name !== LIMIT.name);

const signed = (points: number): string =>
  Number.isFinite(points) ? `${points < 0 ? '−' : '+'}${Math.abs(points).toFixed(1)}` : DASH;
