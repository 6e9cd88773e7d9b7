import type { CommitRecord } from '../support/commit-record.ts';

export interface BusyWatch {
  /** For how long this process had to wait for its turn. */
  readonly lateMs: () => number;
  readonly stop: () => void;
}

const TICK_MS = 50;
/** Whoever waits so long for a processor misses deadlines that are none of the gateway's fault. */
const MAX_LATE_MS = 200;

/** While other programs take the machine for themselves, answers may be late or refused; wrong ones are wrong all the same. */
export const watchMachine = (record: CommitRecord): BusyWatch => {
  let lateMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const byMs = nowMs - lastMs - TICK_MS;
    if (byMs > MAX_LATE_MS) {
      lateMs += byMs;
      record.excuse(lastMs, nowMs);
    }
    lastMs = nowMs;
  }, TICK_MS);
  return { lateMs: () => lateMs, stop: () => clearInterval(timer) };
};
