import { catalogueOf } from '../database/catalogue.ts';
import { openBenchDatabases } from '../database/database.ts';
import { serverOf } from '../database/kept-database.ts';
import { findWrk } from '../load/wrk.ts';
import { describeMachine, type Machine } from '../machine/machine.ts';
import { type Cell, measureCell, methodOf, type Sample } from '../measure/cell.ts';
import { createCell, startContender, warm } from '../measure/run-workload.ts';
import { CONTENDERS, type Contender } from '../servers/contenders.ts';
import { createWorkloads } from '../workloads/workloads.ts';
import type { WorkersOptions } from './options.ts';

/** What one number of workers did in one round of one case. */
export interface WorkersSample extends Sample {
  readonly title: string;
  readonly workers: number;
}

export interface WorkersResults {
  readonly date: string;
  readonly machine: Machine;
  readonly options: WorkersOptions;
  readonly samples: readonly WorkersSample[];
}

interface Case {
  readonly code: string;
  /** The contender that is asked. */
  readonly server: string;
  readonly title: string;
}

/** Equal requests in flight share an execution, and the more workers, the fewer are in one: what is not from memory is asked for at random. */
const CASES: readonly Case[] = [
  { code: 'W2', server: 'gateway', title: 'hot 10, from memory' },
  { code: 'W1', server: 'gateway-off', title: 'product by random id, cache off' },
  { code: 'W4', server: 'gateway-off', title: 'two random categories by price, 20, cache off' },
  { code: 'W7b', server: 'gateway', title: 'notice detail, counted' },
];

interface Surroundings {
  /** For files that are needed while it runs. */
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/** @throws Error when something is missing, or a server answers wrongly */
export const measureWorkers = async (
  options: WorkersOptions,
  { directory, signal, log }: Surroundings,
): Promise<WorkersResults> => {
  const wrk = await findWrk();
  const catalogue = catalogueOf(options.products);
  const workloads = createWorkloads(catalogue);
  log('preparing the database…');
  await using databases = await openBenchDatabases({ catalogue, serverUrl: options.databaseUrl, log });
  const { version, postmaster } = await serverOf(databases.shared.client);
  // Nothing is pinned: workers, load generator and PostgreSQL share all cores.
  const bench = { postmaster, loadCore: undefined, signal };
  const samples: WorkersSample[] = [];

  for (const { code, server, title } of CASES) {
    const workload = workloads.find((each) => each.code === code);
    const contender = CONTENDERS.find(({ name }) => name === server);
    const method = workload && contender && methodOf(contender, workload);
    if (!workload || !contender || !method) throw new Error(`There is no ${code} of ${server}.`);
    log(`${code} ${title}`);
    await using running = new AsyncDisposableStack();
    const cells: [number, Cell][] = [];
    for (const workers of options.workers) {
      const started = running.use(await startContender(withWorkers(contender, workers), { databases }));
      const cell = await createCell(started, workload, method, { databases, directory, running });
      await warm(cell, { bench, rounds: options.rounds });
      cells.push([workers, cell]);
    }
    for (let round = 0; round < options.rounds; round += 1) {
      for (const [workers, cell] of cells) {
        signal.throwIfAborted();
        const sample = await measureCell(bench, cell, round, options.seconds);
        samples.push({ ...sample, title, workers });
        log(`  round ${round + 1}, WORKERS=${workers}: ${sample.requestsPerSecond.toFixed(0).padStart(7)}/s`);
      }
    }
    if (workload.countsViews) await databases.shared.client.query('vacuum notice');
  }
  const machine = describeMachine({ postgres: version, wrk, cores: undefined });
  return { date: new Date().toISOString(), machine, options, samples };
};

const withWorkers = (contender: Contender, workers: number): Contender => ({
  ...contender,
  name: `${contender.name}-workers-${workers}`,
  environment: { ...contender.environment, WORKERS: String(workers) },
});
