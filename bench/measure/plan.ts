import type { Contender } from '../servers/contenders.ts';
import { hasRest, type Method, type Question, type Workload } from '../workloads/workload.ts';

/** The first method of a server that the workload can be asked with. */
export const methodOf = ({ methods }: Contender, workload: Workload): Method | undefined =>
  methods.find((method) => method === 'POST' || hasRest(workload));

export const questionsFor = ({ isWarm }: Contender, { questions, warmQuestions }: Workload): readonly Question[] =>
  (isWarm ? warmQuestions : undefined) ?? questions;

/** The methods that a workload's servers use: the limit is measured with each of them. */
export const methodsOf = (contenders: readonly Contender[], workload: Workload): Method[] => {
  const used = contenders.flatMap((contender) => methodOf(contender, workload) ?? []);
  const fallback: Method = hasRest(workload) ? 'GET' : 'POST';
  return [...new Set(used.length > 0 ? used : [fallback])].sort();
};
