import type { Contender } from '../servers/contenders.ts';
import { type Door, hasRest, type Question, type Workload } from '../workloads/workload.ts';

/** The first door of a server through which the workload can be asked. */
export const doorOf = ({ doors }: Contender, workload: Workload): Door | undefined =>
  doors.find((door) => door === 'POST' || hasRest(workload));

export const questionsFor = ({ isWarm }: Contender, { questions, warmQuestions }: Workload): readonly Question[] =>
  (isWarm ? warmQuestions : undefined) ?? questions;

/** The doors that a workload's servers use: the limit is measured through each of them. */
export const doorsOf = (contenders: readonly Contender[], workload: Workload): Door[] => {
  const used = contenders.flatMap((contender) => doorOf(contender, workload) ?? []);
  const fallback: Door = hasRest(workload) ? 'GET' : 'POST';
  return [...new Set(used.length > 0 ? used : [fallback])].sort();
};
