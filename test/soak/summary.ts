import type { BusyWatch, Handles } from './observations.ts';
import { type Growth, mebibytes } from './observations.ts';
import type { Probe } from './probe.ts';
import type { Traffic } from './traffic.ts';

interface Run {
  readonly traffic: Traffic;
  readonly machine: BusyWatch;
  readonly writes: ReadonlyMap<string, number>;
  readonly blows: ReadonlyMap<string, number>;
  readonly growth: Growth;
  readonly probes: readonly Probe[];
  readonly before: Handles;
}

/** What was done and measured, a line each. */
export const summarize = ({
  traffic: { counts, loads },
  writes,
  blows,
  growth,
  probes,
  before,
  machine,
}: Run): string[] => {
  const views = (status: number): number => loads.reduce((sum, load) => sum + load.count(status), 0);
  const resident = probes.at(-1)?.residentBytes ?? 0;
  const lateS = machine.lateMs() / 1000;
  const open = Object.entries({ ...before.resources, file: before.files ?? 0 });
  return [
    `requests     ${counts.readings} lists held against the record, ${counts.others} others, ${counts.slow} slow clients`,
    `views        ${views(200)} answered, ${views(503)} refused, ${views(0)} cut off`,
    `back office  ${told(writes)}`,
    `blows        ${told(blows)}`,
    `memory       ${mebibytes(growth.fromBytes)}, then ${growth.bytes < 0 ? '' : '+'}${mebibytes(growth.bytes)} (resident ${mebibytes(resident)})`,
    `open         ${told(new Map(open))}, before and after`,
    ...(lateS > 0 ? [`machine      busy: ${lateS.toFixed(1)} s of waiting for a processor are excused`] : []),
  ];
};

const told = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([kind, count]) => `${count} × ${kind}`).join(', ');
