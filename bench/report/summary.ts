import type { Results } from '../benchmark.ts';
import type { Sample } from '../measure/cell.ts';
import { medianOf } from '../measure/median.ts';
import { LIMIT } from '../servers/contenders.ts';

/** Medians over the rounds. What the system does not tell is NaN. */
export interface Figures {
  readonly requestsPerSecond: number;
  /** Of what the limit did in the same round with the same method. */
  readonly share: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
  /** The limit's CPU time for a request, in the same round, as a part of this one's. */
  readonly cpuShare: number;
  /** That of each round. */
  readonly cpuShares: readonly number[];
  readonly cores: number;
  readonly postgresUs: number;
  readonly postgresCores: number;
}

/** A row of the tables: a server, or one method of the limit. */
export interface Row {
  readonly name: string;
  readonly label: string;
  /** By workload; absent where the server does not have it. */
  readonly figures: ReadonlyMap<string, Figures>;
  readonly startupMs: number;
  readonly rssIdleMb: number;
  /** The most that it had at the end of any cell. */
  readonly rssLoadedMb: number;
}

export const summarise = ({ samples, workloads, servers, starts }: Results): Row[] => {
  const limits = samples.filter(({ server }) => server === LIMIT.name);
  const limitOf = ({ workload, method, round }: Sample): Sample | undefined =>
    limits.find((limit) => limit.workload === workload && limit.method === method && limit.round === round);

  const rowOf = (name: string, label: string, own: readonly Sample[]): Row => {
    const figures = workloads.flatMap(({ code }): [string, Figures][] => {
      const cell = own.filter(({ workload }) => workload === code);
      return cell.length > 0 ? [[code, figuresOf(cell, limitOf)]] : [];
    });
    const ownStarts = starts.filter(({ server }) => server === name);
    return {
      name,
      label,
      figures: new Map(figures),
      startupMs: medianOf(ownStarts.map(({ startupMs }) => startupMs)),
      rssIdleMb: medianOf(ownStarts.map(({ rssMb = Number.NaN }) => rssMb)),
      rssLoadedMb: Math.max(...own.map(({ rssMb = Number.NaN }) => rssMb)),
    };
  };

  const methods = [...new Set(limits.map(({ method }) => method))].sort();
  return [
    ...methods.map((method) =>
      rowOf(
        LIMIT.name,
        `${LIMIT.label}, ${method}`,
        limits.filter((limit) => limit.method === method),
      ),
    ),
    ...servers.map(({ name, label }) =>
      rowOf(
        name,
        label,
        samples.filter(({ server }) => server === name),
      ),
    ),
  ];
};

const figuresOf = (cell: readonly Sample[], limitOf: (sample: Sample) => Sample | undefined): Figures => {
  const median = (value: (sample: Sample) => number | undefined): number =>
    medianOf(cell.map((sample) => value(sample) ?? Number.NaN));
  const against = (value: (sample: Sample, limit: Sample) => number): number[] =>
    cell.flatMap((sample) => {
      const limit = limitOf(sample);
      return limit ? value(sample, limit) : [];
    });
  const cpuShares = against(
    (own, limit) => (limit.cpuUsPerRequest ?? Number.NaN) / (own.cpuUsPerRequest ?? Number.NaN),
  );
  return {
    requestsPerSecond: median(({ requestsPerSecond }) => requestsPerSecond),
    share: medianOf(against((own, limit) => own.requestsPerSecond / limit.requestsPerSecond)),
    p50Ms: median(({ p50Ms }) => p50Ms),
    p99Ms: median(({ p99Ms }) => p99Ms),
    cpuUs: median(({ cpuUsPerRequest }) => cpuUsPerRequest),
    cpuShare: medianOf(cpuShares),
    cpuShares,
    cores: median(({ cores }) => cores),
    postgresUs: median(({ postgresUsPerRequest }) => postgresUsPerRequest),
    postgresCores: median(({ postgresCores }) => postgresCores),
  };
};

/** The limit never waits for anything but its core: below this, somebody else had the rest. */
const WHOLE_CORE = 0.85;

/** What the limit tells of the machine, as sentences: how far the numbers may be off, and whether they can be used at all. */
export const noiseOf = ({ samples }: Results): string[] => {
  const own = samples.filter(({ server }) => server === LIMIT.name);
  const cells = [...Map.groupBy(own, ({ workload, method }) => `${workload} ${method}`).values()];
  const spreads = cells.map((rounds) => {
    const rates = rounds.map(({ requestsPerSecond }) => requestsPerSecond);
    return Math.max(...rates) / Math.min(...rates);
  });
  const disturbed = own.filter(({ cores = 1 }) => cores < WHOLE_CORE).length;
  return [
    ...(own.length > cells.length
      ? [
          `The limit's fastest round over its slowest: ${medianOf(spreads).toFixed(2)}, at worst ${Math.max(...spreads).toFixed(2)}.`,
        ]
      : []),
    ...(disturbed > 0
      ? [
          `**The machine was busy with something else**: in ${disturbed} of ${own.length} measurements the limit did not have its core to itself. Trust the CPU times, not the requests a second.`,
        ]
      : []),
  ];
};
