import type { Logger } from 'pino';
import { createSlot } from './slot.ts';
import type { WorkerProcess } from './worker-process.ts';

/** The workers of one gateway. */
export interface Fleet {
  /** Those that serve. */
  readonly workers: () => readonly WorkerProcess[];
  /** Starts them all, and gives where they listen. Rejects with the first reason why one does not start. */
  readonly start: () => Promise<string>;
  /** Puts new workers in the place of all, one after the other. Rejects when one does not start: those that are left go on. */
  readonly restart: () => Promise<void>;
  /** Lets all finish what they have, and ends them. */
  readonly stop: () => Promise<void>;
  /** Ends them at once. */
  readonly kill: () => void;
}

interface Options {
  readonly size: number;
  readonly startWorker: () => WorkerProcess;
  /** How long a worker may take to finish what it has. */
  readonly finishMs: number;
  readonly log: Logger;
  /** Told of each that ended without having been asked to. */
  readonly onDeath: () => void;
}

/** What a worker may take beyond the time that it was given, before it is ended. */
const GRACE_MS = 500;

export const createFleet = ({ size, startWorker, finishMs, log, onDeath }: Options): Fleet => {
  const alive = new Set<WorkerProcess>();
  const start = (): WorkerProcess => {
    const worker = startWorker();
    alive.add(worker);
    void worker.ended.then(() => alive.delete(worker));
    return worker;
  };
  const slots = Array.from({ length: size }, () => createSlot({ start, retireMs: finishMs + GRACE_MS, log, onDeath }));
  const workers = (): WorkerProcess[] => slots.flatMap((slot) => slot.worker() ?? []);
  const kill = (): void => {
    for (const slot of slots) slot.close();
    for (const worker of alive) worker.kill();
  };
  let restarting: Promise<void> | undefined;
  let isAskedAgain = false;

  const restart = async (): Promise<void> => {
    do {
      isAskedAgain = false;
      for (const slot of slots) await slot.renew();
    } while (isAskedAgain);
  };

  return {
    workers,
    start: async () => {
      try {
        const [first] = await Promise.all(slots.map((slot) => slot.begin()));
        return (await first?.serving) ?? '';
      } catch (error) {
        kill();
        throw error;
      }
    },
    restart: () => {
      // What has changed since the one that is under way began, not all of its workers have seen.
      isAskedAgain = restarting !== undefined;
      restarting ??= restart().finally(() => {
        restarting = undefined;
      });
      return restarting;
    },
    stop: async () => {
      for (const slot of slots) slot.close();
      for (const worker of alive) worker.send({ kind: 'stop' });
      const overdue = setTimeout(kill, finishMs + GRACE_MS);
      await Promise.all([...alive].map(({ ended }) => ended));
      clearTimeout(overdue);
    },
    kill,
  };
};
