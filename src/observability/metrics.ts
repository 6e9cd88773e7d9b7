import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import packageJson from '../../package.json' with { type: 'json' };
import type { Replicas } from '../database/replicas/replicas.ts';
import type { LoadGuard } from '../overload/load-guard.ts';
import {
  createRequestCounts,
  createStatementCounts,
  type Distribution,
  type RequestCounts,
  type StatementCounts,
} from './counts.ts';
import { createRequestLog, createRequestObserver, type LogRequests, type RequestObserver } from './request-observer.ts';
import { NO_TRACING, type Tracing, type TracingConfig } from './tracing.ts';

/** Where the numbers come from: plain ones, kept by whoever does the work, and read when they are asked for. */
export interface MetricSources {
  readonly version: string;
  readonly requests: RequestCounts;
  readonly statements: StatementCounts;
  readonly responseCache: {
    readonly stats: { hits: number; misses: number; stale: number; joined: number };
    /** Bytes in use, and entries. */
    readonly size: () => { bytes: number; entries: number };
  };
  readonly cacheMaxBytes: number;
  readonly freshnessMonitor: { readonly ageMs: () => number; readonly isLost: () => boolean };
  /** How many views each statement counted, and how many wait. */
  readonly views: { readonly batchSizes: Distribution; readonly waiting: () => number };
  readonly pool: Pool;
  readonly replicas?: Pick<Replicas, 'all' | 'stats'> | undefined;
  readonly load: Pick<LoadGuard, 'stats'>;
  /** Compiled operations that failed, by how the reference executor ended. */
  readonly fallBacks: Readonly<Record<'failed' | 'answered', number>>;
}

/** What a scrape is answered. */
export interface MetricsPage {
  readonly contentType: string;
  readonly body: string;
}

export interface Metrics {
  /**
   * All metrics of this gateway and its process. What `getMetricsAsJSON` gives can be added up with that of other processes by
   * prom-client's `AggregatorRegistry.aggregate`.
   */
  readonly registry: () => Promise<Registry>;
  readonly page: () => Promise<MetricsPage>;
}

/** @param pageOfAll where this process is one of several: what they come to together */
export const createMetrics = (sources: MetricSources, pageOfAll?: Metrics['page']): Metrics => {
  const registry = registryOnce(async () => {
    const { createRegistry } = await import('./prometheus.ts');
    return createRegistry(sources);
  });
  return { registry, page: pageOfAll ?? (async () => pageOf(await registry())) };
};

/** What a registry holds now, as text. */
export const pageOf = async (registry: Registry): Promise<MetricsPage> => ({
  contentType: registry.contentType,
  body: await registry.metrics(),
});

/** So that the delay of the event loop, looked at every 10 ms, has been seen a few times. */
const FIRST_LOOK_MS = 50;

/** Nothing is loaded, and nothing of the process is observed, before somebody asks. */
export const registryOnce = (create: () => Promise<Registry>): (() => Promise<Registry>) => {
  let registry: Promise<Registry> | undefined;

  const begin = async (): Promise<Registry> => {
    const created = await create();
    await delay(FIRST_LOOK_MS);
    return created;
  };

  return () => {
    registry ??= begin();
    return registry;
  };
};

/** What sees to it that the gateway can be watched. */
export interface Observability {
  readonly version: string;
  readonly requests: RequestCounts;
  readonly statements: StatementCounts;
  readonly tracing: Tracing;
  readonly observer: RequestObserver;
}

interface Options {
  readonly exposure: { readonly metrics: string };
  readonly logRequests: LogRequests;
  /** Undefined: no traces. */
  readonly tracing: TracingConfig | undefined;
}

export const createObservability = async (
  { exposure, logRequests, tracing: tracingConfig }: Options,
  log: Logger,
): Promise<Observability> => {
  const { version } = packageJson;
  const requests = createRequestCounts();
  const statements = createStatementCounts();
  const tracing = tracingConfig
    ? (await import('./opentelemetry.ts')).createOpentelemetry(tracingConfig, version, log)
    : NO_TRACING;
  const observer = createRequestObserver({
    requests,
    statements,
    isCounting: exposure.metrics !== 'off',
    logRequest: createRequestLog(log, logRequests),
    logsCached: logRequests === 'all',
    tracing,
  });
  return { version, requests, statements, tracing, observer };
};
