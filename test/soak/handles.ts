import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from '../support/process.ts';
import type { Probe } from './probe.ts';

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
