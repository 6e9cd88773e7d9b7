import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cpuUsOf } from '../machine/process-usage.ts';
import type { RunningServer } from '../servers/start.ts';

export interface FixedRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly target: string;
  readonly accept?: string;
  /** JSON. */
  readonly body?: string;
}

const SCRIPT = fileURLToPath(new URL('./requests.lua', import.meta.url));
const run = promisify(execFile);

/** Writes the file that {@link cpuUsOfEach} takes. */
export const writeRequests = (file: string, requests: readonly FixedRequest[]): Promise<void> => {
  const lines = requests.map(({ method, target, accept = '', body = '' }) => [method, target, accept, body].join('\t'));
  return writeFile(file, `${lines.join('\n')}\n`);
};

/** What one of the requests in a file costs a server, in microseconds of CPU: 64 are in flight, for a second, in random order. */
export const cpuUsOfEach = async ({ url, pid }: RunningServer, file: string): Promise<number> => {
  const beforeUs = cpuUsOf(pid) ?? Number.NaN;
  const { stdout } = await run('wrk', ['-t1', '-c64', '-d1s', `--script=${SCRIPT}`, url, '--', file]);
  const { requests } = JSON.parse(stdout.split('\n').findLast((line) => line.startsWith('{')) ?? '') as {
    requests: number;
  };
  return ((cpuUsOf(pid) ?? Number.NaN) - beforeUs) / requests;
};
