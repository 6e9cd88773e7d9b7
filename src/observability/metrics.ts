import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import type { Answers } from '../cache/answers.ts';
import type { Pulse } from '../cache/pulse.ts';
import type { Replicas } from '../database/replicas/replicas.ts';
import type { GatewayResponse } from '../http/message.ts';
import type { ViewCounter } from '../notice/view-counter.ts';
import type { LoadGuard } from '../overload/load-guard.ts';
import { registryOnce } from './registry-once.ts';
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

/** The answer to a scrape: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const answerMetrics = async ({ page }: Metrics): Promise<GatewayResponse> => {
  const { contentType, body } = await page();
  return { status: 200, headers: { 'content-type': contentType, 'cache-control': 'no-store' }, body };
};
