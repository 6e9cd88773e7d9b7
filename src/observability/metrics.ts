import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import type { Answers } from '../cache/answers.ts';
import type { Pulse } from '../cache/pulse.ts';
import type { Replicas } from '../database/replicas/replicas.ts';
import type { GatewayResponse } from '../http/message.ts';
import type { ViewCounter } from '../notice/view-counter.ts';
import type { LoadGuard } from '../overload/load-guard.ts';
import type { RequestCounts } from './request-counts.ts';
import type { StatementCounts } from './statement-counts.ts';

/** Where the numbers come from: plain ones, kept by whoever does the work, and read when they are asked for. */
export interface MetricSources {
  readonly version: string;
  readonly requests: RequestCounts;
  readonly statements: StatementCounts;
  readonly answers: Pick<Answers, 'stats' | 'size'>;
  readonly cacheMaxBytes: number;
  readonly pulse: Pick<Pulse, 'ageMs' | 'isLost'>;
  readonly views: Pick<ViewCounter, 'batchSizes' | 'waiting'>;
  readonly pool: Pool;
  readonly replicas?: Pick<Replicas, 'all' | 'stats'> | undefined;
  readonly load: Pick<LoadGuard, 'stats'>;
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

/** So that the delay of the event loop, looked at every 10 ms, has been seen a few times. */
const FIRST_LOOK_MS = 50;

/**
 * Nothing is loaded, and nothing of the process is observed, before somebody asks.
 * @param pageOfAll where this process is one of several: what they come to together
 */
export const createMetrics = (sources: MetricSources, pageOfAll?: Metrics['page']): Metrics => {
  let registry: Promise<Registry> | undefined;

  const create = async (): Promise<Registry> => {
    const { createRegistry } = await import('./prometheus.ts');
    const created = createRegistry(sources);
    await delay(FIRST_LOOK_MS);
    return created;
  };

  const registryOnce = (): Promise<Registry> => {
    registry ??= create();
    return registry;
  };

  return { registry: registryOnce, page: pageOfAll ?? (async () => pageOf(await registryOnce())) };
};

/** What a registry holds now, as text. */
export const pageOf = async (registry: Registry): Promise<MetricsPage> => ({
  contentType: registry.contentType,
  body: await registry.metrics(),
});

/** The answer to a scrape: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const answerMetrics = async ({ page }: Metrics): Promise<GatewayResponse> => {
  const { contentType, body } = await page();
  return { status: 200, headers: { 'content-type': contentType, 'cache-control': 'no-store' }, body };
};
