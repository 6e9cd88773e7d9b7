import type pg from 'pg';
import { connect } from '../database/kept-database.ts';
import type { HttpClient } from '../load/http-client.ts';
import { medianOf } from '../measure/median.ts';
import type { Call } from '../workloads/workload.ts';
import { requestsOf } from './cost.ts';
import type { GrowthDatabase } from './database.ts';
import type { Meter } from './meter.ts';

/** What one price costs. */
export interface ChangeCost {
  /** In the back office: an update and its commit. */
  readonly commitMs: number;
  /** CPU time of the server to hear of it, in microseconds. */
  readonly serverUs: number;
  /** Answers that were in memory before it. */
  readonly known: number;
  /** Of these, the ones that took a statement when they were asked for after it. */
  readonly remade: number;
}

const COMMITS = 3000;

/** Commits a price. */
export const change = async (client: pg.Client, id: number): Promise<void> => {
  await client.query({ name: 'price', text: 'update product set price = price + 0.01 where id = $1', values: [id] });
};

export const measureChanges = async (
  { url, catalogue }: GrowthDatabase,
  client: HttpClient,
  meter: Meter,
): Promise<ChangeCost> => {
  const backOffice = await connect(url);
  try {
    const lists = requestsOf(catalogue);
    const known: Call[] = [
      ...new Map(
        [...(lists['a product'] ?? []), ...(lists['a list of a category, 20'] ?? [])].map((call) => [
          call.target,
          call,
        ]),
      ).values(),
    ];
    const misses = (): Promise<number> => meter.count('vitrine_cache_lookups_total', 'outcome="miss"');
    await client.callAll(known);
    await client.callAll(known);
    const before = await misses();
    await change(backOffice, 1);
    await client.callAll(known);
    const remade = (await misses()) - before;

    const commitAll = async (): Promise<number[]> => {
      const took: number[] = [];
      for (let commit = 0; commit < COMMITS; commit += 1) {
        const startMs = performance.now();
        await change(backOffice, 1 + ((commit * 7919) % catalogue.products));
        took.push(performance.now() - startMs);
      }
      return took;
    };
    // The first time, their pages come from the disk.
    await commitAll();
    let took: number[] = [];
    const used = await meter.use(async () => {
      took = await commitAll();
    });
    return { commitMs: medianOf(took), serverUs: used.server / COMMITS, known: known.length, remade };
  } finally {
    await backOffice.end();
  }
};
