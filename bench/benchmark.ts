import { catalogueOf } from './database/catalogue.ts';
import { openBenchDatabases } from './database/database.ts';
import { findWrk } from './load/wrk.ts';
import { chooseCores } from './machine/cores.ts';
import { describeMachine, type Machine } from './machine/machine.ts';
import { findPostmaster } from './machine/process-usage.ts';
import type { Sample } from './measure/cell.ts';
import { type LimitAnswers, recordLimit } from './measure/limit.ts';
import { type RunOptions, runWorkload, type WorkloadRun } from './measure/run-workload.ts';
import { countStatements } from './measure/statements.ts';
import type { Options } from './options.ts';
import { readLastRun } from './report/comparison.ts';
import { CONTENDERS } from './servers/contenders.ts';
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
  readonly starts: WorkloadRun['starts'];
  /** By server and workload; none in a quick run. */
  readonly statements: Readonly<Record<string, Readonly<Record<string, number>>>>;
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
  const workloads = createWorkloads(catalogue).filter(({ code }) => options.workloads?.includes(code) ?? true);
  if (workloads.length === 0) throw new Error(`There is no workload ${options.workloads}.`);
  const contenders = CONTENDERS.filter(({ name }) => options.only.includes(name));

  log('preparing the database…');
  const needed = new Set(contenders.map(({ database = 'shared' }) => database));
  await using databases = await openBenchDatabases({ catalogue, needed, serverUrl: options.databaseUrl, log });
  const { rows } = await databases.shared.client.query<{ pid: number; version: string }>(
    `select pg_backend_pid() as pid, current_setting('server_version') as version`,
  );
  const postmaster = findPostmaster(rows[0]?.pid ?? 0);
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
  const runs: [Workload, LimitAnswers, WorkloadRun][] = [];
  for (const workload of workloads) {
    log(`${workload.code} ${workload.title}`);
    const limitAnswers = answers.get(workload.code) as LimitAnswers;
    runs.push([workload, limitAnswers, await runWorkload(workload, limitAnswers, runOptions)]);
  }
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
    machine: await describeMachine({ postgres: rows[0]?.version ?? '', wrk: wrkVersion, cores }),
    workloads: runs.map(([{ code, title }, { bodyBytes }, { limitForm }]) => ({ code, title, bodyBytes, limitForm })),
    servers: contenders.map(({ name, label }) => ({ name, label })),
    samples: runs.flatMap(([, , { samples }]) => samples),
    starts: runs.flatMap(([, , { starts }]) => starts),
    statements,
  };
};

const progressOf = ({ workload, server, method, round, requestsPerSecond, cpuUsPerRequest }: Sample): string =>
  `  ${workload} round ${round + 1} ${`${server} ${method}`.padEnd(18)} ${requestsPerSecond.toFixed(0).padStart(7)}/s ${cpuUsPerRequest?.toFixed(1).padStart(9) ?? '–'} µs`;
