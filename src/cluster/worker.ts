import cluster from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { readConfig } from '../config/config.ts';
import { AppError, OperatorError } from '../errors.ts';
import { createLog, errorRecord } from '../observability/log.ts';
import type { MetricsPage } from '../observability/metrics.ts';
import { prepareDatabase, type Serving, serve } from '../serve.ts';

/** The metrics of a process, in the form that prom-client aggregates. */
export type MetricsJson = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export type FromWorker =
  | { readonly kind: 'serving'; readonly url: string }
  /** The reply to `collect`. */
  | { readonly kind: 'metrics'; readonly metrics: MetricsJson }
  /** A scraper has asked it for the metrics of all workers. */
  | { readonly kind: 'ask-page' }
  /** The worker could not start, and ends. `isOperators`: the cause is an OperatorError. */
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string; readonly isOperators: boolean };

export type ToWorker =
  | { readonly kind: 'collect' }
  /** The answer to `ask-page`; without a page when the aggregation failed. */
  | { readonly kind: 'page'; readonly page: MetricsPage | undefined }
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
  let serving: Serving | undefined;
  let isEnding = false;
  let log: Logger | undefined;

  const sendMetrics = async (): Promise<void> => {
    const registry = await serving?.metrics.registry();
    if (registry) await send({ kind: 'metrics', metrics: await registry.getMetricsAsJSON() });
  };

  const end = async (exitCode = 0): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    try {
      await serving?.stop();
      // What it has counted since the last scrape.
      await sendMetrics();
    } catch (error) {
      log?.error({ err: error }, 'the shutdown was not clean');
    }
    process.exit(exitCode);
  };

  const pages = new EventEmitter<{ page: [MetricsPage?] }>();
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'stop') void end();
    if (message.kind === 'collect') void sendMetrics();
    if (message.kind === 'page') pages.emit('page', message.page);
  });
  // A terminal sends these signals to the primary too, which stops its workers.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('SIGTERM', () => void end());

  try {
    const config = readConfig(process.env);
    const workerLog = await createLog({ ...config, worker: cluster.worker?.id });
    log = workerLog;
    process.on('uncaughtException', (error) => {
      workerLog.fatal({ err: error }, 'an error that nobody caught');
      void end(1);
    });
    const database = await prepareDatabase(config, workerLog);
    serving = await serve(config, database.url, workerLog, () => askPrimaryForPage(pages));
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

/** Less than Prometheus' scrape timeout, 10 s. */
const PAGE_TIMEOUT_MS = 5000;

/** The metrics of all workers. @throws AppError if the primary does not reply in time, or with none */
const askPrimaryForPage = async (pages: EventEmitter<{ page: [MetricsPage?] }>): Promise<MetricsPage> => {
  const replied = once(pages, 'page', { signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) });
  void send({ kind: 'ask-page' });
  const [page] = await replied.catch(() => []);
  if (page) return page;
  throw new AppError('SERVICE_UNAVAILABLE', 'The metrics of all workers cannot be had at the moment.');
};
