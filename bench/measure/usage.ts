import { setTimeout as delay } from 'node:timers/promises';
import { cpuUsOfAll, cpuUsOfStarted } from '../machine/process-usage.ts';

/** CPU time so far. */
export interface Usage {
  readonly serverUs: number | undefined;
  readonly postgresUs: number | undefined;
}

export const readUsage = (serverPid: number, postmaster: number | undefined): Usage => ({
  serverUs: cpuUsOfAll(serverPid),
  postgresUs: postmaster === undefined ? undefined : cpuUsOfStarted(postmaster),
});

/** CPU time between two readings, in microseconds. */
export const usedBetween = (
  before: Usage,
  after: Usage,
): { server: number | undefined; postgres: number | undefined } => ({
  server: difference(before.serverUs, after.serverUs),
  postgres: difference(before.postgresUs, after.postgresUs),
});

const difference = (before: number | undefined, after: number | undefined): number | undefined =>
  before === undefined || after === undefined ? undefined : after - before;

const POLL_MS = 100;
const TIMEOUT_MS = 20_000;
/** What a server, and PostgreSQL, may use of a core and count as idle: what they do by themselves. */
const IDLE_CORES = 0.1;

/** Waits until the answers that nobody waits for any more are done, so that what comes next has the machine to itself. */
export const settle = async (serverPid: number, postmaster: number | undefined): Promise<void> => {
  const deadline = performance.now() + TIMEOUT_MS;
  for (let before = readUsage(serverPid, postmaster); performance.now() < deadline; ) {
    await delay(POLL_MS);
    const now = readUsage(serverPid, postmaster);
    const { server = 0, postgres = 0 } = usedBetween(before, now);
    if (Math.max(server, postgres) < POLL_MS * 1000 * IDLE_CORES) return;
    before = now;
  }
};
