import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
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
  /** By name of package or program. */
  readonly versions: Readonly<Record<string, string>>;
}

const PACKAGES = [
  'fastify',
  'pg',
  'mercurius',
  'graphql-jit',
  'graphql',
  'graphql-yoga',
  '@pothos/core',
  '@pothos/plugin-prisma',
  '@prisma/client',
  '@prisma/adapter-pg',
];

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

interface Programs {
  readonly postgres: string;
  readonly wrk: string;
  readonly cores: Cores | undefined;
}

export const describeMachine = async ({ postgres, wrk, cores }: Programs): Promise<Machine> => {
  const lock: Lock = JSON.parse(await readFile(path.join(import.meta.dirname, '../../package-lock.json'), 'utf8'));
  return {
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
      ...Object.fromEntries(PACKAGES.map((name) => [name, installedVersions(lock, name).join(' and ')])),
    },
  };
};

/** A package may be there more than once: `graphql` is. */
const installedVersions = ({ packages }: Lock, name: string): string[] => {
  const found = Object.entries(packages)
    .filter(
      ([place]) =>
        place === `node_modules/${name}` || (place.startsWith('bench/') && place.endsWith(`/node_modules/${name}`)),
    )
    .map(([, { version }]) => version ?? '');
  return [...new Set(found)];
};

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
