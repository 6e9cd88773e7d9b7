/** Counts what was finished lately. */
export interface Throughput {
  readonly add: (nowMs: number) => void;
  /** How many a millisecond, on average over the window, or since the last reset if that is shorter ago. */
  readonly perMs: (nowMs: number) => number;
  readonly reset: (nowMs: number) => void;
}

const SLOTS = 10;

/** A ring of counts, each for a tenth of the window. */
export const createThroughput = (windowMs: number): Throughput => {
  const slotMs = windowMs / SLOTS;
  const counts = new Array<number>(SLOTS).fill(0);
  let total = 0;
  let current = 0;
  let resetMs = 0;

  const turnTo = (nowMs: number): void => {
    const slot = Math.floor(nowMs / slotMs);
    for (let steps = Math.min(slot - current, SLOTS); steps > 0; steps -= 1) {
      const index = (slot - steps + 1) % SLOTS;
      total -= counts[index] ?? 0;
      counts[index] = 0;
    }
    current = Math.max(current, slot);
  };

  return {
    add: (nowMs) => {
      turnTo(nowMs);
      const index = current % SLOTS;
      counts[index] = (counts[index] ?? 0) + 1;
      total += 1;
    },
    perMs: (nowMs) => {
      turnTo(nowMs);
      // The present slot is not over: the window is that much shorter.
      const coveredMs = windowMs - slotMs + (nowMs % slotMs);
      return total / Math.max(1, Math.min(coveredMs, nowMs - resetMs));
    },
    reset: (nowMs) => {
      counts.fill(0);
      total = 0;
      current = Math.floor(nowMs / slotMs);
      resetMs = nowMs;
    },
  };
};
