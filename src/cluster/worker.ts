import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { readConfig, secretsOf } from '../config/config.ts';
import { OperatorError } from '../errors.ts';
import { type ServingGateway, serve } from '../gateway.ts';
import { createLog, errorRecord } from '../observability/log.ts';
import { prepareDatabase } from '../serve.ts';
import { askPrimaryForPage, type MetricsFromWorker, type MetricsToWorker, metricsMessage } from './metrics.ts';

export type FromWorker =
  | MetricsFromWorker
  | { readonly kind: 'serving'; readonly url: string }
  /** It could not start, and ends. `isOperators`: whether the fault is an OperatorError. */
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string; readonly isOperators: boolean }
  /** It was sent SIGTERM, and serves until another worker has taken its place. */
  | { readonly kind: 'leaving' };

export type ToWorker =
  | MetricsToWorker
  /** The whole gateway ends. */
  | { readonly kind: 'stop' }
  /** Another worker has taken its place. */
  | { readonly kind: 'leave' };

/** Resolves when the message is written, so that the process may end. Never rejects: without a primary, Node ends this process. */
const send = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });

/**
 * Serves in one of the processes of `serveByWorkers`, with a gateway of its own that listens for itself. It ends when the primary says so; when the primary
 * is gone, Node ends it.
 */
export const serveAsWorker = async (): Promise<void> => {
  let serving: ServingGateway | undefined;
  let isCounting = false;
  let isEnding = false;
  let log: Logger | undefined;

  const end = async (how: 'stop' | 'leave', exitCode = 0): Promise<void> => {
    // Also when it is leaving already: `/readyz` says no from now on.
    const ended = serving?.[how]();
    if (isEnding) return;
    isEnding = true;
    try {
      await ended;
      if (serving && isCounting && how === 'leave') await send(await metricsMessage(serving.metrics));
    } catch (error) {
      log?.error({ err: error }, 'the shutdown was not clean');
    }
    process.exit(exitCode);
  };

  process.on('message', async ({ kind }: ToWorker) => {
    if (kind === 'stop' || kind === 'leave') void end(kind);
    if (kind === 'collect' && serving) void send(await metricsMessage(serving.metrics));
  });
  // A terminal sends these to the primary too, which tells its workers.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('SIGTERM', () => void send({ kind: 'leaving' }));

  try {
    const config = readConfig(process.env);
    const { logLevel: level } = config;
    const workerLog = await createLog({ level, secrets: secretsOf(config), worker: cluster.worker?.id });
    log = workerLog;
    process.on('uncaughtException', (error) => {
      workerLog.fatal({ err: error }, 'an error that nobody caught');
      void end('stop', 1);
    });
    const database = await prepareDatabase(config, workerLog);
    isCounting = config.exposure.metrics !== 'off';
    serving = await serve(config, database, workerLog, askPrimaryForPage);
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
