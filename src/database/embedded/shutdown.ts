import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from './system-error.ts';

const POLL_MS = 10;

/** What the postmaster is sent until it ends, each with the time it gets: fast, immediate, and no choice. */
const STEPS = [
  { signal: 'SIGINT', graceMs: 15_000 },
  { signal: 'SIGQUIT', graceMs: 7_000 },
  { signal: 'SIGKILL', graceMs: 1_000 },
] as const;

/**
 * Ends the PostgreSQL server `pid`: closes its sessions and writes all out, or, past a limit, leaves that to the
 * recovery of the next start.
 */
export const shutDown = async (pid: number, isRunning: () => boolean | Promise<boolean>): Promise<void> => {
  for (const { signal, graceMs } of STEPS) {
    if (!(await isRunning())) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!hasCode(error, 'ESRCH')) throw error;
    }
    const deadline = performance.now() + graceMs;
    while (performance.now() < deadline && (await isRunning())) await delay(POLL_MS);
  }
};
