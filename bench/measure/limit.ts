import path from 'node:path';
import { LIMIT, SOURCE } from '../servers/contenders.ts';
import { recordAnswers } from '../servers/known-answers.ts';
import { type RunningServer, startServer } from '../servers/start.ts';
import { type Call, callOf, type Method, type Workload } from '../workloads/workload.ts';
import { type Bench, type Cell, type Loaded, loadCell, methodsOf, questionsFor } from './cell.ts';
import { medianOf } from './median.ts';
import { type RunOptions, startContender } from './run-workload.ts';

/** What the limit answers to a workload. */
export interface LimitAnswers {
  readonly file: string;
  readonly methods: readonly Method[];
  readonly firstCall: Call;
  /** The median size of its bodies, by method. */
  readonly bodyBytes: Partial<Record<Method, number>>;
}

/** Asks a gateway that runs for that alone for the answers to each workload, by code. */
export const recordLimit = async (
  workloads: readonly Workload[],
  options: Pick<RunOptions, 'bench' | 'contenders' | 'databases' | 'directory'>,
): Promise<Map<string, LimitAnswers>> => {
  await using source = await startContender(SOURCE, options);
  const recorded = new Map<string, LimitAnswers>();
  for (const workload of workloads) {
    options.bench.signal.throwIfAborted();
    const methods = methodsOf(options.contenders, workload);
    const questions = questionsFor(LIMIT, workload);
    const calls = methods.flatMap((method) => questions.map((question) => callOf(workload, question, method)));
    const [firstCall] = calls;
    if (firstCall === undefined) throw new Error(`${workload.code} asks nothing`);
    const file = path.join(options.directory, `${workload.code}.answers`);
    const answers = await recordAnswers(source.client, calls, file);
    const bodyBytes: LimitAnswers['bodyBytes'] = {};
    for (const method of methods) {
      bodyBytes[method] = medianOf(
        answers.filter(({ call }) => call.method === method).map(({ body }) => body.byteLength),
      );
    }
    recorded.set(workload.code, { file, methods, firstCall, bodyBytes });
  }
  return recorded;
};

export const startLimit = ({ file, firstCall }: LimitAnswers): Promise<RunningServer> =>
  startServer({ contender: LIMIT, environment: { ANSWERS: file }, firstCall });

/** How the limit can write a body. Which way is faster depends on the size of the bodies alone, so one method decides for both. */
const FORMS = ['latin1', 'buffer'] as const;
export type LimitForm = (typeof FORMS)[number];

/** It compiles within a tenth of that. */
const WARM_UP_S = 1;

/**
 * Warms the limit, and leaves it with the form that is given, or else with the faster one.
 * @returns what it was left with
 */
export const warmLimit = async (
  [first, ...others]: readonly Cell[],
  bench: Bench,
  given: LimitForm | undefined,
): Promise<LimitForm> => {
  if (first === undefined) throw new Error('The limit has no method.');
  const form = given ?? (await chooseForm(bench, first));
  first.server.tell(form);
  for (const cell of given === undefined ? others : [first, ...others]) await loadCell(bench, cell, 0, WARM_UP_S);
  return form;
};

const TRY_SECONDS = 1;
const TRIES = 2;

const chooseForm = async (bench: Bench, cell: Cell): Promise<LimitForm> => {
  const cost = { buffer: Number.POSITIVE_INFINITY, latin1: Number.POSITIVE_INFINITY };
  for (let round = 0; round < TRIES; round += 1) {
    for (const form of FORMS) {
      cell.server.tell(form);
      cost[form] = Math.min(cost[form], costOf(await loadCell(bench, cell, round, TRY_SECONDS)));
    }
  }
  return cost.latin1 < cost.buffer ? 'latin1' : 'buffer';
};

/** What a request takes of its core, or of time where the system does not tell. */
const costOf = ({ result: { requests, durationUs }, used }: Loaded): number => (used.server ?? durationUs) / requests;
