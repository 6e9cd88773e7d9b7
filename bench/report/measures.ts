import { count, percent } from './format.ts';
import type { Figures } from './summary.ts';

/** One number of a cell, and how a table shows it. */
export interface Measure {
  readonly title: string;
  /** What a reader has to know of it. */
  readonly note?: string;
  readonly show: (figures: Figures) => string;
  /** Whether the page does without it: its chart has it, or it can be told from the others. */
  readonly isForTerminal?: true;
  /** Whether the limit has no row: its numbers are as it is made. */
  readonly isWithoutLimit?: true;
}

export const MEASURES: readonly Measure[] = [
  {
    title: 'Share of the limit',
    note: 'Requests a second, divided by those of the limit in the same round with the same method.',
    show: ({ share }) => percent(share),
    isForTerminal: true,
  },
  {
    title: 'Requests a second',
    show: ({ requestsPerSecond }) => count(requestsPerSecond),
  },
  {
    title: 'CPU of the server, µs a request',
    show: ({ cpuUs }) => count(cpuUs, 1),
  },
  {
    title: "The limit's CPU, as a share of the server's",
    note: 'CPU time that the limit took for a request, over what the server took: the share it would have with the machine to itself.',
    show: ({ cpuShare }) => percent(cpuShare),
    isForTerminal: true,
  },
  {
    title: 'Latency p50 / p99, ms',
    note: '64 requests are always waiting, so the p50 follows from the requests a second; the p99 shows how even the answers are.',
    show: ({ p50Ms, p99Ms }) => `${count(p50Ms, 1)} / ${count(p99Ms, 1)}`,
    isForTerminal: true,
  },
  {
    title: 'CPU of PostgreSQL, µs a request',
    note: 'Of all its processes, also those that do nothing for the request.',
    show: ({ postgresUs }) => count(postgresUs, 0),
    isWithoutLimit: true,
  },
  {
    title: 'Cores in use: server / PostgreSQL',
    note: 'A server at 1.0 is what limits its cell; below that it waits for PostgreSQL or for the load generator.',
    show: ({ cores, postgresCores }) => `${count(cores, 2)} / ${count(postgresCores, 2)}`,
    isForTerminal: true,
  },
];
