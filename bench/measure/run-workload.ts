import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BenchDatabases } from '../database/database.ts';
import { type Cores, moveToCore } from '../machine/cores.ts';
import { rssMbOf } from '../machine/process-usage.ts';
import type { Contender } from '../servers/contenders.ts';
import { type RunningServer, startServer } from '../servers/start.ts';
import { firstCallOf } from '../workloads/expect.ts';
import { callOf, type Method, type Workload } from '../workloads/workload.ts';
import { type Bench, type Cell, loadCell, measureCell, methodOf, questionsFor, type Sample } from './cell.ts';
import { openBackOffice, TooFewChanges } from './changes.ts';
import { type LimitAnswers, type LimitForm, startLimit, warmLimit } from './limit.ts';
import { settle } from './usage.ts';

export interface WorkloadRun {
  readonly samples: Sample[];
  readonly starts: { readonly server: string; readonly startupMs: number; readonly rssMb: number | undefined }[];
  /** How the limit wrote its bodies. */
  readonly limitForm: LimitForm;
}

export interface RunOptions {
  readonly bench: Bench;
  readonly cores: Cores | undefined;
  readonly databases: Omit<BenchDatabases, keyof AsyncDisposable>;
  readonly contenders: readonly Contender[];
  readonly rounds: number;
  readonly seconds: number;
  /** How the limit is known to write the bodies of a workload; where it is not, both ways are tried. */
  readonly limitForms: Readonly<Record<string, LimitForm>>;
  /** For the requests and the answers of the limit. */
  readonly directory: string;
  readonly onSample: (sample: Sample) => void;
  /** A cell has no sample of this round. */
  readonly onLeftOut: (cell: Cell, round: number, reason: string) => void;
}

/** Measures every server on one workload: all start, are warmed, and are then visited in turn, round by round. */
export const runWorkload = async (
  workload: Workload,
  answers: LimitAnswers,
  options: RunOptions,
): Promise<WorkloadRun> => {
  const { bench, cores, databases, contenders, rounds, seconds } = options;
  await using running = new AsyncDisposableStack();
  const cellOptions = { ...options, running };
  const starts: WorkloadRun['starts'] = [];

  const limit = running.use(await startLimit(answers));
  const limitCells: Cell[] = [];
  for (const method of answers.methods) limitCells.push(await createCell(limit, workload, method, cellOptions));
  const cells: Cell[] = [];
  for (const contender of contenders) {
    const method = methodOf(contender, workload);
    if (method === undefined) continue;
    const server = running.use(await startContender(contender, options));
    starts.push({ server: contender.name, startupMs: server.startupMs, rssMb: rssMbOf(server.pid) });
    cells.push(await createCell(server, workload, method, cellOptions));
  }

  const servers = [...cells.map(({ server }) => server), limit];
  // A gateway fills its index in half the time while it has all cores.
  const settleAll = async (): Promise<void> => {
    for (const { pid } of servers) await settle(pid, bench.postmaster);
  };
  const knownForm = options.limitForms[workload.code];
  const [warmedForm] = await Promise.all([knownForm && warmLimit(limitCells, bench, knownForm), settleAll()]);
  if (cores) for (const { pid } of servers) moveToCore(cores.server, pid);

  // To choose a form is to measure, which needs a machine that does nothing else.
  const limitForm = warmedForm ?? (await warmLimit(limitCells, bench, undefined));
  for (const cell of cells) await warm(cell, options);

  const samples: Sample[] = [];
  const nextRounds = new Map<Cell, number>();
  for (let round = 0; round < rounds; round += 1) {
    for (const cell of [...limitCells, ...cells]) {
      if (round < (nextRounds.get(cell) ?? 0)) continue;
      bench.signal.throwIfAborted();
      try {
        const sample = await measureCell(bench, cell, round, seconds);
        samples.push(sample);
        // What is so slow that its measurement was made longer is measured less often.
        nextRounds.set(cell, round + Math.max(1, Math.round(sample.requests / sample.requestsPerSecond / seconds)));
        options.onSample(sample);
      } catch (error) {
        if (!(error instanceof TooFewChanges)) throw error;
        options.onLeftOut(cell, round, error.message);
      }
    }
  }
  // Counting left dead rows behind, which later workloads would pay for.
  if (workload.countsViews) {
    for (const { client } of [databases.shared, databases.prisma]) await client.query('vacuum notice');
  }
  return { samples, starts, limitForm };
};

/**
 * How long a server is loaded before its first round, in seconds.
 *
 * What executes documents is compiled later than what answers from memory: a product took 69 µs after 2 s with the cache off, and 50 after 3. First asked,
 * with dozens of documents, two categories by price took 150 µs at first, 93 after 8 s and 80 after 15. While 1,000 products a second change, what reads them
 * again is called so seldom that V8 compiles it for a quarter of a minute: a request took 36 µs at first, 31 after 15 s. From memory a page of notices took
 * 14.3 µs after 1 s, 12.9 after 2 and 12.4 from then on; a counted notice 22.5 after 3 s, 16.5 after 5.
 */
export const WARM_UPS = {
  /** From memory. */
  warm: 3,
  /** From memory, with views that are counted. */
  counting: 5,
  /** From memory, while products change. */
  changing: 12,
  firstAsked: 8,
  others: 6,
};

const warmUpOf = ({ isWarm, isFirstAsked, changesPerSecond }: Contender, { countsViews }: Workload): number => {
  if (isFirstAsked) return WARM_UPS.firstAsked;
  if (changesPerSecond) return WARM_UPS.changing;
  if (!isWarm) return WARM_UPS.others;
  return countsViews ? WARM_UPS.counting : WARM_UPS.warm;
};

export const warm = async (cell: Cell, { bench, rounds }: Pick<RunOptions, 'bench' | 'rounds'>): Promise<void> => {
  const { server, workload, method, questions } = cell;
  const { isWarm, isFirstAsked } = server.contender;
  const learned = isFirstAsked ? [...(workload.first?.rows ?? []), ...questions] : isWarm ? questions : [];
  await server.client.callAll(learned.map((question) => callOf(workload, question, method)));
  await loadCell(bench, cell, rounds, warmUpOf(server.contender, workload));
  await settle(server.pid, bench.postmaster);
};

/** @param running gets what has to be closed once all is measured */
export const createCell = async (
  server: RunningServer,
  workload: Workload,
  method: Method,
  { databases, directory, running }: Pick<RunOptions, 'databases' | 'directory'> & { running: AsyncDisposableStack },
): Promise<Cell> => {
  const questions = questionsFor(server.contender, workload);
  const requestFile = path.join(directory, `${workload.code}.${server.contender.name}.${method}`);
  const templates = server.contender.isFirstAsked ? workload.first?.templates : undefined;
  const lines =
    templates ??
    questions.map((question) => {
      const { target, body } = callOf(workload, question, method);
      return body ?? target;
    });
  await writeFile(requestFile, lines.join('\n'));
  const { client: database, url } = databases[server.contender.database ?? 'shared'];
  const { changesPerSecond } = server.contender;
  const backOffice =
    changesPerSecond === undefined
      ? undefined
      : running.adopt(await openBackOffice(url, changesPerSecond), ({ sessions }) => sessions.end());
  return { server, database, backOffice, workload, method, questions, requestFile };
};

export const startContender = (
  contender: Contender,
  { databases }: Pick<RunOptions, 'databases'>,
): Promise<RunningServer> =>
  startServer({
    contender,
    environment: { DATABASE_URL: databases[contender.database ?? 'shared'].url },
    firstCall: firstCallOf(contender),
  });
