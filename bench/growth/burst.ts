import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '../database/kept-database.ts';
import { isGood, openLoop, type Sample } from '../overload/open-loop.ts';
import { change } from './changes.ts';
import type { GrowthDatabase } from './database.ts';
import type { Meter } from './meter.ts';

/** What readers notice while the back office writes. */
export interface Burst {
  readonly what: string;
  /** A second, that the back office came to. */
  readonly commits: number;
  /** Of the answers, those from memory; a request that waited for an equal one has not got its own. */
  readonly hitShare: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time for a request, in microseconds. */
  readonly serverUs: number;
  readonly postgresUs: number;
  readonly failed: number;
}

interface Plan {
  readonly url: string;
  readonly commitsPerSecond: number;
  readonly requestsPerSecond: number;
  readonly seconds: number;
}

const CONNECTIONS = 4;
const KNOWN_PRODUCTS = 2000;
const KNOWN_CATEGORIES = 20;

/** The pages of a shop: of what people look at, products in the main. */
const READERS: Readonly<Record<string, (products: number) => string>> = {
  products: (products) => `/api/product/${1 + ((random(KNOWN_PRODUCTS) * 1_299_709) % products)}`,
  'lists of categories': () => `/api/product/list?categoryIds=${1 + random(KNOWN_CATEGORIES)}`,
  'hot and new': () => (random(2) === 0 ? '/api/product/hot' : '/api/product/new'),
};

const random = (below: number): number => Math.floor(Math.random() * below);

/** Prices of products anywhere, so many a second as long as the signal lets it. */
const writePrices = async (
  { url, catalogue }: GrowthDatabase,
  perSecond: number,
  signal: AbortSignal,
): Promise<{ readonly count: number; readonly ms: number }> => {
  let commits = 0;
  const startMs = performance.now();
  const work = async (): Promise<void> => {
    const client = await connect(url);
    while (!signal.aborted) {
      if (commits >= ((performance.now() - startMs) / 1000) * perSecond) {
        await delay(1);
        continue;
      }
      commits += 1;
      await change(client, 1 + random(catalogue.products));
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: perSecond > 0 ? CONNECTIONS : 0 }, work));
  return { count: commits, ms: performance.now() - startMs };
};

export const measureBursts = async (database: GrowthDatabase, meter: Meter, plan: Plan): Promise<Burst[]> => {
  const bursts: Burst[] = [];
  for (const [what, target] of Object.entries(READERS)) {
    using readers = openLoop(plan.url, () => `GET ${target(database.catalogue.products)} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await readers.saturate(16, 2);
    const lookups = async () => ({
      hits: await meter.count('vitrine_cache_lookups_total', 'outcome="hit"'),
      all: await meter.count('vitrine_cache_lookups_total'),
    });
    const stop = new AbortController();
    const writing = writePrices(database, plan.commitsPerSecond, stop.signal);
    await readers.run(plan.requestsPerSecond, 1);
    const before = await lookups();
    let samples: readonly Sample[] = [];
    const used = await meter.use(async () => {
      ({ samples } = await readers.run(plan.requestsPerSecond, plan.seconds));
    });
    const after = await lookups();
    stop.abort();
    const ms = samples.map((sample) => sample.ms).sort((a, b) => a - b);
    const at = (share: number): number => ms[Math.floor((ms.length - 1) * share)] ?? Number.NaN;
    const commits = await writing;
    bursts.push({
      what,
      commits: (commits.count / commits.ms) * 1000,
      hitShare: (after.hits - before.hits) / (after.all - before.all),
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      serverUs: used.server / samples.length,
      postgresUs: used.postgres / samples.length,
      failed: samples.filter((sample) => !isGood(sample)).length,
    });
  }
  return bursts;
};
