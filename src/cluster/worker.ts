import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { readConfig, secretsOf } from '../config/config.ts';
import { OperatorError } from '../errors.ts';
import { createLog, errorRecord } from '../observability/log.ts';
import { prepareDatabase, type ServingGateway, serve } from '../serve.ts';
import { askPrimaryForPage, type MetricsFromWorker, type MetricsToWorker, metricsMessage } from './metrics.ts';

export type FromWorker =
  | MetricsFromWorker
  | { readonly kind: 'serving'; readonly url: string }
  /** The worker could not start, and ends. `isOperators`: the cause is an OperatorError. */
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string; readonly isOperators: boolean };

export type ToWorker =
  | MetricsToWorker
  /** The whole gateway ends. */
  | { readonly kind: 'stop' };

/** Resolves when the message is written, so that the process may end. Never rejects: without a primary, Node ends this process. */
const send = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });

/**
 * Runs one worker of `serveByWorkers`: a gateway with its own listening socket. It ends when the primary says so; without a primary, Node
 * ends it.
 */
export const serveAsWorker = async (): Promise<void> => {
  let serving: ServingGateway | undefined;
  let isEnding = false;
  let log: Logger | undefined;

  const end = async (exitCode = 0): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    try {
      await serving?.stop();
      // What it has counted since the last scrape.
      if (serving) await send(await metricsMessage(serving.metrics));
    } catch (error) {
      log?.error({ err: error }, 'the shutdown was not clean');
    }
    process.exit(exitCode);
  };

  process.on('message', async ({ kind }: ToWorker) => {
    if (kind === 'stop') void end();
    if (kind === 'collect' && serving) void send(await metricsMessage(serving.metrics));
  });
  // A terminal sends these signals to the primary too, which stops its workers.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('SIGTERM', () => void end());

  try {
    const config = readConfig(process.env);
    const { logLevel: level } = config;
    const workerLog = await createLog({ level, secrets: secretsOf(config), worker: cluster.worker?.id });
    log = workerLog;
    process.on('uncaughtException', (error) => {
      workerLog.fatal({ err: error }, 'an error that nobody caught');
      void end(1);
    });
    const database = await prepareDatabase(config, workerLog);
    serving = await serve(config, database.url, workerLog, askPrimaryForPage);
    void send({ kind: 'serving', url: serving.url });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await send({
      kind: 'failed',
      message,
      stack: errorRecord(error).stack,
      isOperators: error instanceof OperatorError,
    });
    process.exit(1);
  }
};
