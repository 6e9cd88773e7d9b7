import path from 'node:path';
import type { LoadResult } from '../load/wrk.ts';
import { cpuUsOf } from '../machine/process-usage.ts';
import { LIMIT, SOURCE } from '../servers/contenders.ts';
import { recordAnswers } from '../servers/known-answers.ts';
import { type RunningServer, startServer } from '../servers/start.ts';
import { callOf, type Method, type Workload } from '../workloads/workload.ts';
import { type Bench, type Cell, loadCell, questionsFor } from './cell.ts';
import { medianOf } from './median.ts';
import { type RunOptions, startContender, WARM_UP_S } from './run-workload.ts';

interface StartedLimit {
  readonly limit: RunningServer;
  /** The median size of its bodies, by method. */
  readonly bodyBytes: Partial<Record<Method, number>>;
}

/** Starts the limit with the answers of a gateway that runs for that alone. */
export const startLimit = async (
  workload: Workload,
  methods: readonly Method[],
  options: RunOptions,
): Promise<StartedLimit> => {
  const questions = questionsFor(LIMIT, workload);
  const calls = methods.flatMap((method) => questions.map((question) => callOf(workload, question, method)));
  const [firstCall] = calls;
  if (firstCall === undefined) throw new Error(`${workload.code} asks nothing`);
  const file = path.join(options.directory, `${workload.code}.answers`);
  const bodyBytes: StartedLimit['bodyBytes'] = {};
  {
    await using source = await startContender(SOURCE, options);
    const answers = await recordAnswers(source.client, calls, file);
    for (const method of methods) {
      bodyBytes[method] = medianOf(
        answers.filter(({ call }) => call.method === method).map(({ body }) => body.byteLength),
      );
    }
  }
  const environment = { ANSWERS: file };
  return {
    limit: await startServer({ contender: LIMIT, environment, core: options.cores?.server, firstCall }),
    bodyBytes,
  };
};

/**
 * Warms the limit in both ways in which it can write a body, and leaves it with the faster one. Which one that is depends on the size of the
 * bodies alone, so one method decides for both.
 * @returns what it was left with
 */
export const warmLimit = async ([first, ...others]: readonly Cell[], options: RunOptions): Promise<string> => {
  if (first === undefined) throw new Error('The limit has no method.');
  const form = await chooseForm(options.bench, first);
  for (const cell of others) await loadCell(options.bench, cell, 0, WARM_UP_S);
  return form;
};

const FORMS = ['latin1', 'buffer'] as const;
const TRY_SECONDS = 1;
const TRIES = 2;

const chooseForm = async (bench: Bench, cell: Cell): Promise<string> => {
  const cost = { buffer: Number.POSITIVE_INFINITY, latin1: Number.POSITIVE_INFINITY };
  for (let round = 0; round < TRIES; round += 1) {
    for (const form of FORMS) {
      cell.server.tell(form);
      const before = cpuUsOf(cell.server.pid);
      const result = await loadCell(bench, cell, round, TRY_SECONDS);
      const after = cpuUsOf(cell.server.pid);
      cost[form] = Math.min(cost[form], costOf(result, before, after));
    }
  }
  const best = cost.latin1 < cost.buffer ? 'latin1' : 'buffer';
  cell.server.tell(best);
  return best;
};

/** What a request takes of its core, or of time where the system does not tell. */
const costOf = ({ requests, durationUs }: LoadResult, before: number | undefined, after: number | undefined): number =>
  (before === undefined || after === undefined ? durationUs : after - before) / requests;
