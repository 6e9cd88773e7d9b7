import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { CommitRecord } from '../support/commit-record.ts';
import type { Command } from '../support/process.ts';
import type { Probe } from './probe.ts';

/** Of the whole time, until caches are full and code is compiled. */
const WARM_UP_SHARE = 1 / 3;

/** What a flat line may gain or lose by chance, and what may be kept of the code that is compiled late. */
const MAX_GROWTH_BYTES = 3 * 1_048_576;

export interface Growth {
  readonly fromBytes: number;
  readonly bytes: number;
  readonly isFlat: boolean;
}

/** How much the line through the probes rises after the warm-up: that of Theil and Sen, which outliers do not turn. */
export const growthOf = (probes: readonly Probe[]): Growth => {
  const values = probes.slice(Math.floor(probes.length * WARM_UP_SHARE)).map(({ bytes }) => bytes);
  const slopes = values.flatMap((value, index) =>
    values.slice(index + 1).map((later, more) => (later - value) / (more + 1)),
  );
  const bytes = median(slopes) * (values.length - 1);
  return { fromBytes: median(values) - bytes / 2, bytes, isFlat: bytes < MAX_GROWTH_BYTES };
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

export const mebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;

/** What a process has open: files and sockets, timers and everything else that would keep it running. */
export interface Handles {
  /** Undefined where the system does not tell. */
  readonly files: number | undefined;
  readonly resources: Probe['resources'];
}

export const readHandles = async ({ child }: Command, probe: () => Promise<Probe>): Promise<Handles> => {
  const { resources } = await probe();
  const files = await readdir(`/proc/${child.pid}/fd`).catch(() => undefined);
  return { files: files?.length, resources };
};

/** Idle connections to the database are let go after 10 s. */
const SETTLE_TIMEOUT_MS = 20_000;

/** Waits until no more is open than before, and tells what stays. */
export const leftOpen = async (before: Handles, read: () => Promise<Handles>): Promise<string[]> => {
  for (const deadlineMs = performance.now() + SETTLE_TIMEOUT_MS; ; await delay(500)) {
    const now = await read();
    const more = Object.entries({ ...now.resources, files: now.files ?? 0 }).flatMap(([kind, count]) => {
      const known = kind === 'files' ? (before.files ?? 0) : (before.resources[kind] ?? 0);
      return count > known ? [`${count - known} more of ${kind} than before the traffic`] : [];
    });
    if (more.length === 0 || performance.now() > deadlineMs) return more;
  }
};

export interface BusyWatch {
  /** For how long this process had to wait for its turn. */
  readonly lateMs: () => number;
  readonly stop: () => void;
}

const TICK_MS = 50;
/** Whoever waits so long for a processor misses deadlines that are none of the gateway's fault. */
const MAX_LATE_MS = 200;

/** While other programs take the machine for themselves, answers may be late or refused; wrong ones are wrong all the same. */
export const watchMachine = (record: CommitRecord): BusyWatch => {
  let lateMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const byMs = nowMs - lastMs - TICK_MS;
    if (byMs > MAX_LATE_MS) {
      lateMs += byMs;
      record.excuse(lastMs, nowMs);
    }
    lastMs = nowMs;
  }, TICK_MS);
  return { lateMs: () => lateMs, stop: () => clearInterval(timer) };
};
