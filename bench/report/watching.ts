import type { Results } from '../benchmark.ts';
import { medianOf } from '../measure/median.ts';
import type { Table } from './tables.ts';

const BASELINE = 'gateway-unwatched';

/** What it costs to watch the gateway; none where the unwatched one was not measured. Round by round, so that the machine's moods cancel out. */
export const watchingTables = ({ samples, servers, workloads }: Results): Table[] => {
  const cpuOf = (server: string, workload: string, round: number): number =>
    samples.find((sample) => sample.server === server && sample.workload === workload && sample.round === round)
      ?.cpuUsPerRequest ?? Number.NaN;
  const costOf = (server: string, workload: string): string => {
    const rounds = new Set(samples.map(({ round }) => round));
    const ratios = [...rounds].map((round) => cpuOf(server, workload, round) / cpuOf(BASELINE, workload, round));
    const percent = (medianOf(ratios) - 1) * 100;
    return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
  };
  const watched = servers.filter(
    ({ name }) => name.startsWith('gateway') && name !== 'gateway-off' && name !== BASELINE,
  );
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
