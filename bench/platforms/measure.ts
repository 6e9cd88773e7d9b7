import { deepStrictEqual } from 'node:assert';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runWrk } from '../load/wrk.ts';
import { rssMbOf } from '../machine/process-usage.ts';
import { readUsage, settle, usedBetween } from '../measure/usage.ts';
import type { RunningServer } from '../servers/start.ts';
import type { Call } from '../workloads/workload.ts';
import type { Question } from './questions.ts';

/** A server, and in which form it is asked. */
export interface Platform {
  readonly server: RunningServer;
  readonly form: 'vitrine' | 'vendure';
  /** It is asked everything once before. */
  readonly isWarm?: boolean;
}

/** What a server did in one round. CPU times are of a request. */
type Sample = Readonly<Record<'perSecond' | 'p95Ms' | 'serverUs' | 'postgresUs' | 'rssMb', number>>;

interface Bench {
  readonly postmaster: number | undefined;
  readonly loadCore: number | undefined;
  /** For the requests. */
  readonly directory: string;
  readonly rounds: number;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** How many inputs all servers are asked before the rounds, and after, to compare what they say. */
const COMPARED = 8;
const WARM_UP_S = 8;
const ROUND_S = 5;
/** A round is longer where a slow server would not have answered so many on each connection. */
const ANSWERS_A_CONNECTION = 3;
const LONGEST_ROUND_S = 90;

const callsOf = (question: Question, form: Platform['form']): Call[] => {
  const query = question[form].query.replaceAll(/\s+/g, ' ');
  return question.variables.map((variables) => {
    return { method: 'POST', target: '/graphql', body: JSON.stringify({ query, variables }) };
  });
};

/** @throws Error when servers do not say the same of the same */
const compare = async (question: Question, platforms: readonly Platform[]): Promise<void> => {
  const step = Math.ceil(question.variables.length / COMPARED);
  const start = Math.floor(Math.random() * step);
  const said = [];
  for (const { server, form } of platforms) {
    const answers = [];
    for (const call of callsOf(question, form).filter((_, index) => index % step === start)) {
      const { body } = await server.client.call(call);
      const { data, errors } = JSON.parse(body.toString());
      if (errors !== undefined) throw server.withOutput(new Error(`${call.body} was answered ${body}`));
      answers.push(question[form].facts(data).toSorted());
    }
    said.push(answers);
  }
  for (const each of said) deepStrictEqual(each, said[0]);
};

const load = async ({ server }: Platform, question: Question, file: string, seconds: number, bench: Bench) => {
  const { postmaster, loadCore, signal, log } = bench;
  const before = readUsage(server.pid, postmaster);
  const { connections } = question;
  const options = { url: server.url, args: ['POST', file, Date.now() % 1e6], connections, seconds };
  const result = await runWrk({ ...options, core: loadCore, signal });
  const used = usedBetween(before, readUsage(server.pid, postmaster));
  const rssMb = rssMbOf(server.pid) ?? Number.NaN;
  const { requests, durationUs, badStatus, socketErrors, timeouts } = result;
  if (badStatus + socketErrors + timeouts > 0) throw server.withOutput(new Error(JSON.stringify(result)));
  // A slow server is busy for a minute with what nobody waits for any more.
  for (const _ of 'abc') await settle(server.pid, postmaster);
  const perSecond = (requests / durationUs) * 1_000_000;
  const p95Ms = result.p95Us / 1000;
  log(`  ${server.contender.label}: ${perSecond.toFixed(1)} a second, p95 ${p95Ms.toFixed(1)} ms`);
  const [serverUs, postgresUs] = [used.server, used.postgres].map((us = Number.NaN) => us / requests);
  return { perSecond, p95Ms, serverUs, postgresUs, rssMb } as Sample;
};

/** What all servers did with one question, in their order: they are compared and warmed, and then visited in turn, round by round. */
export const measure = async (
  question: Question,
  platforms: readonly Platform[],
  bench: Bench,
): Promise<Sample[][]> => {
  bench.log(question.title);
  await compare(question, platforms);
  const cells: { platform: Platform; file: string; seconds: number; samples: Sample[] }[] = [];
  for (const platform of platforms) {
    const calls = callsOf(question, platform.form);
    const file = path.join(bench.directory, `${cells.length}.requests`);
    await writeFile(file, calls.map(({ body }) => body).join('\n'));
    // One after the other: a gateway whose machine is busy refuses what 32 ask at once.
    for (const call of platform.isWarm ? calls : []) {
      bench.signal.throwIfAborted();
      await platform.server.client.call(call);
    }
    const { perSecond } = await load(platform, question, file, WARM_UP_S, bench);
    const neededS = Math.ceil((ANSWERS_A_CONNECTION * question.connections) / perSecond);
    cells.push({ platform, file, seconds: Math.min(Math.max(ROUND_S, neededS), LONGEST_ROUND_S), samples: [] });
  }
  for (let round = 0; round < bench.rounds; round += 1)
    for (const { platform, file, seconds, samples } of cells)
      samples.push(await load(platform, question, file, seconds, bench));
  await compare(question, platforms);
  return cells.map(({ samples }) => samples);
};
