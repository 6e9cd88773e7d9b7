import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../errors.ts';
import { findPort } from '../http/listeners.ts';
import type { Serving } from '../serve.ts';
import { createClusterMetrics } from './metrics.ts';
import type { FromWorker, ToWorker } from './worker.ts';

interface StartedWorker {
  readonly name: string;
  readonly url: string;
  /** Resolves with its exit code or signal. */
  readonly over: Promise<number | NodeJS.Signals>;
}

/** After this time of service, an end of the worker does not count as a failed start. */
const STEADY_MS = 10_000;

const MIN_BACK_OFF_MS = 100;
const MAX_BACK_OFF_MS = 10_000;

/** Time that a worker may exceed its shutdown timeout by before it is killed. */
const GRACE_MS = 500;

/** @param failures number of starts in a row that failed or ended soon */
export const backOffMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(MAX_BACK_OFF_MS, MIN_BACK_OFF_MS * 2 ** (failures - 1));

/**
 * Serves by several worker processes, each a whole gateway that listens on the same port (`reusePort`): on Linux the system distributes the connections,
 * elsewhere Node's primary does. This process, the primary, replaces workers that end, and loads nothing of the gateway.
 * (Workers that accept from one shared socket would not lose queued connections when one of them closes, but on Linux one of two then takes nearly
 * all simultaneous connections: 62 of 64.)
 * @throws Error with the error of the first worker that cannot start
 */
export const serveByWorkers = async (config: Config, databaseUrl: string, log: Logger): Promise<Serving> => {
  const finishMs = config.shutdownTimeoutMs + GRACE_MS;
  // All workers get the same port. Whether another program has it is checked here: a socket with `reusePort` would not report that.
  const environment = { DATABASE_URL: databaseUrl, PORT: String(await findPort(config)) };
  /** Workers that have not ended, serving or not. */
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
        log.error({ err: error }, 'the metrics of the workers cannot be aggregated');
        tell(worker, { kind: 'page' });
      },
    );

  /** Starts this program as a worker, with the same arguments. Resolves when it serves. */
  const start = async (): Promise<StartedWorker> => {
    const worker = cluster.fork(environment);
    const name = `worker ${worker.id} (process ${worker.process.pid})`;
    const url = Promise.withResolvers<string>();
    const over = Promise.withResolvers<number | NodeJS.Signals>();
    running.set(worker, new Promise((resolve) => worker.once('exit', resolve)));
    worker.once('exit', (code: number | null, signal: NodeJS.Signals | null) => {
      running.delete(worker);
      url.reject(new Error(`${name} ended with ${code ?? signal} before it served`));
      over.resolve(code ?? signal ?? -1);
    });
    // A message to an ending worker may fail; it is not needed.
    worker.on('error', () => {});
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'serving') url.resolve(message.url);
      else if (message.kind === 'failed') url.reject(failureOf(message));
      else if (message.kind === 'ask-page') void sendPage(worker);
    });
    const started = { name, url: await url.promise, over: over.promise };
    metrics.add(worker);
    return started;
  };

  /** Replaces this worker, and each of its replacements, until the gateway stops. */
  const keep = async (first: StartedWorker): Promise<void> => {
    let current = first;
    for (let failures = 0; ; ) {
      const { name, over } = current;
      const sinceMs = performance.now();
      serving += 1;
      const how = await over;
      if (isStopping) return;
      serving -= 1;
      deaths += 1;
      failures = performance.now() - sinceMs > STEADY_MS ? 0 : failures + 1;
      log.error(`${name} ended with ${how}; it is replaced`);
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
      log.info(`${current.name} replaces it`);
    }
  };

  // No worker outlives this process.
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

const failureOf = ({ message, stack, isOperators }: Extract<FromWorker, { kind: 'failed' }>): Error =>
  isOperators ? new OperatorError(message) : Object.assign(new Error(message), { stack });
