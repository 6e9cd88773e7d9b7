import type pg from 'pg';
import { CONNECTIONS, type LoadResult, runWrk } from '../load/wrk.ts';
import { rssMbOf } from '../machine/process-usage.ts';
import type { Contender } from '../servers/contenders.ts';
import type { RunningServer } from '../servers/start.ts';
import { expectRightAnswer } from '../workloads/expect.ts';
import { hasRest, type Method, type Question, type Workload } from '../workloads/workload.ts';
import { type BackOffice, TooFewChanges, whileChanging } from './changes.ts';
import { readUsage, settle, usedBetween } from './usage.ts';

/** What all cells of a run share. */
export interface Bench {
  /** The process of PostgreSQL, when it runs on this machine. */
  readonly postmaster: number | undefined;
  readonly loadCore: number | undefined;
  readonly signal: AbortSignal;
}

/** A server with what it is asked. */
export interface Cell {
  readonly server: RunningServer;
  /** What the server answers from. */
  readonly database: pg.Client;
  /** Undefined where nothing changes. */
  readonly backOffice: BackOffice | undefined;
  readonly workload: Workload;
  readonly method: Method;
  readonly questions: readonly Question[];
  /** The requests as random.lua reads them. */
  readonly requestFile: string;
}

/** No measurement is made longer from here on. */
const LONGEST_S = 16;

/** Of the changes that are wanted. */
const ENOUGH_CHANGES = 0.8;

/**
 * Loads a server for some seconds, with the checks before and after.
 * @throws Error when an answer is wrong, lost or not counted; {@link TooFewChanges}
 */
export const measureCell = (bench: Bench, cell: Cell, round: number, seconds: number): Promise<Sample> =>
  measure(bench, cell, round, seconds).catch((error: unknown) => {
    throw error instanceof TooFewChanges ? error : cell.server.withOutput(error);
  });

const measure = async (bench: Bench, cell: Cell, round: number, seconds: number): Promise<Sample> => {
  const { server, workload, method } = cell;
  await check(cell);
  const viewsBefore = workload.countsViews ? await countViews(cell.database) : 0;
  const { result, used } = await loadCell(bench, cell, round, seconds, ENOUGH_CHANGES);
  const rssMb = rssMbOf(server.pid);
  await settle(server.pid, bench.postmaster);
  assertClean(cell, result);
  // So slow that most connections were still waiting for their first answer.
  if (result.requests < CONNECTIONS / 2 && seconds < LONGEST_S) return measure(bench, cell, round, seconds * 4);
  if (workload.countsViews) assertCounted(cell, result.requests, (await countViews(cell.database)) - viewsBefore);
  await check(cell);

  return {
    workload: workload.code,
    server: server.contender.name,
    method,
    round,
    requests: result.requests,
    requestsPerSecond: (result.requests / result.durationUs) * 1_000_000,
    p50Ms: result.p50Us / 1000,
    p99Ms: result.p99Us / 1000,
    cpuUsPerRequest: used.server && used.server / result.requests,
    cores: used.server && used.server / result.durationUs,
    postgresUsPerRequest: used.postgres && used.postgres / result.requests,
    postgresCores: used.postgres && used.postgres / result.durationUs,
    rssMb,
  };
};

/** What a server did for some load, and the CPU time that it and PostgreSQL took for it. */
export interface Loaded {
  readonly result: LoadResult;
  readonly used: ReturnType<typeof usedBetween>;
}

/** Loads without checking more than what changes meanwhile. @param enough of the changes that are wanted. @default any */
export const loadCell = (bench: Bench, cell: Cell, round: number, seconds: number, enough = 0): Promise<Loaded> => {
  const { pid, url } = cell.server;
  const load = async (): Promise<Loaded> => {
    const before = readUsage(pid, bench.postmaster);
    const result = await runWrk({
      url,
      args: [cell.method, cell.requestFile, round + 1],
      seconds,
      core: bench.loadCore,
      signal: bench.signal,
    });
    return { result, used: usedBetween(before, readUsage(pid, bench.postmaster)) };
  };
  const { backOffice } = cell;
  return backOffice ? whileChanging(cell, backOffice, enough, load) : load();
};

const check = ({ server, database, workload, method, questions }: Cell): Promise<void> => {
  const question = questions[Math.floor(Math.random() * questions.length)];
  if (question === undefined) throw new Error(`${workload.code} asks nothing`);
  return expectRightAnswer(server.client, database, workload, question, method);
};

const countViews = async (database: pg.Client): Promise<number> => {
  const { rows } = await database.query<{ views: string }>('select sum(view_count) as views from notice');
  return Number(rows[0]?.views);
};

const assertClean = ({ workload }: Cell, { requests, badStatus, socketErrors, timeouts }: LoadResult): void => {
  if (badStatus + socketErrors + timeouts === 0) return;
  throw new Error(
    `${workload.code}: of ${requests} answers ${badStatus} were errors, ${socketErrors} sockets broke, ${timeouts} requests timed out`,
  );
};

/** An answer that was on its way when the load stopped is counted and not seen: one a connection at most. */
const assertCounted = ({ server, workload }: Cell, answered: number, counted: number): void => {
  if (server.contender.countsInMemory) return;
  if (counted >= answered && counted <= answered + CONNECTIONS) return;
  throw new Error(`${workload.code}: ${counted} views were counted and ${answered} answered`);
};

/** The first method of a server that the workload can be asked with; undefined where it is not asked at all. */
export const methodOf = (contender: Contender, workload: Workload): Method | undefined => {
  if (contender.workloads?.includes(workload.code) === false) return undefined;
  if (contender.isFirstAsked && !workload.first) return undefined;
  if (contender.changesPerSecond && !workload.isMixed) return undefined;
  if (contender.isForViews && !workload.countsViews) return undefined;
  return contender.methods.find((method) => method === 'POST' || hasRest(workload));
};

export const questionsFor = (
  { isWarm, isFirstAsked }: Contender,
  { questions, warmQuestions, first }: Workload,
): readonly Question[] => (isFirstAsked ? first?.draw() : isWarm ? warmQuestions : undefined) ?? questions;

/** The methods that a workload's servers use: the limit is measured with each of them. */
export const methodsOf = (contenders: readonly Contender[], workload: Workload): Method[] => {
  const used = contenders.flatMap((contender) => methodOf(contender, workload) ?? []);
  const fallback: Method = hasRest(workload) ? 'GET' : 'POST';
  return [...new Set(used.length > 0 ? used : [fallback])].sort();
};

/** What one server did in one round of one workload. */
export interface Sample {
  readonly workload: string;
  readonly server: string;
  readonly method: Method;
  readonly round: number;
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the server process; undefined where the system does not tell, as all that follow. */
  readonly cpuUsPerRequest: number | undefined;
  /** The part of one core that it had: about 1 when the server itself is what limits. */
  readonly cores: number | undefined;
  readonly postgresUsPerRequest: number | undefined;
  readonly postgresCores: number | undefined;
  readonly rssMb: number | undefined;
}
