import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createClusterMetrics } from '../../src/cluster/metrics.ts';
import type { FromWorker, ToWorker } from '../../src/cluster/worker.ts';

type Metrics = Extract<FromWorker, { kind: 'metrics' }>['metrics'];

/** The primary's end of a worker that has counted some requests. */
class FakeWorker extends EventEmitter {
  readonly #metrics: Metrics;
  /** How often its counter was read. */
  reads = 0;

  constructor(requests: number, lagSeconds: number) {
    super();
    const metric = (name: string, type: string, value: number) => ({
      name,
      help: name,
      type,
      aggregator: 'average',
      values: [{ value, labels: {} }],
    });
    const onRead = (): void => {
      this.reads += 1;
    };
    const counter = metric('requests_total', 'counter', requests);
    this.#metrics = [
      {
        ...counter,
        aggregator: 'sum',
        get values() {
          onRead();
          return counter.values;
        },
      },
      metric('nodejs_eventloop_lag_max_seconds', 'gauge', lagSeconds),
    ] as unknown as Metrics;
  }

  isConnected(): boolean {
    return true;
  }

  send({ kind }: ToWorker): void {
    if (kind === 'collect') this.report();
  }

  report(): void {
    this.emit('message', { kind: 'metrics', metrics: this.#metrics } satisfies FromWorker);
  }

  die(): void {
    this.report();
    this.emit('exit');
    this.emit('disconnect');
  }
}

const start = (requests: number, lagSeconds = 0): FakeWorker => new FakeWorker(requests, lagSeconds);

const sampleOf = (page: string, name: string): number =>
  Number(new RegExp(`^${name} (.*)$`, 'm').exec(page)?.[1] ?? Number.NaN);

test('the lag of the event loop is the largest of all workers, and not their mean', async () => {
  const metrics = createClusterMetrics({ workers: () => 2, deaths: () => 0 });
  // That of this process counts, too.
  for (const lagSeconds of [0.001, 86_400, 0.003]) metrics.add(start(1, lagSeconds) as unknown as Worker);
  const { body } = await metrics.page();
  expect(sampleOf(body, 'nodejs_eventloop_lag_max_seconds')).toBe(86_400);
});

test('what ended workers have counted is counted on, however many there were', async () => {
  const metrics = createClusterMetrics({ workers: () => 1, deaths: () => 0 });
  const running = start(1);
  metrics.add(running as unknown as Worker);
  for (let ended = 1; ended <= 100; ended += 1) {
    const worker = start(10);
    metrics.add(worker as unknown as Worker);
    worker.die();
    if (ended % 10 > 0) continue;
    const { body } = await metrics.page();
    expect(sampleOf(body, 'requests_total')).toBe(1 + ended * 10);
  }
});

test('more than 16 ended workers are merged, so that a page costs the same after any number of restarts', async () => {
  const metrics = createClusterMetrics({ workers: () => 0, deaths: () => 17 });
  const workers = Array.from({ length: 17 }, () => start(10));
  for (const worker of workers) {
    metrics.add(worker as unknown as Worker);
    worker.die();
  }
  await metrics.page();
  const reads = (): number => workers.reduce((sum, worker) => sum + worker.reads, 0);
  const readsOfFirstPage = reads();
  expect(sampleOf((await metrics.page()).body, 'requests_total')).toBe(170);
  expect(reads()).toBe(readsOfFirstPage);
});
