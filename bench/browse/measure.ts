import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { cpuUsOfAll, rssMbOf } from '../machine/process-usage.ts';
import { SOURCE } from '../servers/contenders.ts';
import { type RunningServer, startServer } from '../servers/start.ts';
import type { BrowseDatabase } from './database.ts';
import { KINDS, type Kind } from './questions.ts';

/** How long the answers to one kind of question took. */
export interface Latency {
  readonly kind: Kind;
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** CPU time of the gateway for an answer, which says more than the times where the machine has other work. */
  readonly cpuMs: number;
  /** Answers with errors, such as those of statements that take too long. */
  readonly failed: number;
}

export interface Sample {
  readonly engine: 'index' | 'index, under changes' | 'PostgreSQL';
  readonly latencies: readonly Latency[];
  readonly rssMb: number;
}

export interface BrowseResults {
  readonly samples: readonly Sample[];
  readonly fillSeconds: number;
  /** As the gateway counts it. */
  readonly indexMb: number;
  readonly changesPerSecond: number;
  /** Reads of a price that was committed longer ago than the bound, and those that missed it. */
  readonly freshness: { readonly reads: number; readonly stale: number };
  /** Of the answers while products changed, those of the index. */
  readonly indexShare: number;
}

interface Options {
  readonly seconds: number;
  readonly changesPerSecond: number;
  readonly log: (line: string) => void;
  /** Ends the measurement, and the servers. */
  readonly signal: AbortSignal;
}

const FIRST_CALL = { method: 'GET', target: '/livez' } as const;
const FRESHNESS_MS = 100;
const FILL_TIMEOUT_MS = 900_000;
const WRITERS = 2;

const ENVIRONMENT = { CACHE_MAX_MB: '0', LOG_REQUESTS: 'none', FRESHNESS_MS: `${FRESHNESS_MS}` };

export const measureBrowse = async (database: BrowseDatabase, options: Options): Promise<BrowseResults> => {
  const { log, signal } = options;
  const start = (environment: Readonly<Record<string, string>>): Promise<RunningServer> =>
    startServer({
      contender: SOURCE,
      environment: { ...ENVIRONMENT, ...environment, DATABASE_URL: database.url },
      firstCall: FIRST_CALL,
    });

  const samples: Sample[] = [];
  await using server = await start({});
  const startedMs = performance.now();
  await untilReady(server, signal);
  const fillSeconds = (performance.now() - startedMs) / 1000;
  log(`the index was filled in ${fillSeconds.toFixed(0)} s`);
  const indexMb = (await metric(server, 'vitrine_browse_index_bytes')) / 1e6;
  await measureKinds(server, options, 2);
  samples.push({
    engine: 'index',
    latencies: await measureKinds(server, options),
    rssMb: rssMbOf(server.pid) ?? Number.NaN,
  });

  const before = await answersOf(server);
  const stop = new AbortController();
  const changing = change(database, options.changesPerSecond, stop.signal);
  const checking = checkFreshness(database, server, stop.signal);
  try {
    samples.push({
      engine: 'index, under changes',
      latencies: await measureKinds(server, options),
      rssMb: rssMbOf(server.pid) ?? Number.NaN,
    });
  } finally {
    stop.abort();
  }
  const changesPerSecond = await changing;
  const freshness = await checking;
  const after = await answersOf(server);
  const indexShare = (after.index - before.index) / (after.index + after.sql - before.index - before.sql);

  await using plain = await start({ BROWSE_INDEX_MAX_MB: '0' });
  samples.push({
    engine: 'PostgreSQL',
    latencies: await measureKinds(plain, options),
    rssMb: rssMbOf(plain.pid) ?? Number.NaN,
  });
  return { samples, fillSeconds, indexMb, changesPerSecond, freshness, indexShare };
};

const metric = async ({ client }: RunningServer, name: string): Promise<number> => {
  const { body } = await client.call({ method: 'GET', target: '/metrics' });
  const line = body
    .toString()
    .split('\n')
    .find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ').at(-1));
};

const answersOf = async (server: RunningServer): Promise<{ index: number; sql: number }> => ({
  index: await metric(server, 'vitrine_browse_answers_total{engine="index"}'),
  sql: await metric(server, 'vitrine_browse_answers_total{engine="sql"}'),
});

const untilReady = async (server: RunningServer, signal: AbortSignal): Promise<void> => {
  const untilMs = performance.now() + FILL_TIMEOUT_MS;
  while ((await metric(server, 'vitrine_browse_index_ready')) !== 1) {
    if (performance.now() > untilMs) throw server.withOutput(new Error('the index was not filled in time'));
    await delay(250, undefined, { signal });
  }
};

/** One question after another: what a visitor waits for, and not what a server bears. */
const measureKinds = async (
  { client, pid }: RunningServer,
  { seconds, log, signal }: Options,
  maxSeconds = seconds,
): Promise<Latency[]> => {
  const latencies: Latency[] = [];
  for (const kind of KINDS) {
    const took: number[] = [];
    const cpuBeforeUs = cpuUsOfAll(pid) ?? Number.NaN;
    let failed = 0;
    const untilMs = performance.now() + Math.min(seconds, maxSeconds) * 1000;
    while (performance.now() < untilMs) {
      signal.throwIfAborted();
      const askedMs = performance.now();
      const { status, body } = await client.call(kind.next());
      took.push(performance.now() - askedMs);
      if (status !== 200 || body.includes('"errors"')) failed += 1;
    }
    const cpuMs = ((cpuUsOfAll(pid) ?? Number.NaN) - cpuBeforeUs) / 1000 / took.length;
    took.sort((a, b) => a - b);
    const at = (share: number): number =>
      took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? Number.NaN;
    latencies.push({ kind, count: took.length, p50Ms: at(0.5), p95Ms: at(0.95), cpuMs, failed });
    log(
      `${kind.title}: p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, CPU ${cpuMs.toFixed(1)} ms, ${failed} of ${took.length} failed`,
    );
  }
  return latencies;
};

// Prepared, and several products a statement, as programs that write much do it.
const SELL = {
  name: 'sell',
  text: 'update product set stock = stock + 1, sales = sales + 1, price = price + 0.01 where id = any($1::int[])',
};
const RENAME = { name: 'rename', text: `update product set name = name || ' new' where id = any($1::int[])` };
const PRODUCTS_AT_ONCE = 10;

/** What a back office changes: prices, stock and sales, and of every twentieth product the name. @returns how many a second it came to */
const change = async ({ url, products }: BrowseDatabase, perSecond: number, signal: AbortSignal): Promise<number> => {
  const startMs = performance.now();
  let changes = 0;
  let statements = 0;
  const write = async (writer: number): Promise<void> => {
    const client = new pg.Client({ connectionString: url, options: '-c synchronous_commit=off' });
    await client.connect();
    // Each has products of its own, so that none waits for another.
    const someId = (): number => 1 + writer + WRITERS * Math.floor((Math.random() * (products - writer)) / WRITERS);
    while (!signal.aborted) {
      if (changes >= ((performance.now() - startMs) / 1000) * perSecond) {
        await delay(1);
        continue;
      }
      changes += PRODUCTS_AT_ONCE;
      statements += 1;
      const ids = Array.from({ length: PRODUCTS_AT_ONCE }, someId);
      await client.query({ ...(statements % 20 === 0 ? RENAME : SELL), values: [ids] });
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  return changes / ((performance.now() - startMs) / 1000);
};

/** Commits a price that no other product has, and reads it as soon as the bound is over. */
const checkFreshness = async (
  { client: backOffice, products }: BrowseDatabase,
  { client }: RunningServer,
  signal: AbortSignal,
): Promise<BrowseResults['freshness']> => {
  let reads = 0;
  let stale = 0;
  while (!signal.aborted) {
    const price = (1_000_000 + Math.floor(Math.random() * 1e9) / 100).toFixed(2);
    const id = 1 + Math.floor(Math.random() * products);
    await backOffice.query('update product set price = $1 where id = $2', [price, id]);
    await delay(FRESHNESS_MS);
    // Other changes may raise it by a hundredth each.
    const above = (Number(price) + 5).toFixed(2);
    const query = `{ productSearch(filter: { minPrice: "${price}", maxPrice: "${above}" }) { nodes { id } } }`;
    const { body } = await client.call({ method: 'POST', target: '/graphql', body: JSON.stringify({ query }) });
    reads += 1;
    if (!body.toString().includes(`"id":${id}`)) stale += 1;
  }
  return { reads, stale };
};
