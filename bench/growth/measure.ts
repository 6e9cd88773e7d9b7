import { fileURLToPath } from 'node:url';
import { rssMbOf } from '../machine/process-usage.ts';
import { medianOf } from '../measure/median.ts';
import { type Contender, GATEWAY_FLAGS } from '../servers/contenders.ts';
import { type RunningServer, startServer } from '../servers/start.ts';
import { type Burst, measureBursts } from './burst.ts';
import { type ChangeCost, measureChanges } from './changes.ts';
import { type Cost, measureCosts, requestsOf } from './cost.ts';
import { type GrowthDatabase, openGrowthDatabase } from './database.ts';
import { createMeter } from './meter.ts';
import type { GrowthOptions } from './options.ts';

/** One gateway on one catalogue. */
export interface GrowthSample {
  readonly gateway: string;
  readonly products: number;
  readonly databaseBytes: number;
  /** From the start of the process to its first right answer. */
  readonly startMs: number;
  readonly rssAtStartMb: number;
  readonly rssAtEndMb: number;
  readonly connections: number;
  readonly costs: readonly Cost[];
  readonly change: ChangeCost;
  readonly bursts: readonly Burst[];
}

/** The catalogue must not decide how many answers fit. */
const ENVIRONMENT = { LOG_REQUESTS: 'none', CACHE_MAX_MB: '128' };

const FIRST_CALL = { method: 'GET', target: '/api/product/1' } as const;

const STARTS = 3;

const contenderAt = (name: string, cli: string): Contender => ({
  name,
  label: name,
  command: [...GATEWAY_FLAGS, cli, 'serve'],
  environment: ENVIRONMENT,
  methods: ['GET'],
});

const start = (contender: Contender, { url }: GrowthDatabase): Promise<RunningServer> =>
  startServer({ contender, environment: { DATABASE_URL: url }, firstCall: FIRST_CALL });

/** Has what will be asked read from the disk, lest the first that is measured pay for it. */
const readOnce = async (contender: Contender | undefined, database: GrowthDatabase): Promise<void> => {
  if (!contender) return;
  await using server = await start(contender, database);
  for (const calls of Object.values(requestsOf(database.catalogue))) await server.client.callAll(calls);
};

const measure = async (
  contender: Contender,
  database: GrowthDatabase,
  options: GrowthOptions,
): Promise<GrowthSample> => {
  const starts: number[] = [];
  for (let count = 1; count < STARTS; count += 1) {
    await using server = await start(contender, database);
    starts.push(server.startupMs);
  }
  await using server = await start(contender, database);
  starts.push(server.startupMs);
  const rssAtStartMb = rssMbOf(server.pid) ?? Number.NaN;
  const meter = await createMeter(database, server);
  const costs = await measureCosts(database.catalogue, server.client, meter);
  const change = await measureChanges(database, server.client, meter);
  const { commitsPerSecond, requestsPerSecond, seconds } = options;
  const bursts = await measureBursts(database, meter, {
    url: server.url,
    commitsPerSecond,
    requestsPerSecond,
    seconds,
  });
  return {
    gateway: contender.name,
    products: database.catalogue.products,
    databaseBytes: database.bytes,
    startMs: medianOf(starts),
    rssAtStartMb,
    rssAtEndMb: rssMbOf(server.pid) ?? Number.NaN,
    connections: await meter.connections(),
    costs,
    change,
    bursts,
  };
};

/** Each gateway on each catalogue, one after another. */
export const measureGrowth = async (
  serverUrl: string,
  options: GrowthOptions,
  log: (line: string) => void,
): Promise<GrowthSample[]> => {
  const contenders = [contenderAt('now', fileURLToPath(new URL('../../bin/vitrine.js', import.meta.url)))];
  if (options.before !== undefined) contenders.push(contenderAt('before', `${options.before}/bin/vitrine.js`));
  const samples: GrowthSample[] = [];
  for (const products of options.products) {
    await using database = await openGrowthDatabase(serverUrl, products, log);
    await readOnce(contenders[0], database);
    for (const contender of contenders) {
      log(`${products} products, ${contender.name}`);
      samples.push(await measure(contender, database, options));
    }
  }
  return samples;
};
