import { parseArgs } from 'node:util';
import { catalogueOf } from '../database/catalogue.ts';
import { openBenchDatabases } from '../database/database.ts';
import { serverOf } from '../database/kept-database.ts';
import { runWrk } from '../load/wrk.ts';
import { chooseCores, moveToCore } from '../machine/cores.ts';
import { whenAndWhere } from '../machine/machine.ts';
import { cpuUsOf, rssMbOf } from '../machine/process-usage.ts';
import type { Bench, Cell } from '../measure/cell.ts';
import { medianOf } from '../measure/median.ts';
import { createCell, startContender, warm } from '../measure/run-workload.ts';
import { settle } from '../measure/usage.ts';
import { positive } from '../options.ts';
import { endWithHelp, makeDirectory, runProgram, type Surroundings } from '../program.ts';
import { markdownTable } from '../report/table.ts';
import { CONTENDERS, type Contender, GATEWAY_FLAGS } from '../servers/contenders.ts';
import type { RunningServer } from '../servers/start.ts';
import type { Method } from '../workloads/workload.ts';
import { createWorkloads } from '../workloads/workloads.ts';

// What Node's flags for memory cost and save: `npm run bench:flags`.

const HELP = `Measures what flags of Node for memory cost and save: CPU of a request, and memory; 20 minutes.

  npm run bench:flags -- [options]

  --rounds N            rounds in which each is asked for a second (6)
  --products N          products in the catalogue (100,000)
  --database-url URL    a scratch PostgreSQL server to make a database on, instead of the embedded one`;

/** Megabytes of half of V8's young generation. */
const SEMI_SPACES = [8, 16, 32];

/** By how much the old generation may grow before it is collected, in percent; undefined is V8's own rule. */
const GROWTHS = [40, 60, undefined];

/** @param isAnew whether the client makes each request as it sends it, so that the gateway is not quite busy */
interface Column {
  readonly title: string;
  readonly workload: string;
  readonly method: Method;
  readonly isFirstAsked: boolean;
  readonly isAnew: boolean;
}

const COLUMNS: readonly Column[] = [
  { title: 'W1', workload: 'W1', method: 'GET', isFirstAsked: false, isAnew: false },
  { title: 'W1, slower client', workload: 'W1', method: 'GET', isFirstAsked: false, isAnew: true },
  { title: 'W8', workload: 'W8', method: 'POST', isFirstAsked: false, isAnew: false },
  { title: 'W8, slower client', workload: 'W8', method: 'POST', isFirstAsked: false, isAnew: true },
  { title: 'W4, first asked', workload: 'W4', method: 'POST', isFirstAsked: true, isAnew: true },
  { title: 'W8, first asked', workload: 'W8', method: 'POST', isFirstAsked: true, isAnew: true },
];

const flagsOf = (semiSpace: number, growth: number | undefined): string[] => [
  `--max-semi-space-size=${semiSpace}`,
  ...(growth === undefined ? [] : [`--heap-growing-percent=${growth}`]),
];

const VARIANTS = SEMI_SPACES.flatMap((semiSpace) => GROWTHS.map((growth) => flagsOf(semiSpace, growth)));

/** The flags of `npm start` that are not for the sizes of the heap. */
const OTHER_FLAGS = GATEWAY_FLAGS.filter((flag) => !/semi-space|heap-growing/.test(flag));

const contenderWith = (flags: readonly string[], name: 'gateway' | 'gateway-first'): Contender => {
  const like = CONTENDERS.find((each) => each.name === name) as Contender;
  const command = [...flags, ...OTHER_FLAGS, ...like.command.filter((word) => !GATEWAY_FLAGS.includes(word))];
  // The warmed one is asked by both methods.
  return { ...like, name: `${name}${flags.join('')}`, command };
};

/** What a variant was measured with. */
interface Variant {
  readonly flags: readonly string[];
  readonly warm: RunningServer;
  readonly first: RunningServer;
  readonly idleMb: number;
  /** By column, in microseconds a request. */
  readonly costs: number[][];
}

const cpuUsOfEach = async ({ server, method, requestFile }: Cell, bench: Bench, round: number, isAnew: boolean) => {
  const beforeUs = cpuUsOf(server.pid) ?? Number.NaN;
  const args = [method, requestFile, round + 1, isAnew ? 'anew' : ''];
  const { url } = server;
  const { requests } = await runWrk({ url, args, seconds: 1, core: bench.loadCore, signal: bench.signal });
  return ((cpuUsOf(server.pid) ?? Number.NaN) - beforeUs) / requests;
};

const run = async ({ signal, cleanup }: Surroundings): Promise<void> => {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      rounds: { type: 'string', default: '6' },
      products: { type: 'string', default: '100000' },
      'database-url': { type: 'string' },
    },
  });
  if (values.help) endWithHelp(HELP);
  const rounds = positive('rounds', values.rounds);
  const catalogue = catalogueOf(positive('products', values.products));
  const databases = await openBenchDatabases({ catalogue, serverUrl: values['database-url'], log: console.error });
  cleanup.use(databases);
  const directory = await makeDirectory('flags-', cleanup);
  const cores = chooseCores();
  const { postmaster } = await serverOf(databases.shared.client);
  const bench: Bench = { postmaster, loadCore: cores?.load, signal };
  const workloads = createWorkloads(catalogue);

  const start = async (contender: Contender): Promise<RunningServer> => {
    const server = cleanup.use(await startContender(contender, { databases }));
    await settle(server.pid, postmaster);
    if (cores) moveToCore(cores.server, server.pid);
    return server;
  };
  const variants: Variant[] = [];
  for (const flags of VARIANTS) {
    const warmed = await start(contenderWith(flags, 'gateway'));
    const idleMb = rssMbOf(warmed.pid) ?? Number.NaN;
    const first = await start(contenderWith(flags, 'gateway-first'));
    variants.push({ flags, warm: warmed, first, idleMb, costs: COLUMNS.map(() => []) });
  }

  for (const [place, { title, workload: code, method, isFirstAsked, isAnew }] of COLUMNS.entries()) {
    const workload = workloads.find((each) => each.code === code);
    if (!workload) throw new Error(`There is no workload ${code}.`);
    const cells: Cell[] = [];
    for (const { warm: warmed, first } of variants) {
      const server = isFirstAsked ? first : warmed;
      const cell = await createCell(server, workload, method, { databases, directory, running: cleanup });
      await warm(cell, { bench, rounds });
      cells.push(cell);
    }
    for (let round = 0; round < rounds; round += 1)
      for (const [index, cell] of cells.entries())
        variants[index]?.costs[place]?.push(await cpuUsOfEach(cell, bench, round, isAnew));
    console.error(`${title}: ${variants.map(({ costs }) => medianOf(costs[place] ?? []).toFixed(1)).join('  ')}`);
  }

  const digits = (us: number): string => us.toFixed(us < 100 ? 1 : 0);
  const rows = variants.map(({ flags, warm: warmed, first, idleMb, costs }) => [
    `\`${flags.join(' ')}\``,
    ...costs.map((each) => digits(medianOf(each))),
    ...[idleMb, rssMbOf(warmed.pid), rssMbOf(first.pid)].map((mb) => (mb ?? Number.NaN).toFixed(0)),
  ]);
  console.log(
    `\`npm run bench:flags\` ${whenAndWhere()}: CPU of a request in µs, medians of ${rounds} rounds of 1 s in turn; RSS in MB.\n`,
  );
  console.log(markdownTable(['', ...COLUMNS.map(({ title }) => title), 'idle', 'warm', 'first asked'], rows));
};

await runProgram(run);
