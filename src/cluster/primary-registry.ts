import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';

interface Sources {
  readonly workers: () => number;
  readonly deaths: () => number;
}

/** So that the delay of the event loop, looked at every 10 ms, has been seen a few times. */
const FIRST_LOOK_MS = 50;

/** The metrics that only the primary knows, and those of its process. Nothing is loaded before somebody asks. */
export const createPrimaryRegistry = ({ workers, deaths }: Sources): (() => Promise<Registry>) => {
  let registry: Promise<Registry> | undefined;

  const create = async (): Promise<Registry> => {
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
    await delay(FIRST_LOOK_MS);
    return created;
  };

  return () => {
    registry ??= create();
    return registry;
  };
};
