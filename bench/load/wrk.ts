import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { onCore } from '../machine/cores.ts';

export interface Load {
  readonly url: string;
  /** What asks, in Lua. @default random.lua */
  readonly script?: string;
  /** Of the script. */
  readonly args: readonly (string | number)[];
  readonly seconds: number;
  /** @default CONNECTIONS */
  readonly connections?: number;
  readonly core: number | undefined;
  readonly signal: AbortSignal;
}

export interface LoadResult {
  /** Answers, those with a bad status among them. */
  readonly requests: number;
  readonly durationUs: number;
  readonly p50Us: number;
  readonly p95Us: number;
  readonly p99Us: number;
  /** Answers with a status of 400 or more. */
  readonly badStatus: number;
  readonly socketErrors: number;
  readonly timeouts: number;
}

/** How many requests are in flight at any time. */
export const CONNECTIONS = 64;

const RANDOM = path.join(import.meta.dirname, 'random.lua');

// The slowest server needs 30 s and more for an answer while others wait; that is slow, not failed.
const TIMEOUT = '120s';

const run = promisify(execFile);

/** @throws Error saying what to install when there is no `wrk` */
export const findWrk = async (): Promise<string> => {
  // It has no flag that ends with 0: `-v` prints the version and then its usage.
  const output = await run('wrk', ['-v']).catch((error: NodeJS.ErrnoException & { stdout?: string }) => {
    if (error.code !== 'ENOENT') return { stdout: error.stdout ?? '' };
    throw new Error(
      'The benchmark needs the load generator wrk. Debian, Ubuntu: apt-get install wrk. macOS: brew install wrk.',
    );
  });
  return /^wrk (?:debian\/)?([\d.]+)/.exec(output.stdout)?.[1] ?? 'of unknown version';
};

/** Keeps every connection busy for the time, from one thread. */
export const runWrk = async ({
  url,
  script = RANDOM,
  args,
  seconds,
  connections = CONNECTIONS,
  core,
  signal,
}: Load): Promise<LoadResult> => {
  const options = ['--threads=1', `--connections=${connections}`, `--duration=${seconds}s`, `--timeout=${TIMEOUT}`];
  const [command, ...rest] = onCore(core, ['wrk', ...options, '--latency', `--script=${script}`, url]);
  const { stdout } = await run(command, [...rest, '--', ...args.map(String)], { signal });
  const json = stdout.split('\n').findLast((line) => line.startsWith('{'));
  if (json === undefined) throw new Error(`wrk printed no result:\n${stdout}`);
  return JSON.parse(json) as LoadResult;
};
