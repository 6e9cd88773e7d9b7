/** How late the event loop gets to what is due. */
export interface LoopLag {
  /** The least of the last few looks, in milliseconds: one long pause (a collection of garbage, a burst) is none, a loop that is always late is. */
  readonly standingMs: () => number;
  readonly stop: () => void;
}

const LOOK_MS = 50;
const LOOKS = 4;

/** By a timer's own lateness: Node's histogram of the delay would wake an idle process more often, and keeps no order. */
export const watchLoopLag = (): LoopLag => {
  const lagsMs = new Array<number>(LOOKS).fill(0);
  let looks = 0;
  let lastMs = performance.now();
  let standingMs = 0;
  const looking = setInterval(() => {
    const nowMs = performance.now();
    lagsMs[looks % LOOKS] = nowMs - lastMs - LOOK_MS;
    looks += 1;
    lastMs = nowMs;
    standingMs = Math.min(...lagsMs);
  }, LOOK_MS).unref();
  return { standingMs: () => standingMs, stop: () => clearInterval(looking) };
};
