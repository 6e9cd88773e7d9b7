import type { RestartableDatabase } from '../support/restartable-database.ts';
import { expectHonest, type Load, stored, type View } from '../support/views.ts';
import type { Instance } from './instance.ts';
import { type Growth, mebibytes } from './observations.ts';
import type { Probe } from './probe.ts';
import { HEAD_ONLY_ID } from './requests.ts';

/** Views of all loads together: the instances count the same notices. */
export const viewFaults = async (database: RestartableDatabase, loads: readonly Load[]): Promise<string[]> => {
  const tally = new Map<number, { sent: number; readonly views: View[] }>();
  for (const [id, { sent, views }] of loads.flatMap((load) => [...load.tally])) {
    const known = tally.get(id) ?? { sent: 0, views: [] };
    tally.set(id, { sent: known.sent + sent, views: [...known.views, ...views] });
  }
  const faults: string[] = [];
  await expectHonest(database, tally).catch((error: Error) => faults.push(error.message));
  const headOnly = await stored(database, HEAD_ONLY_ID);
  if (headOnly > 0) faults.push(`a notice that nothing but HEAD asked for was counted ${headOnly} times`);
  return faults;
};

export const memoryFaults = ({ bytes, isFlat }: Growth, probes: readonly Probe[]): string[] =>
  isFlat ? [] : [`it grew by ${mebibytes(bytes)}: ${probes.map((each) => mebibytes(each.bytes)).join(', ')}`];

/** A masked 500 and an error that nobody caught are logged as errors; a database that is away is a warning. */
export const logFaults = ({ process, url }: Instance): string[] =>
  process()
    .command.output()
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line))
    .map((line) => `${url}: ${line.slice(0, 600)}`);

export const shutdownFaults = async ({ process, url }: Instance): Promise<string[]> => {
  const { child, ended } = process().command;
  child.kill('SIGTERM');
  const code = await ended;
  return code === 0 ? [] : [`${url} ended with ${code}`];
};

/** What broke, in words: the first of each kind, and how many there were. */
export interface Findings {
  readonly add: (kind: string, faults: readonly string[]) => void;
  readonly list: () => string[];
}

const SHOWN_OF_A_KIND = 3;

export const createFindings = (): Findings => {
  const kinds = new Map<string, { shown: string[]; count: number }>();
  return {
    add: (kind, faults) => {
      if (faults.length === 0) return;
      const found = kinds.get(kind) ?? { shown: [], count: 0 };
      kinds.set(kind, found);
      found.count += faults.length;
      found.shown.push(...faults.slice(0, SHOWN_OF_A_KIND - found.shown.length));
    },
    list: () =>
      [...kinds].flatMap(([kind, { shown, count }]) => [
        ...shown.map((fault) => `${kind}: ${fault}`),
        ...(count > shown.length ? [`${kind}: … ${count} in all`] : []),
      ]),
  };
};
