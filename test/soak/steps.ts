import { setTimeout as delay } from 'node:timers/promises';

interface Step {
  readonly kind: string;
  readonly pauseMs: number;
}

/** Takes the steps one after another, each after its pause, again from the first when they are through. Gives how many there were of each kind. */
export const runSteps = async <Each extends Step>(
  steps: readonly Each[],
  untilMs: number,
  take: (step: Each) => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  for (;;) {
    for (const step of steps) {
      if (performance.now() + step.pauseMs > untilMs) return counts;
      await delay(step.pauseMs);
      await take(step);
      counts.set(step.kind, (counts.get(step.kind) ?? 0) + 1);
    }
  }
};
