import { parseArgs } from 'node:util';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import { catalogueOf } from '../database/catalogue.ts';
import { startServerIn } from '../database/database.ts';
import { fillCatalogue } from '../database/fill.ts';
import { connect } from '../database/kept-database.ts';
import { whenAndWhere } from '../machine/machine.ts';
import { positive } from '../options.ts';
import { endWithHelp, runProgram, type Surroundings } from '../program.ts';
import { count } from '../report/format.ts';
import { markSection, writeSection } from '../report/section.ts';
import { markdownTable } from '../report/table.ts';
import { measureWrites, type WriteSample } from './measure.ts';

// What the gateway's indexes and triggers cost those who write: `npm run bench:writes`.

const HELP = `Measures what the indexes and triggers of the gateway cost those who write, beside a table with the indexes alone, and one with a primary key alone: three minutes.

  npm run bench:writes -- [options]

  --products N          products in the catalogue (100000)
  --rounds N            rounds in which each kind of write is measured in the three tables (5)
  --report, --no-report whether to write the section in docs/benchmarks.md (by default with the default catalogue)`;

/** Without what the disk costs, and what is done at other times: a checkpoint makes the first write of each page a whole page in the WAL. */
const SETTINGS = {
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_wal_size: '8GB',
  shared_buffers: '512MB',
};

const { values } = parseArgs({
  allowNegative: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    products: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    report: { type: 'boolean' },
  },
});
if (values.help) endWithHelp(HELP);

const SECTION = { page: 'benchmarks.md', script: 'bench:writes' };

const toMarkdown = (samples: readonly WriteSample[], products: number): string => {
  const time = (us: number): string => (us < 10_000 ? `${count(us)} µs` : `${count(us / 1000)} ms`);
  const size = (bytes: number): string => (bytes < 100_000 ? `${count(bytes)} B` : `${count(bytes / 1e6, 1)} MB`);
  return markSection(SECTION, [
    `\`npm run bench:writes\` ${whenAndWhere()}: ${count(products)} products, of which a quarter have four variants each; one statement a transaction, which does not wait for the disk; medians of ${values.rounds} rounds. *Bare* is a table of the same columns with a primary key alone; *plain* has the same indexes as ours, too, but no triggers, checks and words.`,
    markdownTable(
      ['', 'CPU, bare', 'plain', 'ours', 'of plain', 'WAL, bare', 'plain', 'ours'],
      samples.map(({ what, costs: { bare, plain, ours } }) => [
        what,
        ...[bare, plain, ours].map(({ cpuUs }) => time(cpuUs)),
        (ours.cpuUs / plain.cpuUs).toFixed(2),
        ...[bare, plain, ours].map(({ walBytes }) => size(walBytes)),
      ]),
    ),
  ]);
};

const run = async ({ cleanup }: Surroundings): Promise<void> => {
  const products = positive('products', values.products ?? '100000');
  const url = await startServerIn(undefined, cleanup, SETTINGS);
  await applyMigrations({ url, log: () => {} });
  const catalogue = catalogueOf(products);
  await fillCatalogue(url, catalogue);
  const client = await connect(url);
  cleanup.defer(() => client.end());
  await client.query('vacuum (analyze) category, product, product_words');
  const markdown = toMarkdown(await measureWrites(client, products, positive('rounds', values.rounds)), products);
  console.log(markdown);
  if (values.report ?? values.products === undefined) await writeSection(SECTION, markdown);
};

await runProgram(run);
