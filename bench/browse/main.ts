import { parseArgs } from 'node:util';
import { startServerIn } from '../database/database.ts';
import { positive } from '../options.ts';
import { endWithHelp, runProgram, type Surroundings } from '../program.ts';
import { openBrowseDatabase } from './database.ts';
import { measureInProcess } from './in-process.ts';
import { measureBrowse } from './measure.ts';
import { toMarkdown, writeBrowse } from './report.ts';

// Browsing and search in a large catalogue: `npm run bench:browse`.

const HELP = `Measures browsing and search by the index in memory, also while products change, and by PostgreSQL.

  npm run bench:browse -- [options]

  --products N          products in the catalogue (1000000, which takes minutes to make)
  --seconds N           length of the measurement of each kind of question (10)
  --changes N           products that are changed a second (1000)
  --data-dir DIRECTORY  where the embedded PostgreSQL keeps the catalogue for the next run; by default it goes with it
  --in-process          the index alone, without a database: 10000000 products take half an hour, and 5 GB of memory
  --report, --no-report whether to write the section in docs/benchmarks.md (by default with the default catalogue)`;

/** As for a database of some gigabytes: the defaults of PostgreSQL are for one that fits into 128 MB. */
const SETTINGS = { shared_buffers: '1GB', max_wal_size: '4GB' };

const { values } = parseArgs({
  allowNegative: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    products: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    changes: { type: 'string', default: '1000' },
    'data-dir': { type: 'string' },
    'in-process': { type: 'boolean' },
    report: { type: 'boolean' },
  },
});
if (values.help) endWithHelp(HELP);

const run = async ({ signal, cleanup }: Surroundings): Promise<void> => {
  const log = console.error;
  const products = positive('products', values.products ?? '1000000');
  if (values['in-process']) {
    console.log(measureInProcess(products));
    return;
  }
  const serverUrl = await startServerIn(values['data-dir'], cleanup, SETTINGS);
  const database = cleanup.use(await openBrowseDatabase(serverUrl, products, { log, signal }));
  const seconds = positive('seconds', values.seconds);
  const changesPerSecond = positive('changes', values.changes);
  const markdown = toMarkdown(await measureBrowse(database, { seconds, changesPerSecond, log, signal }), products);
  console.log(markdown);
  if (values.report ?? values.products === undefined) await writeBrowse(markdown);
};

await runProgram(run);
