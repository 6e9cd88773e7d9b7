import type { Registry } from 'prom-client';
import { registryOnce } from '../observability/registry-once.ts';

interface Sources {
  readonly workers: () => number;
  readonly deaths: () => number;
}

/** The metrics that only the primary knows, and those of its process. */
export const createPrimaryRegistry = ({ workers, deaths }: Sources): (() => Promise<Registry>) =>
  registryOnce(async () => {
    const { collectDefaultMetrics, Registry } = await import('prom-client');
    const { counterOf, gaugeOf } = await import('../observability/prometheus-types.ts');
    const created = new Registry();
    collectDefaultMetrics({ register: created });
    gaugeOf(created)('vitrine_workers', 'Worker processes that serve (WORKERS).', workers);
    counterOf(created)(
      'vitrine_worker_deaths_total',
      'Workers that ended by themselves, and were replaced.',
      [],
      () => [{ labels: {}, value: deaths() }],
    );
    return created;
  });
