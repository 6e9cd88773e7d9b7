import { startStatementProxy } from '../database/statement-proxy.ts';
import type { Contender } from '../servers/contenders.ts';
import { startServer } from '../servers/start.ts';
import { firstCallOf } from '../workloads/expect.ts';
import { callOf, type Workload } from '../workloads/workload.ts';
import { methodOf, questionsFor } from './cell.ts';
import { medianOf } from './median.ts';

/** An odd number, so that what a server sends by itself now and then does not reach the median. */
const REPETITIONS = 9;

/**
 * Statements that one request costs, by workload: the median of requests one after another, each for something else where there is a choice.
 * A server that is warm has answered them all once before.
 */
export const countStatements = async (
  contender: Contender,
  workloads: readonly Workload[],
  databaseUrl: string,
): Promise<Map<string, number>> => {
  using proxy = await startStatementProxy(databaseUrl);
  const environment = { DATABASE_URL: proxy.url };
  await using server = await startServer({
    contender,
    environment,
    firstCall: firstCallOf(contender),
  });
  const counts = new Map<string, number>();
  for (const workload of workloads) {
    const method = methodOf(contender, workload);
    if (method === undefined) continue;
    const all = contender.isFirstAsked ? questionsFor(contender, workload) : workload.questions;
    const questions = Array.from({ length: REPETITIONS }, (_, index) => all[index % all.length]);
    const calls = questions.flatMap((question) => (question ? [callOf(workload, question, method)] : []));
    const rows = contender.isFirstAsked ? (workload.first?.rows ?? []) : [];
    await server.client.callAll(rows.map((question) => callOf(workload, question, method)));
    if (contender.isWarm) for (const call of calls) await server.client.call(call);
    const each: number[] = [];
    for (const call of calls) {
      const before = proxy.count();
      const { status } = await server.client.call(call);
      if (status !== 200)
        throw new Error(`${contender.name} answered ${workload.code} with ${status} behind the counting proxy`);
      each.push(proxy.count() - before);
    }
    counts.set(workload.code, medianOf(each));
  }
  return counts;
};
