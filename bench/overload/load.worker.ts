import { parentPort, workerData } from 'node:worker_threads';
import type { Catalogue } from '../database/catalogue.ts';
import { openLoop } from './open-loop.ts';
import { WORKLOADS, type Workload } from './requests.ts';

// The load has a thread of its own, so that what is measured beside it does not wait for it.

export interface LoadOptions {
  readonly url: string;
  readonly workload: Workload;
  readonly catalogue: Catalogue;
  readonly connections: number;
}

export type Order =
  | { readonly kind: 'saturate'; readonly concurrency: number; readonly seconds: number }
  | { readonly kind: 'run'; readonly perSecond: number; readonly seconds: number };

const { url, workload, catalogue, connections }: LoadOptions = workerData;
const loop = openLoop(url, () => WORKLOADS[workload](catalogue), connections);

parentPort?.on('message', async (order: Order) => {
  const run =
    order.kind === 'run'
      ? await loop.run(order.perSecond, order.seconds)
      : await loop.saturate(order.concurrency, order.seconds);
  parentPort?.postMessage(run);
});
