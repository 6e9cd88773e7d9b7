import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Results } from '../benchmark.ts';
import type { LimitForm } from '../measure/limit.ts';
import { medianOf } from '../measure/median.ts';
import { LIMIT } from '../servers/contenders.ts';
import { DASH } from './format.ts';
import type { Row } from './summary.ts';
import { textTable } from './table.ts';

// The shares of the last whole run are committed, so that a shorter run can be compared with them.

const FILE = path.join(import.meta.dirname, '../last-run.json');

/** By the label of the row and the code of the workload. */
type Cells = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface LastRun {
  readonly date: string;
  readonly commit: string | undefined;
  readonly processor: string;
  /** Of CPU time, which depends least on what else the machine does; a part of 1. */
  readonly cpuShares: Cells;
  /** CPU time of the limit for a request, in microseconds. */
  readonly limitCpuUs: Cells;
  /** How the limit wrote bodies, by workload: a shorter run does not find it out again. */
  readonly limitForms: Readonly<Record<string, LimitForm>>;
}

export const readLastRun = async (): Promise<LastRun> => JSON.parse(await readFile(FILE, 'utf8'));

export const writeLastRun = async ({ date, machine, workloads }: Results, rows: readonly Row[]): Promise<void> => {
  const table = (some: readonly Row[], figure: 'cpuShare' | 'cpuUs'): Cells =>
    Object.fromEntries(
      some.map(({ label, figures }) => [
        label,
        Object.fromEntries([...figures].map(([code, { [figure]: number }]) => [code, Number(number.toPrecision(3))])),
      ]),
    );
  const cpuShares = table(serversOf(rows), 'cpuShare');
  const limitCpuUs = table(limitsOf(rows), 'cpuUs');
  const limitForms = Object.fromEntries(workloads.map(({ code, limitForm }) => [code, limitForm]));
  const { commit, processor } = machine;
  const run: LastRun = { date, commit, processor, cpuShares, limitCpuUs, limitForms };
  await writeFile(FILE, `${JSON.stringify(run, null, 2)}\n`);
};

/** More than this, in each round, is worth a look; a part of 1. */
const NOTABLE = 0.05;

/** What has changed since the last whole run, for the terminal: in percent, since a tenth more of 1,000 µs hardly changes a share of the limit. */
export const compareWithLastRun = async ({ machine, workloads }: Results, rows: readonly Row[]): Promise<string> => {
  const { date, commit = 'unknown', processor, cpuShares, limitCpuUs } = await readLastRun();
  const cells = serversOf(rows).flatMap(({ label, figures }) =>
    workloads.map(({ code }) => {
      const then = cpuShares[label]?.[code] ?? Number.NaN;
      const changes = (figures.get(code)?.cpuShares ?? []).map((now) => then / now - 1);
      return { label, code, changes };
    }),
  );
  const notable = cells
    .filter(({ changes }) => changes.length > 0)
    .filter(({ changes }) => changes.every((each) => each > NOTABLE) || changes.every((each) => each < -NOTABLE))
    .map(({ label, code, changes }) => `${label} ${code} (${signed(medianOf(changes))} %)`);
  const table = textTable(
    [
      `CPU a request, against the limit's: change since ${date.slice(0, 10)}, commit ${commit}, %`,
      ...workloads.map(({ code }) => code),
    ],
    [...Map.groupBy(cells, ({ label }) => label)].map(([label, own]) => [
      label,
      ...own.map(({ changes }) => withSpread(changes)),
    ]),
  );
  return [
    table,
    processor === machine.processor
      ? compareLimits(limitCpuUs, rows)
      : `**That run was on another processor, ${processor}**: the shares of the two runs do not compare.`,
    `Cells that differ by more than ${NOTABLE * 100} % in each round: ${notable.join(', ') || 'none'}.`,
  ].join('\n\n');
};

/** Where the limit differs by more, the machine is another, or was busy in one run and quiet in the other. */
const MAX_LIMIT_DIFFERENCE = 0.1;

/** On a quiet machine the limit gains more than servers that do more. */
const compareLimits = (then: Cells, rows: readonly Row[]): string => {
  const ratios = limitsOf(rows).flatMap(({ label, figures }) =>
    [...figures].flatMap(([code, { cpuUs }]) => {
      const ratio = cpuUs / (then[label]?.[code] ?? Number.NaN);
      return Number.isFinite(ratio) ? [{ code, ratio }] : [];
    }),
  );
  const byCode = [...Map.groupBy(ratios, ({ code }) => code)].map(([code, own]) => ({
    code,
    ratio: medianOf(own.map(({ ratio }) => ratio)),
  }));
  const different = byCode
    .filter(({ ratio }) => Math.abs(ratio - 1) > MAX_LIMIT_DIFFERENCE)
    .map(({ code, ratio }) => `${code} (${ratio.toFixed(2)})`);
  const median = medianOf(byCode.map(({ ratio }) => ratio));
  return [
    `The limit takes ${median.toFixed(2)} of the CPU time that it took in that run.`,
    ...(different.length > 0
      ? [
          `**The machine was busier or quieter than then** in ${different.join(', ')}: the shares of these workloads do not compare.`,
        ]
      : []),
  ].join(' ');
};

const limitsOf = (rows: readonly Row[]): Row[] => rows.filter(({ name }) => name === LIMIT.name);

/** The limit is 1 by definition. */
const serversOf = (rows: readonly Row[]): Row[] => rows.filter(({ name }) => name !== LIMIT.name);

/** `+3 (−1…+4)`: the median, the least and the most of all rounds. */
const withSpread = (changes: readonly number[]): string =>
  Number.isFinite(medianOf(changes))
    ? `${signed(medianOf(changes))} (${signed(Math.min(...changes))}…${signed(Math.max(...changes))})`
    : DASH;

/** In percent. */
const signed = (change: number): string => `${change < 0 ? '−' : '+'}${Math.abs(change * 100).toFixed(0)}`;
