import { setTimeout as delay } from 'node:timers/promises';
import { cpuUsOfAll, cpuUsOfChildren } from '../machine/process-usage.ts';

/** CPU time so far. */
export interface Usage {
  readonly serverUs: number | undefined;
  /** By process. */
  readonly postgresUs: ReadonlyMap<number, number> | undefined;
}

export const readUsage = (serverPid: number, postmaster: number | undefined): Usage => ({
  serverUs: cpuUsOfAll(serverPid),
  postgresUs: postmaster === undefined ? undefined : cpuUsOfChildren(postmaster),
});

/** CPU time between two readings, in microseconds. A backend that ended in between took its share along. */
export const usedBetween = (
  before: Usage,
  after: Usage,
): { server: number | undefined; postgres: number | undefined } => {
  let postgres = 0;
  for (const [pid, us] of after.postgresUs ?? []) postgres += us - (before.postgresUs?.get(pid) ?? 0);
  return {
    server:
      before.serverUs === undefined || after.serverUs === undefined ? undefined : after.serverUs - before.serverUs,
    postgres: after.postgresUs && postgres,
  };
};

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
