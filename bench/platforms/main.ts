import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startServerIn } from '../database/database.ts';
import { serverOf } from '../database/kept-database.ts';
import { chooseCores, moveToCore } from '../machine/cores.ts';
import { whenAndWhere } from '../machine/machine.ts';
import { medianOf } from '../measure/median.ts';
import { positive } from '../options.ts';
import { endWithHelp, makeDirectory, runProgram, type Surroundings } from '../program.ts';
import { count } from '../report/format.ts';
import { markSection, writeSection } from '../report/section.ts';
import { markdownTable } from '../report/table.ts';
import { type Contender, SOURCE } from '../servers/contenders.ts';
import { startServer } from '../servers/start.ts';
import { fillVendure, installVendure, openSource, VENDURE_ENVIRONMENT, VENDURE_VERSION } from './database.ts';
import { measure, type Platform } from './measure.ts';
import { questionsAbout } from './questions.ts';

// A whole shop platform beside the gateway: `npm run bench:platforms`.

const HELP = `Measures Vendure, which it installs from npm, and the gateway, both with the same products, on the same pages of a shop.

  npm run bench:platforms -- [options]

  --rounds N            rounds in which each server is visited (3)
  --products N          products in the catalogue, with three variants each (10000)
  --data-dir DIRECTORY  where Vendure and both catalogues stay for the next run; by default they go with it
  --report, --no-report whether to write the section in docs/benchmarks.md (by default with the default catalogue)`;

const SECTION = { page: 'benchmarks.md', script: 'bench:platforms' };
/** For all: the defaults of PostgreSQL are for a database that fits into 128 MB. */
const SETTINGS = { shared_buffers: '1GB', max_wal_size: '4GB' };
const COLUMNS = ['page', 'server', 'requests a second', 'p95, ms', 'CPU of the server, µs', 'of PostgreSQL', 'RSS, MB'];
const FIRST_CALL = { method: 'POST', target: '/graphql', body: '{"query":"{ __typename }"}' } as const;
const VENDURE: Contender = {
  name: 'vendure',
  label: `Vendure ${VENDURE_VERSION}`,
  command: [path.join(import.meta.dirname, 'vendure/server.ts')],
  environment: VENDURE_ENVIRONMENT,
  methods: ['POST'],
};

const { values } = parseArgs({
  allowNegative: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    rounds: { type: 'string', default: '3' },
    products: { type: 'string' },
    'data-dir': { type: 'string' },
    report: { type: 'boolean' },
  },
});
if (values.help) endWithHelp(HELP);

const run = async ({ signal, cleanup }: Surroundings): Promise<void> => {
  const options = { log: console.error, signal };
  const rounds = positive('rounds', values.rounds);
  const products = positive('products', values.products ?? '10000');
  const directory = await makeDirectory('platforms-', cleanup);
  const dataDir = values['data-dir'] ?? directory;
  const serverUrl = await startServerIn(dataDir, cleanup, SETTINGS);
  const packages = await installVendure(dataDir, options);
  const { url: sourceUrl, client } = cleanup.use(await openSource(serverUrl, products, options));
  const vendureUrl = await fillVendure(serverUrl, { packages, sourceUrl, products }, options);

  const cores = chooseCores();
  const load = os.loadavg()[0]?.toFixed(1);
  const start = async (contender: Contender, environment: Readonly<Record<string, string>>) => {
    const server = cleanup.use(await startServer({ contender, environment, firstCall: FIRST_CALL }));
    if (cores) moveToCore(cores.server, server.pid);
    return server;
  };
  // Vendure lets a statement take as long as it likes.
  const ours = { DATABASE_URL: sourceUrl, DATABASE_TIMEOUT_MS: '60000', LOG_REQUESTS: 'none' };
  const warm = await start({ ...SOURCE, label: 'Vitrine, cache warm' }, ours);
  const off = await start({ ...SOURCE, label: 'Vitrine, cache off' }, { ...ours, CACHE_MAX_MB: '0' });
  const vendure = await start(VENDURE, { PACKAGES: packages, DATABASE_URL: vendureUrl });
  const platforms: readonly Platform[] = [
    { server: warm, form: 'vitrine', isWarm: true },
    { server: off, form: 'vitrine' },
    { server: vendure, form: 'vendure' },
  ];

  const { version, postmaster } = await serverOf(client);
  const bench = { ...options, postmaster, loadCore: cores?.load, directory, rounds };
  const lines: string[][] = [];
  for (const question of await questionsAbout(client, products)) {
    const samples = await measure(question, platforms, bench);
    for (const [index, { server }] of platforms.entries()) {
      const median = (key: keyof (typeof samples)[number][number], digits = 0): string =>
        count(medianOf((samples[index] ?? []).map((sample) => sample[key])), digits);
      const cells = [
        median('perSecond', 1),
        median('p95Ms', 1),
        median('serverUs'),
        median('postgresUs'),
        median('rssMb'),
      ];
      lines.push([question.title, server.contender.label, ...cells]);
    }
  }
  const markdown = markSection(SECTION, [
    `\`npm run bench:platforms\` ${whenAndWhere()}, with a load of ${load} before: ${count(products)} products with three variants each, PostgreSQL ${version}, Node.js ${process.versions.node}, medians of ${rounds} rounds. CPU is that of a request.`,
    markdownTable(COLUMNS, lines, { textColumns: 2 }),
  ]);
  console.log(markdown);
  if (values.report ?? values.products === undefined) await writeSection(SECTION, markdown);
};

await runProgram(run);
