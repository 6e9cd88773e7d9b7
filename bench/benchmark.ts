import { catalogueOf } from './database/catalogue.ts';
import { openBenchDatabases } from './database/database.ts';
import { serverOf } from './database/kept-database.ts';
import { findWrk } from './load/wrk.ts';
import { chooseCores, moveToCore } from './machine/cores.ts';
import { describeMachine, type Machine } from './machine/machine.ts';
import { rssMbOf } from './machine/process-usage.ts';
import { methodOf, type Sample } from './measure/cell.ts';
import { type LimitAnswers, recordLimit } from './measure/limit.ts';
import { type RunOptions, runWorkload, startContender, type WorkloadRun } from './measure/run-workload.ts';
import { countStatements } from './measure/statements.ts';
import { settle } from './measure/usage.ts';
import type { Options } from './options.ts';
import { readLastRun } from './report/comparison.ts';
import { CONTENDERS } from './servers/contenders.ts';
import type { RunningServer } from './servers/start.ts';
import type { Workload } from './workloads/workload.ts';
import { createWorkloads } from './workloads/workloads.ts';

export interface Results {
  readonly date: string;
  readonly options: Pick<Options, 'products' | 'rounds' | 'seconds'>;
  readonly machine: Machine;
  readonly workloads: readonly (Pick<Workload, 'code' | 'title'> &
    Pick<LimitAnswers, 'bodyBytes'> &
    Pick<WorkloadRun, 'limitForm'>)[];
  /** In the order of the tables. */
  readonly servers: readonly { readonly name: string; readonly label: string }[];
  readonly samples: readonly Sample[];
  readonly starts: readonly Start[];
  /** By server and workload; none in a quick run. */
  readonly statements: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** What a server took to start, and had before it was asked. */
interface Start {
  readonly server: string;
  readonly startupMs: number;
  readonly rssMb: number | undefined;
}

interface Surroundings {
  /** For files that are needed while it runs. */
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/** @throws Error when something is missing, or a server answers wrongly */
export const runBenchmark = async (options: Options, { directory, signal, log }: Surroundings): Promise<Results> => {
  const wrkVersion = await findWrk();
  const cores = chooseCores();
  const catalogue = catalogueOf(options.products);
  const named = createWorkloads(catalogue).filter(({ code }) => options.workloads?.includes(code) ?? true);
  if (named.length === 0) throw new Error(`There is no workload ${options.workloads}.`);
  const contenders = CONTENDERS.filter(({ name }) => options.only.includes(name))
    .map((contender) => ({ ...contender, workloads: options.workloadsOf[contender.name] }))
    .filter((contender) => named.some((workload) => methodOf(contender, workload)));
  // The limit alone is measured where it alone was named.
  const workloads = named.filter(
    (workload) => contenders.length === 0 || contenders.some((contender) => methodOf(contender, workload)),
  );

  log('preparing the database…');
  const needed = new Set(contenders.map(({ database = 'shared' }) => database));
  await using databases = await openBenchDatabases({ catalogue, needed, serverUrl: options.databaseUrl, log });
  const { version, postmaster } = await serverOf(databases.shared.client);
  const runOptions: RunOptions = {
    bench: { postmaster, loadCore: cores?.load, signal },
    cores,
    databases,
    contenders,
    directory,
    rounds: options.rounds,
    seconds: options.seconds,
    limitForms: options.quick ? (await readLastRun()).limitForms : {},
    onSample: (sample) => log(progressOf(sample)),
    onLeftOut: ({ server, workload }, round, reason) =>
      log(`  ${workload.code} round ${round + 1} ${server.contender.name} is left out: ${reason}`),
  };

  const answers = await recordLimit(workloads, runOptions);
  const { starts, runs } = await runWorkloads(workloads, answers, runOptions, log);
  const statements: Record<string, Record<string, number>> = {};
  for (const contender of options.quick ? [] : contenders) {
    signal.throwIfAborted();
    statements[contender.name] = Object.fromEntries(
      await countStatements(contender, workloads, databases[contender.database ?? 'shared'].url),
    );
  }

  const { products, rounds, seconds } = options;
  return {
    date: new Date().toISOString(),
    options: { products, rounds, seconds },
    machine: describeMachine({ postgres: version, wrk: wrkVersion, cores }),
    workloads: runs.map(([{ code, title }, { bodyBytes }, { limitForm }]) => ({ code, title, bodyBytes, limitForm })),
    servers: contenders.map(({ name, label }) => ({ name, label })),
    samples: runs.flatMap(([, , { samples }]) => samples),
    starts,
    statements,
  };
};

/** One workload after another, with one process of each server for all of them, as in use. */
const runWorkloads = async (
  workloads: readonly Workload[],
  answers: ReadonlyMap<string, LimitAnswers>,
  options: RunOptions,
  log: Surroundings['log'],
): Promise<{ starts: Start[]; runs: [Workload, LimitAnswers, WorkloadRun][] }> => {
  await using running = new AsyncDisposableStack();
  const servers = await startServers(options, running);
  const starts = servers.map(({ contender, startupMs, pid }) => ({
    server: contender.name,
    startupMs,
    rssMb: rssMbOf(pid),
  }));
  const runs: [Workload, LimitAnswers, WorkloadRun][] = [];
  for (const workload of workloads) {
    log(`${workload.code} ${workload.title}`);
    const limitAnswers = answers.get(workload.code) as LimitAnswers;
    runs.push([
      workload,
      limitAnswers,
      await runWorkload(workload, limitAnswers, servers, { ...options, isFirst: runs.length === 0 }),
    ]);
  }
  return { starts, runs };
};

const startServers = async (
  { bench, cores, contenders, databases }: RunOptions,
  running: AsyncDisposableStack,
): Promise<RunningServer[]> => {
  const servers: RunningServer[] = [];
  for (const contender of contenders) servers.push(running.use(await startContender(contender, { databases })));
  // A gateway fills its index in half the time while it has all cores.
  for (const { pid } of servers) await settle(pid, bench.postmaster);
  if (cores) for (const { pid } of servers) moveToCore(cores.server, pid);
  return servers;
};

const progressOf = ({ workload, server, method, round, requestsPerSecond, cpuUsPerRequest }: Sample): string =>
  `  ${workload} round ${round + 1} ${`${server} ${method}`.padEnd(18)} ${requestsPerSecond.toFixed(0).padStart(7)}/s ${cpuUsPerRequest?.toFixed(1).padStart(9) ?? '–'} µs`;
