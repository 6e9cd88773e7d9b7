import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { readConfig } from '../config.ts';
import { createLog } from '../observability/log.ts';
import { secretsOf } from '../observability/secrets.ts';
import { prepareDatabase } from '../prepare-database.ts';
import { type ServingGateway, serve } from '../serve.ts';
import { failureOf } from './failure.ts';
import { createPrimaryLink } from './primary-link.ts';

/** One of the processes of {@link serveByWorkers}. It ends when the primary says so, or is gone: Node sees to that. */
export const serveAsWorker = async (): Promise<void> => {
  const primary = createPrimaryLink();
  let serving: ServingGateway | undefined;
  let isEnding = false;
  let isCounting = true;
  let log: Logger | undefined;

  const end = async (how: 'stop' | 'retire', exitCode = 0): Promise<void> => {
    if (how === 'stop') void serving?.stop();
    if (isEnding) return;
    isEnding = true;
    try {
      await serving?.[how]();
      if (serving && isCounting && how === 'retire') await primary.sayFarewell(serving.metrics);
    } catch (error) {
      log?.error({ err: error }, 'the shutdown was not clean');
    }
    process.exit(exitCode);
  };

  primary.onEnd((how) => void end(how));
  // Signals of a terminal come to all its processes, and the primary is the one that heeds them. Whoever ends a worker by itself gets another.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('SIGTERM', () => primary.send({ kind: 'leaving' }));

  try {
    const config = readConfig(process.env);
    const { logLevel: level } = config;
    const workerLog = await createLog({ level, secrets: secretsOf(config), worker: cluster.worker?.id });
    log = workerLog;
    process.on('uncaughtException', (error) => {
      workerLog.fatal({ err: error }, 'an error that nobody caught');
      void end('stop', 1);
    });
    const { url } = await prepareDatabase(config, workerLog);
    isCounting = config.exposure.metrics !== 'off';
    serving = await serve(config, url, workerLog, primary.askPage);
    primary.serveMetrics(serving.metrics);
    primary.send({ kind: 'serving', url: serving.url });
  } catch (error) {
    await primary.sendAll({ kind: 'failed', failure: failureOf(error) });
    process.exit(1);
  }
};
