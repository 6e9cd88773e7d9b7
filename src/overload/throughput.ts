/** Recent throughput. */
export interface Throughput {
  readonly add: (nowMs: number) => void;
  /** Completions per millisecond, averaged over the window or the time since the last reset, whichever is shorter. */
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
      // The current slot is incomplete, so the window is shorter by the rest of it.
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
