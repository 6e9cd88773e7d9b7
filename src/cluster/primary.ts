import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../errors.ts';
import { findPort } from '../fast-path/listeners.ts';
import type { Serving } from '../gateway.ts';
import { createClusterMetrics } from './metrics.ts';
import type { FromWorker, ToWorker } from './worker.ts';

interface StartedWorker {
  readonly worker: Worker;
  readonly name: string;
  readonly url: string;
  /** Resolves with its exit code or the signal that ended it, or with `leaving` when it was asked to end and waits to be replaced. */
  readonly over: Promise<number | NodeJS.Signals | 'leaving'>;
}

/** A worker that has served this long did not end because of its start. */
const STEADY_MS = 10_000;

const MIN_BACK_OFF_MS = 100;
const MAX_BACK_OFF_MS = 10_000;

/** How long a worker may take beyond the time for its shutdown before it is killed. */
const GRACE_MS = 500;

/** @param failures how often in a row a worker ended soon, or did not start */
export const backOffMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(MAX_BACK_OFF_MS, MIN_BACK_OFF_MS * 2 ** (failures - 1));

/**
 * Serves by several worker processes, each with a whole gateway that listens for itself at the one port: on Linux the system distributes the connections,
 * elsewhere Node's primary does. This process, the primary, replaces workers that end, and loads nothing of the gateway.
 * (Workers that accept from one shared socket would keep connections in one queue when one of them closes, but on Linux one of two then takes nearly all
 * that come at once: 62 of 64.)
 * @throws Error with the first reason why a worker does not start, as the worker had it
 */
export const serveByWorkers = async (config: Config, databaseUrl: string, log: Logger): Promise<Serving> => {
  const finishMs = config.shutdownTimeoutMs + GRACE_MS;
  // All workers get the same port. That no other program has it is checked here: sockets that share a port do not tell.
  const environment = { DATABASE_URL: databaseUrl, PORT: String(await findPort(config)) };
  /** Those that have not ended, whether they serve or not. */
  const running = new Map<Worker, Promise<unknown>>();
  let deaths = 0;
  let serving = 0;
  let isStopping = false;
  const metrics = createClusterMetrics({ workers: () => serving, deaths: () => deaths });

  const tell = (worker: Worker, message: ToWorker): void => {
    if (worker.isConnected()) worker.send(message);
  };
  const kill = (): void => {
    for (const worker of running.keys()) worker.process.kill('SIGKILL');
  };

  const sendPage = (worker: Worker): Promise<void> =>
    metrics.page().then(
      (page) => tell(worker, { kind: 'page', page }),
      (error: unknown) => {
        log.error({ err: error }, 'the metrics of the workers do not add up');
        tell(worker, { kind: 'page' });
      },
    );

  /** Runs this program once more, with the same arguments. Resolves when it serves. */
  const start = async (): Promise<StartedWorker> => {
    const worker = cluster.fork(environment);
    const name = `worker ${worker.id} (process ${worker.process.pid})`;
    const url = Promise.withResolvers<string>();
    const over = Promise.withResolvers<number | NodeJS.Signals | 'leaving'>();
    running.set(worker, new Promise((resolve) => worker.once('exit', resolve)));
    worker.once('exit', (code: number | null, signal: NodeJS.Signals | null) => {
      running.delete(worker);
      url.reject(new Error(`${name} ended with ${code ?? signal} before it served`));
      over.resolve(code ?? signal ?? -1);
    });
    // A message to a worker that is ending cannot be delivered, and need not be.
    worker.on('error', () => {});
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'serving') url.resolve(message.url);
      else if (message.kind === 'failed') url.reject(failureOf(message));
      else if (message.kind === 'leaving') over.resolve('leaving');
      else if (message.kind === 'ask-page') void sendPage(worker);
    });
    const started = { worker, name, url: await url.promise, over: over.promise };
    metrics.add(worker);
    return started;
  };

  /** Replaces this worker, and each that has taken its place, until the gateway stops. */
  const keep = async (first: StartedWorker): Promise<void> => {
    let current = first;
    for (let failures = 0; ; ) {
      const { worker, name, over } = current;
      const sinceMs = performance.now();
      serving += 1;
      const how = await over;
      if (isStopping) return;
      if (how !== 'leaving') {
        serving -= 1;
        deaths += 1;
        failures = performance.now() - sinceMs > STEADY_MS ? 0 : failures + 1;
        log.error(`${name} ended with ${how}: another takes its place`);
      }
      for (let next: StartedWorker | undefined; !next; ) {
        await delay(backOffMs(failures));
        if (isStopping) return;
        try {
          next = current = await start();
        } catch (error) {
          if (isStopping) return;
          failures += 1;
          log.error({ err: error }, `a worker does not start; the next try is in ${backOffMs(failures) / 1000} s`);
        }
      }
      log.info(`${current.name} has taken its place`);
      if (how === 'leaving') {
        serving -= 1;
        tell(worker, { kind: 'leave' });
        setTimeout(() => worker.process.kill('SIGKILL'), finishMs).unref();
      }
    }
  };

  // However this process ends, no worker is left.
  process.once('exit', kill);

  let workers: StartedWorker[];
  try {
    workers = await Promise.all(Array.from({ length: config.workers }, start));
  } catch (error) {
    kill();
    throw error;
  }
  for (const worker of workers) {
    log.info(`${worker.name} serves`);
    void keep(worker);
  }
  return {
    url: workers[0]?.url ?? '',
    stop: async () => {
      isStopping = true;
      for (const worker of running.keys()) tell(worker, { kind: 'stop' });
      const overdue = setTimeout(kill, finishMs);
      await Promise.all(running.values());
      clearTimeout(overdue);
    },
  };
};

/** The error that a worker could not start for. */
const failureOf = ({ message, stack, isOperators }: Extract<FromWorker, { kind: 'failed' }>): Error =>
  isOperators ? new OperatorError(message) : Object.assign(new Error(message), { stack });
