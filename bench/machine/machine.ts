import { execFileSync } from 'node:child_process';
import os from 'node:os';
import type { Cores } from './cores.ts';

/** What the numbers were measured on and with. */
export interface Machine {
  readonly processor: string;
  readonly processors: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly cores: Cores | undefined;
  /** Of the code that was measured; undefined outside a repository. */
  readonly commit: string | undefined;
  /** By name of program. */
  readonly versions: Readonly<Record<string, string>>;
}

interface Programs {
  readonly postgres: string;
  readonly wrk: string;
  readonly cores: Cores | undefined;
}

export const describeMachine = ({ postgres, wrk, cores }: Programs): Machine => ({
  processor: os.cpus()[0]?.model.trim() ?? 'unknown',
  processors: os.availableParallelism(),
  memoryGb: Math.round(os.totalmem() / 2 ** 30),
  system: `${os.type()} ${os.release()}`,
  cores,
  commit: findCommit(),
  versions: {
    'Node.js': process.versions.node,
    PostgreSQL: postgres,
    wrk,
  },
});

/** When and on what, for a line below a table. */
export const whenAndWhere = (): string =>
  `on ${new Date().toISOString().slice(0, 10)}, on ${os.availableParallelism()} cores (${os.cpus()[0]?.model.trim()})`;

const findCommit = (): string | undefined => {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
};
