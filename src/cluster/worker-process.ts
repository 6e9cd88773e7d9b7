import cluster from 'node:cluster';
import { errorOf } from './failure.ts';
import { watchHandOver } from './hand-over.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** A worker as the primary sees it. */
export interface WorkerProcess {
  /** Counted up: no two workers of a primary ever have the same. */
  readonly id: number;
  readonly pid: number | undefined;
  /** Where it listens, once it answers. Rejects when it ends before. */
  readonly serving: Promise<string>;
  /** Resolves when it has ended, with its exit code or the signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly send: (message: ToWorker) => void;
  readonly onMessage: (listener: (message: FromWorker) => void) => void;
  /** Ends it at once. */
  readonly kill: () => void;
}

/**
 * Starts this very program again, with the same arguments and options of Node, as a worker.
 * @param environment what differs for it
 * @param listening the workers that listen: it is among them as long as it does
 */
export const startWorker = (environment: Readonly<Record<string, string>>, listening: Set<number>): WorkerProcess => {
  const worker = cluster.fork(environment);
  const { id } = worker;
  const leave = (): void => void listening.delete(id);
  worker.once('listening', () => listening.add(id));
  worker.process.once('disconnect', leave);
  watchHandOver(worker, () => listening.size > (listening.has(id) ? 1 : 0));
  const serving = Promise.withResolvers<string>();
  // Whoever does not wait for it hears of its end.
  serving.promise.catch(() => {});

  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    worker.once('exit', (code: number | null, signal: NodeJS.Signals | null) => resolve(code ?? signal ?? -1));
  });
  void ended.then((how) => serving.reject(new Error(`Worker ${id} ended with ${how} before it served.`)));
  // A message that crosses its end has nobody to go to.
  worker.on('error', () => {});
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'serving') serving.resolve(message.url);
    if (message.kind === 'failed') serving.reject(errorOf(message.failure));
  });

  return {
    id,
    pid: worker.process.pid,
    serving: serving.promise,
    ended,
    send: (message) => {
      if (message.kind === 'stop' || message.kind === 'retire') leave();
      if (worker.isConnected()) worker.send(message);
    },
    onMessage: (listener) => void worker.on('message', listener),
    kill: () => void worker.process.kill('SIGKILL'),
  };
};
