import type { Results } from '../benchmark.ts';
import { count, DASH } from './format.ts';
import { MEASURES } from './measures.ts';
import type { Row } from './summary.ts';
import { watchingTables } from './watching.ts';

export interface Table {
  readonly title: string;
  readonly note: string;
  /** The first cell is left to the reader of the table: in a terminal it is the title. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly isForTerminal?: true | undefined;
}

/** Every table of a run: one for each measure, and what belongs to a server as a whole. */
export const tablesOf = (results: Results, rows: readonly Row[]): Table[] => {
  const { workloads, statements } = results;
  const codes = workloads.map(({ code }) => code);
  const measures = MEASURES.map(
    ({ title, note, show, isForTerminal }): Table => ({
      title,
      note,
      isForTerminal,
      head: codes,
      rows: rows.map(({ label, figures }) => [
        label,
        ...codes.map((code) => {
          const cell = figures.get(code);
          return cell ? show(cell) : DASH;
        }),
      ]),
    }),
  );
  const servers = rows.filter(({ name }) => name in statements);
  return [
    ...measures,
    ...watchingTables(results),
    {
      title: 'Statements a request',
      note: 'Statements that one request alone sends to PostgreSQL, counted by a proxy in between. Medians.',
      head: codes,
      rows: servers.map(({ name, label }) => [label, ...codes.map((code) => count(statements[name]?.[code]))]),
    },
    {
      title: 'Processes',
      note: 'Start: from the start of the process to its first answer on a ready database, on one core. Memory: after the start, and the most after load.',
      head: ['start, ms', 'RSS idle, MB', 'RSS loaded, MB'],
      rows: servers.map(({ label, startupMs, rssIdleMb, rssLoadedMb }) => [
        label,
        ...[startupMs, rssIdleMb, rssLoadedMb].map((value) => count(value)),
      ]),
    },
  ];
};
