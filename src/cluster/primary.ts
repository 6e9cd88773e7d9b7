import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../errors.ts';
import { findPort } from '../http/listeners.ts';
import { createClusterMetrics } from './metrics.ts';
import type { FromWorker, ToWorker } from './worker.ts';

interface StartedWorker {
  readonly name: string;
  readonly url: string;
  /** Resolves with its exit code or signal. */
  readonly over: Promise<number | NodeJS.Signals>;
}

/** Before a worker is replaced, and before the next try where its replacement does not start: one that ends each time takes less than half a core. */
const PAUSE_MS = 1000;

/** Time that a worker may exceed its shutdown timeout by before it is killed. */
const GRACE_MS = 500;

/**
 * Serves by several worker processes, each a whole gateway that listens on the same port (`reusePort`): the system distributes the
 * connections on Linux, and Node's primary elsewhere. This process, the primary, replaces workers that end, and loads nothing of the gateway.
 * (Workers that accept from one shared socket would not lose queued connections when one of them closes, but on Linux one of two then takes nearly
 * all simultaneous connections: 62 of 64.)
 * @throws Error with the error of the first worker that cannot start
 */
export const serveByWorkers = async (config: Config, databaseUrl: string, log: Logger) => {
  // All workers get the same port. Whether another program has it is checked here: a socket with `reusePort` would not report that.
  const environment = { DATABASE_URL: databaseUrl, PORT: String(await findPort(config)) };
  const workers = new Workers(environment, log);
  // No worker outlives this process.
  process.once('exit', () => workers.kill());
  try {
    const url = await workers.serve(config.workers);
    return { url, stop: () => workers.stop(config.shutdownTimeoutMs + GRACE_MS) };
  } catch (error) {
    workers.kill();
    throw error;
  }
};

class Workers {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #log: Logger;
  /** The workers that have not ended, serving or not, and the end of each. */
  readonly #running = new Map<Worker, StartedWorker['over']>();
  readonly #metrics = createClusterMetrics({ workers: () => this.#serving, deaths: () => this.#deaths });
  #deaths = 0;
  #serving = 0;
  #isStopping = false;

  constructor(environment: Readonly<Record<string, string>>, log: Logger) {
    this.#environment = environment;
    this.#log = log;
  }

  /** Resolves with the address when all serve. @throws Error with the error of the first that cannot start */
  async serve(count: number): Promise<string> {
    const workers = await Promise.all(Array.from({ length: count }, () => this.#start()));
    for (const worker of workers) {
      this.#log.info(`${worker.name} serves`);
      void this.#keep(worker);
    }
    return workers[0]?.url ?? '';
  }

  async stop(finishMs: number): Promise<void> {
    this.#isStopping = true;
    for (const worker of this.#running.keys()) tell(worker, { kind: 'stop' });
    const overdue = setTimeout(() => this.kill(), finishMs);
    await Promise.all(this.#running.values());
    clearTimeout(overdue);
  }

  kill(): void {
    for (const worker of this.#running.keys()) worker.process.kill('SIGKILL');
  }

  /** Starts this program as a worker, with the same arguments. Resolves when it serves. */
  async #start(): Promise<StartedWorker> {
    const worker = cluster.fork(this.#environment);
    const name = `worker ${worker.id} (process ${worker.process.pid})`;
    const url = Promise.withResolvers<string>();
    const over: StartedWorker['over'] = new Promise((resolve) => {
      worker.once('exit', (code, signal) => {
        this.#running.delete(worker);
        url.reject(new Error(`${name} ended with ${code ?? signal} before it served`));
        resolve(code ?? signal);
      });
    });
    this.#running.set(worker, over);
    // A message to an ending worker may fail; it is not needed.
    worker.on('error', () => {});
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'serving') url.resolve(message.url);
      else if (message.kind === 'failed') url.reject(failureOf(message));
      else if (message.kind === 'ask-page') void this.#sendPage(worker);
    });
    const started = { name, url: await url.promise, over };
    this.#metrics.add(worker);
    return started;
  }

  /** Replaces this worker, and each of its replacements, until the gateway stops. */
  async #keep(first: StartedWorker): Promise<void> {
    for (let current: StartedWorker | undefined = first; current; current = await this.#replace()) {
      this.#serving += 1;
      const how = await current.over;
      if (this.#isStopping) return;
      this.#serving -= 1;
      this.#deaths += 1;
      this.#log.error(`${current.name} ended with ${how}; it is replaced`);
    }
  }

  /** Tries until a worker serves. Undefined where the gateway stops. */
  async #replace(): Promise<StartedWorker | undefined> {
    for (;;) {
      await delay(PAUSE_MS);
      if (this.#isStopping) return undefined;
      try {
        const started = await this.#start();
        this.#log.info(`${started.name} replaces it`);
        return started;
      } catch (error) {
        if (this.#isStopping) return undefined;
        this.#log.error({ err: error }, 'a worker does not start; it is tried again');
      }
    }
  }

  async #sendPage(worker: Worker): Promise<void> {
    const page = await this.#metrics
      .page()
      .catch((err: unknown) => void this.#log.error({ err }, 'the metrics of the workers cannot be aggregated'));
    tell(worker, { kind: 'page', page });
  }
}

const tell = (worker: Worker, message: ToWorker): void => {
  if (worker.isConnected()) worker.send(message);
};

const failureOf = ({ message, stack, isOperators }: Extract<FromWorker, { kind: 'failed' }>): Error =>
  isOperators ? new OperatorError(message) : Object.assign(new Error(message), { stack });
