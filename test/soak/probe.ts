import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from '../support/process.ts';

/** What a process holds, right after everything that nobody needs was collected. */
export interface Probe {
  readonly number: number;
  /** Of objects and of buffers outside of the heap. */
  readonly bytes: number;
  readonly residentBytes: number;
  /** What would keep it running, by kind: https://nodejs.org/api/process.html#processgetactiveresourcesinfo */
  readonly resources: Readonly<Record<string, number>>;
}

/** Loaded before the program, it tells what the process holds whenever SIGUSR2 asks. */
export const PROBE = `--import=data:text/javascript,${encodeURIComponent(`
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  let number = 0;
  process.on('SIGUSR2', () => {
    collect();
    const { heapUsed, external, rss } = process.memoryUsage();
    const resources = Object.fromEntries(Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind)).map(([kind, all]) => [kind, all.length]));
    number += 1;
    console.log('probe ' + JSON.stringify({ number, bytes: heapUsed + external, residentBytes: rss, resources }));
  });
`)}`;

const ANSWER_TIMEOUT_MS = 5000;

/** Probes of one process, in turn. */
export const createProber = ({ child, output }: Command) => {
  let count = 0;
  return async (): Promise<Probe> => {
    count += 1;
    child.kill('SIGUSR2');
    const start = `probe {"number":${count},`;
    for (const deadlineMs = performance.now() + ANSWER_TIMEOUT_MS; performance.now() < deadlineMs; await delay(20)) {
      const text = output();
      const from = text.lastIndexOf(start);
      const to = text.indexOf('\n', from);
      if (from >= 0 && to >= 0) return JSON.parse(text.slice(from + 'probe '.length, to)) as Probe;
    }
    throw new Error(`a gateway did not answer the signal within ${ANSWER_TIMEOUT_MS} ms`);
  };
};
