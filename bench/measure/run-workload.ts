import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BenchDatabases } from '../database/database.ts';
import { type Cores, moveToCore } from '../machine/cores.ts';
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
  /** Whether servers were loaded with nothing before. @default true */
  readonly isFirst?: boolean;
  /** How the limit is known to write the bodies of a workload; where it is not, both ways are tried. */
  readonly limitForms: Readonly<Record<string, LimitForm>>;
  /** For the requests and the answers of the limit. */
  readonly directory: string;
  readonly onSample: (sample: Sample) => void;
  /** A cell has no sample of this round. */
  readonly onLeftOut: (cell: Cell, round: number, reason: string) => void;
}

/** Measures every server on one workload: all are warmed, and are then visited in turn, round by round. */
export const runWorkload = async (
  workload: Workload,
  answers: LimitAnswers,
  servers: readonly RunningServer[],
  options: RunOptions,
): Promise<WorkloadRun> => {
  const { bench, cores, databases, rounds, seconds } = options;
  await using running = new AsyncDisposableStack();
  const cellOptions = { ...options, running };

  const limit = running.use(await startLimit(answers));
  if (cores) moveToCore(cores.server, limit.pid);
  const limitCells: Cell[] = [];
  for (const method of answers.methods) limitCells.push(await createCell(limit, workload, method, cellOptions));
  const cells: Cell[] = [];
  for (const server of servers) {
    const method = methodOf(server.contender, workload);
    if (method !== undefined) cells.push(await createCell(server, workload, method, cellOptions));
  }

  const limitForm = await warmLimit(limitCells, bench, options.limitForms[workload.code]);
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
  return { samples, limitForm };
};

/**
 * How long a server is loaded before the first round of a workload, in seconds: of its first workload, and of a later one.
 *
 * What V8 compiles for one workload, later ones mostly find compiled; the first is a product by id: 26 µs from memory in the first second, 21 in the second and
 * 18 from then on, with the cache off 139, 175, 65, 53 and 50. What executes documents takes longer: first asked, with dozens of them, two categories by price took
 * 356 µs after 2 s, 140 after 7 and 100 after 10. While 1,000 products a second change, what reads them again is called so seldom that V8 compiles it for a
 * quarter of a minute: a request took 36 µs at first, 31 after 15 s.
 */
const WARM_UPS = {
  /** From memory. */
  warm: [2, 2],
  /** From memory, while products change. */
  changing: [12, 12],
  firstAsked: [8, 5],
  others: [3, 2],
} as const;

const warmUpOf = ({ isWarm, isFirstAsked, changesPerSecond }: Contender, isFirst: boolean): number => {
  const kind = isFirstAsked ? 'firstAsked' : changesPerSecond ? 'changing' : isWarm ? 'warm' : 'others';
  return WARM_UPS[kind][isFirst ? 0 : 1];
};

export const warm = async (
  cell: Cell,
  { bench, rounds, isFirst = true }: Pick<RunOptions, 'bench' | 'rounds' | 'isFirst'>,
): Promise<void> => {
  const { server, workload, method, questions } = cell;
  const { isWarm, isFirstAsked } = server.contender;
  const learned = isFirstAsked ? [...(workload.first?.rows ?? []), ...questions] : isWarm ? questions : [];
  await server.client.callAll(learned.map((question) => callOf(workload, question, method)));
  await loadCell(bench, cell, rounds, warmUpOf(server.contender, isFirst));
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
