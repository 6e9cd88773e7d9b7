import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WorkerProcess } from './worker-process.ts';

/** One of the places that workers take, one after the other: whoever ends is replaced. */
export interface Slot {
  /** The one that serves; undefined between a death and the next. */
  readonly worker: () => WorkerProcess | undefined;
  /** Takes the first worker of the slot. Rejects when it does not start. */
  readonly begin: () => Promise<WorkerProcess>;
  /** Lets a new worker take over, and the old one finish what it has. Rejects when the new one does not start: the old one goes on. */
  readonly renew: () => Promise<void>;
  /** From now on nobody is replaced. */
  readonly close: () => void;
}

interface Options {
  readonly start: () => WorkerProcess;
  /** How long an old worker may take to finish. */
  readonly retireMs: number;
  readonly log: Logger;
  /** Told of each that ended without having been asked to. */
  readonly onDeath: () => void;
}

/** One that has served for so long has not died of its start. */
const STEADY_MS = 10_000;

const MIN_BACK_OFF_MS = 100;
const MAX_BACK_OFF_MS = 10_000;

/** @param failures how often in a row it ended soon, or did not start */
export const backOffMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(MAX_BACK_OFF_MS, MIN_BACK_OFF_MS * 2 ** (failures - 1));

export const createSlot = ({ start, retireMs, log, onDeath }: Options): Slot => {
  let current: WorkerProcess | undefined;
  let isClosed = false;
  let failures = 0;
  /** What is done with a slot is done one after the other. */
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <Value>(action: () => Promise<Value>): Promise<Value> => {
    const done = turn.then(action);
    turn = done.catch(() => {});
    return done;
  };

  const put = (worker: WorkerProcess): void => {
    current = worker;
    const sinceMs = performance.now();
    worker.onMessage(({ kind }) => {
      if (kind !== 'leaving' || current !== worker) return;
      renew().catch((error: unknown) => log.error({ err: error }, `worker ${worker.id} stays, as no other starts`));
    });
    void worker.ended.then((how) => {
      if (current !== worker || isClosed) return;
      current = undefined;
      failures = performance.now() - sinceMs > STEADY_MS ? 0 : failures + 1;
      onDeath();
      log.error(`worker ${worker.id} (process ${worker.pid}) ended with ${how}: another takes its place`);
      void inTurn(revive);
    });
  };

  const begin = async (): Promise<WorkerProcess> => {
    const worker = start();
    await worker.serving;
    put(worker);
    return worker;
  };

  const revive = async (): Promise<void> => {
    while (!(current || isClosed)) {
      await delay(backOffMs(failures));
      if (isClosed) return;
      try {
        const { id, pid } = await begin();
        log.info(`worker ${id} (process ${pid}) has taken its place`);
      } catch (error) {
        failures += 1;
        log.error({ err: error }, `a worker does not start; the next try is in ${backOffMs(failures) / 1000} s`);
      }
    }
  };

  const renew = (): Promise<void> =>
    inTurn(async () => {
      if (isClosed) return;
      const old = current;
      const { id, pid } = await begin();
      if (!old || isClosed) return;
      log.info(`worker ${id} (process ${pid}) serves in place of worker ${old.id}`);
      old.send({ kind: 'retire' });
      const overdue = setTimeout(old.kill, retireMs);
      await old.ended;
      clearTimeout(overdue);
    });

  return {
    worker: () => current,
    begin,
    renew,
    close: () => {
      isClosed = true;
    },
  };
};
