import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { findPort } from '../http/listen.ts';
import type { Serving } from '../serve.ts';
import { createFleet } from './fleet.ts';
import { createMetricsSum } from './metrics-sum.ts';
import { createPrimaryRegistry } from './primary-registry.ts';
import { startWorker, type WorkerProcess } from './worker-process.ts';

/** A gateway of several processes. */
export interface ServingWorkers extends Serving {
  /** Puts a new worker in the place of each, one after the other, without a request that fails. Never rejects. */
  readonly restart: () => Promise<void>;
}

/**
 * Serves by several workers, each a process with all of a gateway in it; this one, the primary, accepts connections, hands them out in turn and sees to it
 * that workers are there. It needs nothing of the gateway itself, and loads nothing of it.
 * @throws Error with the first reason why a worker does not start, as the worker had it
 */
export const serveByWorkers = async (config: Config, databaseUrl: string, log: Logger): Promise<ServingWorkers> => {
  const { workers: size, shutdownTimeoutMs } = config;
  // Workers that ask for any port must all get the same, also when all of them have died meanwhile.
  const port = config.port === 0 ? await findPort(config) : config.port;
  const environment = { DATABASE_URL: databaseUrl, PORT: String(port) };
  const counts = { deaths: 0 };
  const sum = createMetricsSum({
    own: createPrimaryRegistry({ workers: () => fleet.workers().length, deaths: () => counts.deaths }),
  });

  const listening = new Set<number>();
  const start = (): WorkerProcess => {
    const worker = startWorker(environment, listening);
    sum.add(worker);
    worker.onMessage((message) => {
      if (message.kind !== 'ask-page') return;
      const { id } = message;
      sum.page().then(
        (page) => worker.send({ kind: 'page', id, page }),
        (error: unknown) => {
          log.error({ err: error }, 'the metrics of the workers do not add up');
          worker.send({ kind: 'page', id });
        },
      );
    });
    return worker;
  };

  const fleet = createFleet({
    size,
    startWorker: start,
    finishMs: shutdownTimeoutMs,
    log,
    onDeath: () => {
      counts.deaths += 1;
    },
  });
  // However this process ends, none of them is left.
  process.once('exit', fleet.kill);

  const url = await fleet.start();
  for (const { id, pid } of fleet.workers()) log.info(`worker ${id} is process ${pid}`);
  return {
    url,
    stop: fleet.stop,
    restart: async () => {
      log.info(`restarting ${size} workers, one after the other`);
      try {
        await fleet.restart();
        log.info('all workers are new');
      } catch (error) {
        log.error({ err: error }, 'the restart has ended early: a new worker does not start, and the old ones go on');
      }
    },
  };
};
