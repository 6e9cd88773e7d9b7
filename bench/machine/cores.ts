import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A core for the server that is measured and another for what asks it; PostgreSQL floats. */
export interface Cores {
  readonly server: number;
  readonly load: number;
}

const TASKSET = 'taskset';

const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

/** `0-2,7` as the kernel writes sets of cores. */
const parseSet = (text: string): number[] =>
  text.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });

const canPin = (): boolean => {
  try {
    execFileSync(TASKSET, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Undefined where the system cannot pin, or has but one core. */
export const chooseCores = (): Cores | undefined => {
  const allowed = /^Cpus_allowed_list:\s*(\S+)/m.exec(readText('/proc/self/status') ?? '')?.[1];
  if (allowed === undefined || !canPin()) return undefined;
  const cores = parseSet(allowed);
  const server = cores.at(-1) ?? 0;
  // Two threads of one physical core would slow each other down.
  const siblings = parseSet(
    readText(`/sys/devices/system/cpu/cpu${server}/topology/thread_siblings_list`) ?? `${server}`,
  );
  const load = cores.find((core) => !siblings.includes(core)) ?? cores[0];
  return load === undefined || load === server ? undefined : { server, load };
};

/** Moves a process that runs to one core, with all its threads and those that it starts from then on. */
export const moveToCore = (core: number, pid: number): void => {
  execFileSync(TASKSET, ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)], { stdio: 'ignore' });
};

/** The command line that runs a command on one core. */
export const onCore = (core: number | undefined, command: readonly [string, ...string[]]): [string, ...string[]] =>
  core === undefined ? [...command] : [TASKSET, '--cpu-list', String(core), ...command];
