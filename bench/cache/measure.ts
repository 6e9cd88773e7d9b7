import path from 'node:path';
import { catalogueOf } from '../database/catalogue.ts';
import { fillCatalogue } from '../database/fill.ts';
import { type KeptDatabase, LOAD_SETTINGS, openKeptDatabase } from '../database/kept-database.ts';
import { createMeter } from '../growth/meter.ts';
import { type LoadResult, runWrk } from '../load/wrk.ts';
import { chooseCores, moveToCore } from '../machine/cores.ts';
import { rssMbOf } from '../machine/process-usage.ts';
import { count, percent } from '../report/format.ts';
import { SOURCE } from '../servers/contenders.ts';
import { startServer } from '../servers/start.ts';

/** One size of the cache, on one catalogue. */
export interface CacheSample {
  readonly products: number;
  readonly cacheMb: number;
  /** Of the answers, those from memory. */
  readonly hitShare: number;
  /** Resident memory of the process. */
  readonly rssMb: number;
  readonly requestsPerSecond: number;
  /** CPU time for a request, in microseconds. */
  readonly serverUs: number;
  readonly postgresUs: number;
}

export interface CacheOptions {
  readonly products: readonly number[];
  readonly cacheMb: readonly number[];
  /** Of Zipf's law. */
  readonly exponent: number;
  readonly seconds: number;
}

const REQUESTS = path.join(import.meta.dirname, 'requests.lua');

const WINDOW_S = 4;
const STEADY_SHARE = 0.01;
/** After so many, lists are in memory. */
const REQUESTS_FOR_LISTS = 20_000;
/** What is asked for most often, as far as it finds room beside lists and beside what is asked for once. */
const PRODUCTS_PER_MB = 200;
/** Without the products asked for in turn it takes five times as many until the hit rate is the same. */
const REQUESTS_PER_MB = 1000;

interface Surroundings {
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Each size on each catalogue, one after another. */
export const measureCaches = async (
  serverUrl: string,
  options: CacheOptions,
  { log, signal }: Surroundings,
): Promise<CacheSample[]> => {
  const samples: CacheSample[] = [];
  for (const products of options.products) {
    await using database = await openKeptDatabase({
      serverUrl,
      name: `vitrine_cache_${products}`,
      products,
      fill: (_, url) => fillCatalogue(url, catalogueOf(products), LOAD_SETTINGS),
      isSearched: false,
      log,
    });
    for (const cacheMb of options.cacheMb) {
      signal.throwIfAborted();
      const sample = await measure(database, products, cacheMb, options, signal);
      log(
        `${products} products, ${cacheMb} MB: ${percent(sample.hitShare)} from memory, ${count(sample.rssMb)} MB, ${count(sample.serverUs)} + ${count(sample.postgresUs)} µs`,
      );
      samples.push(sample);
    }
  }
  return samples;
};

const measure = async (
  database: KeptDatabase,
  products: number,
  cacheMb: number,
  { exponent, seconds }: CacheOptions,
  signal: AbortSignal,
): Promise<CacheSample> => {
  const cores = chooseCores();
  const environment = {
    CACHE_MAX_MB: `${cacheMb}`,
    BROWSE_INDEX_MAX_MB: '0',
    LOG_REQUESTS: 'none',
    // Other work on the machine must not end the measurement.
    DATABASE_TIMEOUT_MS: '10000',
    MAX_WAIT_MS: '10000',
  };
  await using server = await startServer({
    contender: SOURCE,
    environment: { ...environment, DATABASE_URL: database.url },
    firstCall: { method: 'GET', target: '/api/product/1' },
  });
  if (cores) moveToCore(cores.server, server.pid);
  const meter = await createMeter(database, server);
  const { categories } = catalogueOf(products);
  let seed = 0;

  /** @param inTurn how many products are asked for once before the mix, the most popular last */
  const ask = async (forSeconds: number, inTurn = 0): Promise<LoadResult> => {
    seed += 1;
    const args = [products, categories, exponent, seed, inTurn];
    const core = cores?.load;
    const result = await runWrk({ url: server.url, script: REQUESTS, args, seconds: forSeconds, core, signal });
    const { requests, badStatus, socketErrors, timeouts } = result;
    if (badStatus + socketErrors + timeouts === 0) return result;
    throw server.withOutput(
      `of ${requests} answers ${badStatus} were errors, ${socketErrors} sockets broke, ${timeouts} requests timed out`,
    );
  };

  const hitShareOf = async (action: () => Promise<unknown>): Promise<number> => {
    const lookups = async (outcome?: string): Promise<number> => meter.count('vitrine_cache_lookups_total', outcome);
    const before = { hits: await lookups('"hit"'), all: await lookups() };
    await action();
    return ((await lookups('"hit"')) - before.hits) / ((await lookups()) - before.all);
  };

  /** Asks the mix until so many requests were made, and goes on until two windows have the same hit rate. */
  const warm = async (leastRequests: number): Promise<void> => {
    let lastShare = Number.NaN;
    for (let asked = 0; ; ) {
      const share = await hitShareOf(async () => {
        asked += (await ask(WINDOW_S)).requests;
      });
      if (asked >= leastRequests && Math.abs(share - lastShare) < STEADY_SHARE) return;
      lastShare = share;
    }
  };

  await warm(REQUESTS_FOR_LISTS);
  let unasked = Math.min(products, cacheMb * PRODUCTS_PER_MB);
  while (unasked > 0) unasked -= (await ask(WINDOW_S, unasked)).requests;
  await warm(cacheMb * REQUESTS_PER_MB);

  let load = { requests: 0, durationUs: 0 };
  let used = { server: 0, postgres: 0 };
  const hitShare = await hitShareOf(async () => {
    used = await meter.use(async () => {
      load = await ask(seconds);
    });
  });
  return {
    products,
    cacheMb,
    hitShare,
    rssMb: rssMbOf(server.pid) ?? Number.NaN,
    requestsPerSecond: (load.requests / load.durationUs) * 1_000_000,
    serverUs: used.server / load.requests,
    postgresUs: used.postgres / load.requests,
  };
};
