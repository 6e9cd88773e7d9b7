import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface Stat {
  readonly parent: number;
  readonly command: string;
  /** Time that all its threads have spent on a core, in user and kernel mode. */
  readonly cpuUs: number;
  /** The same of the processes that it has started, and that have ended. */
  readonly endedUs: number;
}

let usPerTick: number | undefined;

const tickUs = (): number => {
  usPerTick ??= 1_000_000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return usPerTick;
};

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html. Undefined where there is no such process, or no /proc. */
const readStat = (pid: number): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // A command may hold blanks and brackets: the fields begin after its last bracket.
    const end = text.lastIndexOf(')');
    const fields = text.slice(end + 2).split(' ');
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map((index) =>
      Number(fields[index]),
    );
    return {
      parent,
      command: text.slice(text.indexOf('(') + 1, end),
      cpuUs: (user + system) * tickUs(),
      endedUs: (endedUser + endedSystem) * tickUs(),
    };
  } catch {
    return undefined;
  }
};

export const cpuUsOf = (pid: number): number | undefined => readStat(pid)?.cpuUs;

/** A server with the processes that it has started. */
export const cpuUsOfAll = (pid: number): number | undefined => {
  const own = cpuUsOf(pid);
  return own === undefined ? undefined : own + sumOfChildren(pid);
};

/** Resident memory. */
export const rssMbOf = (pid: number): number | undefined => {
  try {
    const kb = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    return undefined;
  }
};

/** The server process behind a connection of ours, when it runs on this machine. */
export const findPostmaster = (backendPid: number): number | undefined => {
  const backend = readStat(backendPid);
  return backend?.command === 'postgres' ? backend.parent : undefined;
};

/** What each backend and worker of a PostgreSQL server has used, by process. */
export const cpuUsOfChildren = (parent: number): ReadonlyMap<number, number> => {
  const children = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (stat?.parent === parent) children.set(Number(name), stat.cpuUs);
  }
  return children;
};

/** What all processes have used that a PostgreSQL server has started, with those that have ended. */
export const cpuUsOfStarted = (postmaster: number): number | undefined => {
  const endedUs = readStat(postmaster)?.endedUs;
  return endedUs === undefined ? undefined : endedUs + sumOfChildren(postmaster);
};

const sumOfChildren = (pid: number): number =>
  cpuUsOfChildren(pid)
    .values()
    .reduce((sum, us) => sum + us, 0);
