import { AppError } from '../errors.ts';
import type { Metrics, MetricsPage } from '../observability/metrics.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** The primary as a worker sees it. */
export interface PrimaryLink {
  readonly send: (message: FromWorker) => void;
  /** Resolves when it is on its way, so that the process may end. Never rejects. */
  readonly sendAll: (message: FromWorker) => Promise<void>;
  readonly onEnd: (listener: (how: 'stop' | 'retire') => void) => void;
  /** Answers what the primary asks for with these. */
  readonly serveMetrics: (metrics: Metrics) => void;
  /** Tells what was counted up to the end. */
  readonly sayFarewell: (metrics: Metrics) => Promise<void>;
  /** The metrics of all workers. @throws AppError when they do not come in time */
  readonly askPage: () => Promise<MetricsPage>;
}

/** Less than the 10 s that Prometheus waits for. */
const PAGE_TIMEOUT_MS = 5000;

/** Node has opened a channel between the two. */
export const createPrimaryLink = (): PrimaryLink => {
  const asked = new Map<number, (page: MetricsPage | undefined) => void>();
  let lastId = 0;

  const sendAll = (message: FromWorker): Promise<void> =>
    // Where the primary is gone this process ends by itself, and nothing is left to be told.
    new Promise((resolve) => {
      process.send?.(message, undefined, undefined, () => resolve());
    });
  const send = (message: FromWorker): void => void sendAll(message);
  const onMessage = (listener: (message: ToWorker) => void): void => void process.on('message', listener);

  onMessage((message) => {
    if (message.kind === 'page') asked.get(message.id)?.(message.page);
  });

  const askPage = (): Promise<MetricsPage> =>
    new Promise((resolve, reject) => {
      lastId += 1;
      const id = lastId;
      const settle = (page: MetricsPage | undefined): void => {
        clearTimeout(timer);
        asked.delete(id);
        if (page) resolve(page);
        else reject(new AppError('SERVICE_UNAVAILABLE', 'The metrics of all workers cannot be had at the moment.'));
      };
      const timer = setTimeout(settle, PAGE_TIMEOUT_MS, undefined);
      asked.set(id, settle);
      send({ kind: 'ask-page', id });
    });

  const told = async (metrics: Metrics) => (await metrics.registry()).getMetricsAsJSON();

  return {
    send,
    sendAll,
    onEnd: (listener) =>
      onMessage(({ kind }) => {
        if (kind === 'stop' || kind === 'retire') listener(kind);
      }),
    serveMetrics: (metrics) =>
      onMessage(async (message) => {
        if (message.kind === 'collect') send({ kind: 'collected', id: message.id, metrics: await told(metrics) });
      }),
    sayFarewell: async (metrics) => sendAll({ kind: 'farewell', metrics: await told(metrics) }),
    askPage,
  };
};
