import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import packageJson from '../../package.json' with { type: 'json' };
import type { Replicas } from '../database/replicas/replicas.ts';
import type { LoadGuard } from '../overload/load-guard.ts';
import { type Distribution, RequestCounts } from './counts.ts';
import type { Observation, Observe } from './observation.ts';
import { type LogRequests, RequestLog } from './request-log.ts';
import { RequestObserver } from './request-observer.ts';
import { endSpan } from './request-spans.ts';
import { NO_TRACING, type TracingConfig } from './tracing.ts';

type Numbers<Name extends string> = Readonly<Record<Name, number>>;

/** Sources of the metrics: plain numbers that each part keeps, read at a scrape. */
export interface MetricSources {
  readonly version: string;
  readonly requests: RequestCounts;
  readonly responseCache: {
    readonly stats: Numbers<'hits' | 'misses' | 'stale' | 'joined'>;
    readonly size: () => Numbers<'bytes' | 'entries'>;
  };
  readonly knownRows: { readonly stats: Numbers<'hits'>; readonly size: () => Numbers<'bytes' | 'rows'> };
  readonly cacheMaxBytes: number;
  readonly freshnessMonitor: { readonly asOfMs: () => number; readonly isLost: () => boolean };
  /** Views per statement, and views that wait. */
  readonly views: { readonly batchSizes: Distribution; readonly waiting: () => number };
  readonly subscriptions: {
    /** `ended`: by the reason. */
    readonly counts: Numbers<'open' | 'events'> & {
      readonly ended: Numbers<string>;
      readonly lagSeconds: Distribution;
    };
    readonly max: number;
  };
  readonly pool: Pool;
  readonly replicas?: Pick<Replicas, 'all' | 'stats'> | undefined;
  readonly load: Pick<LoadGuard, 'stats'>;
  readonly browseIndex: {
    readonly status: () => Numbers<'products' | 'filledShare' | 'leftOut' | 'bytes'> & { readonly isReady: boolean };
    /** Questions by what answered them. */
    readonly answers: Numbers<'index' | 'sql'>;
  };
  /** Executions by the reference executor: of what is not compiled, and of compiled operations that failed, by its outcome. */
  readonly fallBacks: Numbers<'notCompiled' | 'failed' | 'answered'>;
}

/** The response to a scrape. */
export interface MetricsPage {
  readonly contentType: string;
  readonly body: string;
}

export interface Metrics {
  /**
   * All metrics of this gateway and its process. The result of `getMetricsAsJSON` can be aggregated over processes by
   * prom-client's `AggregatorRegistry.aggregate`.
   */
  readonly registry: () => Promise<Registry>;
  readonly page: () => Promise<MetricsPage>;
}

/** @param pageOfAll the metrics of all workers together, where there are several */
export const createMetrics = (sources: MetricSources, pageOfAll?: Metrics['page']): Metrics => {
  const registry = registryOnce(async () => {
    const { createRegistry } = await import('./prometheus.ts');
    return createRegistry(sources);
  });
  return { registry, page: pageOfAll ?? (async () => pageOf(await registry())) };
};

/** The metrics of a registry as text. */
export const pageOf = async (registry: Registry): Promise<MetricsPage> => ({
  contentType: registry.contentType,
  body: await registry.metrics(),
});

/** Enough for a few samples of the event loop's delay, one every 10 ms. */
const FIRST_LOOK_MS = 50;

/** prom-client is loaded, and the process is observed, from the first scrape on. */
export const registryOnce = (create: () => Promise<Registry>): (() => Promise<Registry>) => {
  let registry: Promise<Registry> | undefined;
  return () => {
    registry ??= create().then((created) => delay(FIRST_LOOK_MS, created));
    return registry;
  };
};

interface Options {
  readonly exposure: { readonly metrics: string };
  readonly logRequests: LogRequests;
  /** Undefined: no traces. */
  readonly tracing: TracingConfig | undefined;
}

/** Logs, metrics and traces of a gateway. */
export const createObservability = async ({ exposure, logRequests, tracing: tracingConfig }: Options, log: Logger) => {
  const { version } = packageJson;
  const requests = new RequestCounts();
  const tracing = tracingConfig
    ? (await import('./opentelemetry.ts')).createOpentelemetry(tracingConfig, version, log)
    : NO_TRACING;
  const requestLog = new RequestLog(log, logRequests);
  const readers: readonly Observe[] = [
    ...(exposure.metrics === 'off' ? [] : [countIn(requests)]),
    (observation) => requestLog.write(observation),
    ...(tracing.isOn ? [endSpan] : []),
  ];
  const observer = new RequestObserver({ requests, tracing, logsHits: logRequests === 'all', readers });
  return { version, requests, tracing, observer };
};

/** Counts what is observed. */
const countIn =
  (requests: RequestCounts): Observe =>
  (observation: Observation): void => {
    switch (observation.kind) {
      case 'begin':
        requests.inFlight += 1;
        break;
      case 'end': {
        const { request, status, durationMs } = observation;
        requests.inFlight -= 1;
        requests.answered(request.counts, request.cache, status, durationMs / 1000);
        if (request.code !== undefined) requests.failed(request.counts.handler, request.code);
        break;
      }
      case 'hit': {
        const { counts, status } = observation;
        requests.answered(counts, 'hit', status, 0);
        if (status === 404) requests.failed(counts.handler, 'NOT_FOUND');
        break;
      }
      case 'statement':
        requests.executed(observation.name, observation.durationMs / 1000, observation.error !== undefined);
    }
  };
