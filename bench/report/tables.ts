import type { Results } from '../benchmark.ts';
import { medianOf } from '../measure/median.ts';
import { LIMIT } from '../servers/contenders.ts';
import { count, DASH } from './format.ts';
import { MEASURES } from './measures.ts';
import type { Row } from './summary.ts';
import { noiseOf } from './summary.ts';
import { textTable } from './table.ts';

export interface Table {
  readonly title: string;
  readonly note?: string | undefined;
  /** The first cell is left to the reader of the table: in a terminal it is the title. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly isForTerminal?: true | undefined;
}

/** Every table of a run: one for each measure, and what belongs to a server as a whole. */
export const tablesOf = (results: Results, rows: readonly Row[]): Table[] => {
  const codes = results.workloads.map(({ code }) => code);
  const servers = rows.filter(({ name }) => name !== LIMIT.name);
  const measures = MEASURES.map(
    ({ title, note, show, isForTerminal, isWithoutLimit }): Table => ({
      title,
      note,
      isForTerminal,
      head: codes,
      rows: (isWithoutLimit ? servers : rows).map(({ label, figures }) => [
        label,
        ...codes.map((code) => {
          const cell = figures.get(code);
          return cell ? show(cell) : DASH;
        }),
      ]),
    }),
  );
  return [
    ...measures,
    ...watchingTables(results),
    ...statementsTable(results, servers),
    {
      title: 'Processes',
      note: 'Start: until the first answer, on a ready database. Memory (RSS): when it has started, and the most after load.',
      head: ['start, ms', 'RSS idle, MB', 'RSS loaded, MB'],
      rows: servers.map(({ label, startupMs, rssIdleMb, rssLoadedMb }) => [
        label,
        ...[startupMs, rssIdleMb, rssLoadedMb].map((value) => count(value)),
      ]),
    },
  ];
};

/** All tables for the terminal. */
export const toText = (results: Results, rows: readonly Row[]): string =>
  [
    ...tablesOf(results, rows).map(({ title, head, rows: cells }) => textTable([title, ...head], cells)),
    ...noiseOf(results),
  ].join('\n\n');

/** None after a quick run. */
const statementsTable = ({ workloads, statements }: Results, servers: readonly Row[]): Table[] => {
  if (Object.keys(statements).length === 0) return [];
  const codes = workloads.map(({ code }) => code);
  return [
    {
      title: 'Statements a request',
      isForTerminal: true,
      note: 'What one request alone sends to PostgreSQL, counted by a proxy in between.',
      head: codes,
      rows: servers.map(({ name, label }) => [label, ...codes.map((code) => count(statements[name]?.[code]))]),
    },
  ];
};

const BASELINE = 'gateway-unwatched';
const WATCHED = ['gateway', 'gateway-logged', 'gateway-traced'];

/** What it costs to watch the gateway; none where the unwatched one was not measured. Round by round, so that the machine's moods cancel out. */
const watchingTables = ({ samples, servers, workloads }: Results): Table[] => {
  const cpuOf = (server: string, workload: string, round: number): number =>
    samples.find((sample) => sample.server === server && sample.workload === workload && sample.round === round)
      ?.cpuUsPerRequest ?? Number.NaN;
  const costOf = (server: string, workload: string): string => {
    const rounds = new Set(samples.map(({ round }) => round));
    const ratios = [...rounds].map((round) => cpuOf(server, workload, round) / cpuOf(BASELINE, workload, round));
    const percent = (medianOf(ratios) - 1) * 100;
    return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
  };
  const watched = servers.filter(({ name }) => WATCHED.includes(name));
  if (watched.length === 0 || !servers.some(({ name }) => name === BASELINE)) return [];
  return [
    {
      title: 'What watching costs',
      note: 'CPU of the server for a request, against the gateway without metrics in the same round; medians.',
      head: workloads.map(({ code }) => code),
      rows: watched.map(({ name, label }) => [label, ...workloads.map(({ code }) => costOf(name, code))]),
    },
  ];
};
