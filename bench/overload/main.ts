import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { catalogueOf } from '../database/catalogue.ts';
import { openBenchDatabases } from '../database/database.ts';
import { serverOf } from '../database/kept-database.ts';
import { medianOf } from '../measure/median.ts';
import { readUsage, settle, usedBetween } from '../measure/usage.ts';
import { positive } from '../options.ts';
import { endWithHelp } from '../program.ts';
import { SOURCE } from '../servers/contenders.ts';
import { startServer } from '../servers/start.ts';
import type { LoadOptions, Order } from './load.worker.ts';
import { isGood, openLoop, type Run, type Sample } from './open-loop.ts';
import { HOT_TARGET, isWorkload, nextKnown, TITLES, WORKLOADS, type Workload } from './requests.ts';

// What becomes of good answers when more is asked for than can be done: `npm run bench:overload -- --seconds 4`.

const HELP = `Measures what becomes of good answers at one, two, four and eight times the load that can be carried.

  npm run bench:overload -- [options]

  --seconds N           length of one measurement (8)
  --rounds N            how often each load is measured: the report has the medians (1)
  --products N          products in the catalogue (10000)
  --connections N       of the load (2000)
  --only a,b            what is asked for: ${Object.keys(WORKLOADS).join(', ')}`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '1' },
    products: { type: 'string', default: '10000' },
    connections: { type: 'string', default: '2000' },
    only: { type: 'string', default: Object.keys(WORKLOADS).join(',') },
  },
});
if (values.help) endWithHelp(HELP);
const seconds = positive('seconds', values.seconds);
const rounds = positive('rounds', values.rounds);
const connections = positive('connections', values.connections);
const catalogue = catalogueOf(positive('products', values.products));
const workloads = values.only.split(',').map((name): Workload => {
  if (isWorkload(name)) return name;
  throw new Error(`--only takes ${Object.keys(WORKLOADS).join(', ')}.`);
});

/** Keeps as many under way as finish the most. */
const CONCURRENCY = 64;
const WARM_UP_S = 4;
/**
 * Of what is done at most when the same clients come back with the next request as soon as they have an answer: about so much can be carried of requests
 * that come at their own pace. They cost more: the server, and the generator, which has the same cores.
 */
const OWN_PACE = 0.9;
const FACTORS = [1, 2, 4, 8];
/** Requests a second for what is in memory, over connections of their own. */
const KNOWN_PER_S = 100;
/** They come before the load does, too: without them, what they ask for would have dropped out of memory. */
const KNOWN_BEFORE_S = 0.5;

const percentile = (
  samples: readonly Sample[],
  share: number,
  of: (sample: Sample) => number = ({ ms }) => ms,
): number => {
  const sorted = samples.map(of).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};

const goodOf = ({ samples }: Run) => samples.filter(isGood);

const goodPerSecond = (run: Run): number => goodOf(run).filter(({ isInTime }) => isInTime).length / seconds;

/** What becomes of a load: the columns of the report. */
const figuresOf = (load: Run, known: Run, carried: number, used: { server: number; postgres: number }) => {
  const good = goodOf(load);
  const refused = load.samples.filter(({ outcome }) => outcome === '503');
  return {
    'good/s': goodPerSecond(load),
    'of carried, %': (goodPerSecond(load) / carried) * 100,
    'p50 ms': percentile(good, 0.5),
    'p99 ms': percentile(good, 0.99),
    'known p99 ms': percentile(known.samples, 0.99),
    'sent late p99': percentile([...load.samples, ...known.samples], 0.99, ({ lateMs }) => lateMs),
    'known failed': known.unsent + known.samples.length - goodOf(known).length,
    'refused/s': refused.length / seconds,
    'unsent/s': load.unsent / seconds,
    'failed/s': (load.samples.length - good.length - refused.length) / seconds,
    'µs/good': used.server / good.length,
    'pg µs/good': used.postgres / good.length,
  };
};

type Figures = ReturnType<typeof figuresOf>;

/** How many of what was in memory were not answered from there, by cause. */
const causesOf = ({ samples, unsent }: Run): ReadonlyMap<string, number> => {
  const causes = new Map(unsent > 0 ? [['unsent', unsent]] : []);
  for (const { outcome } of samples) {
    if (outcome !== '200 hit' && outcome !== '200') causes.set(outcome, (causes.get(outcome) ?? 0) + 1);
  }
  return causes;
};

const line = (label: string, cells: readonly string[]): string =>
  label.padEnd(6) + cells.map((cell) => cell.padStart(15)).join('');

await using databases = await openBenchDatabases({ catalogue, serverUrl: undefined, log: console.error });
const { postmaster } = await serverOf(databases.shared.client);

const measure = async (workload: Workload): Promise<void> => {
  await using server = await startServer({
    contender: SOURCE,
    // The memory for answers is so small that only what is asked for all the time stays in it.
    environment: { DATABASE_URL: databases.shared.url, CACHE_MAX_MB: '1', LOG_REQUESTS: 'none' },
    firstCall: { method: 'GET', target: HOT_TARGET },
  });
  const options: LoadOptions = { url: server.url, workload, catalogue, connections };
  const worker = new Worker(new URL('load.worker.ts', import.meta.url), { workerData: options });
  const tell = async (order: Order): Promise<Run> => {
    worker.postMessage(order);
    const [run] = await once(worker, 'message');
    return run;
  };
  const run = (perSecond: number): Promise<Run> => tell({ kind: 'run', perSecond, seconds });
  using people = openLoop(server.url, nextKnown);

  await tell({ kind: 'saturate', concurrency: CONCURRENCY, seconds: WARM_UP_S });
  const carriable: number[] = [];
  const figuresByFactor = new Map<number, Figures[]>(FACTORS.map((factor) => [factor, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [factor, figures] of figuresByFactor) {
      // Each time again: others have the machine too.
      const atOnce = goodPerSecond(await tell({ kind: 'saturate', concurrency: CONCURRENCY, seconds }));
      const carried = goodPerSecond(await run(atOnce * OWN_PACE));
      carriable.push(carried);
      await settle(server.pid, postmaster);
      await people.run(KNOWN_PER_S, KNOWN_BEFORE_S);
      const before = readUsage(server.pid, postmaster);
      const [load, known] = await Promise.all([run(carried * factor), people.run(KNOWN_PER_S, seconds)]);
      const { server: serverUs = 0, postgres = 0 } = usedBetween(before, readUsage(server.pid, postmaster));
      const causes = [...causesOf(known)].map(([cause, count]) => `${count} of ${cause}`);
      if (causes.length > 0) console.log(`${factor} x: not answered from memory: ${causes.join(', ')}`);
      figures.push(figuresOf(load, known, carried, { server: serverUs, postgres }));
    }
  }
  console.log(`\n${TITLES[workload]}: ${Math.round(medianOf(carriable))} a second can be carried\n`);
  for (const [factor, figures] of figuresByFactor) {
    const columns = Object.keys(figures[0] ?? {}) as (keyof Figures)[];
    if (factor === FACTORS[0]) console.log(line('', columns));
    const cells = columns.map((column) => String(Math.round(medianOf(figures.map((each) => each[column])))));
    console.log(line(`${factor} x`, cells));
  }
  await worker.terminate();
};

for (const workload of workloads) await measure(workload);
