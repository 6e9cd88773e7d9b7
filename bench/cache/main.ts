import { parseArgs } from 'node:util';
import { startServerIn } from '../database/database.ts';
import { positive } from '../options.ts';
import { endWithHelp, runProgram, type Surroundings } from '../program.ts';
import { measureCaches } from './measure.ts';
import { toText, writeCache } from './report.ts';

// Hit rate, memory and CPU by the size of the cache: `npm run bench:cache`.

const HELP = `Measures hit rate, memory and CPU time by the size of the cache (CACHE_MAX_MB).

  npm run bench:cache -- [options]

  --products a,b        sizes of the catalogue (1000000,10000000)
  --cache a,b           sizes of the cache, in MB (0,16,64,256,1024)
  --exponent X          of Zipf's law, by which products are asked for (0.87)
  --seconds N           length of one measurement (8)
  --data-dir DIRECTORY  where the embedded PostgreSQL keeps the catalogues for the next run; by default they go with it (13 GB)
  --report, --no-report whether to write the section in docs/benchmarks.md and its chart (by default when nothing is left out)`;

/** As for a database of some gigabytes: the defaults of PostgreSQL are for one that fits into 128 MB. */
const SETTINGS = { shared_buffers: '1GB', max_wal_size: '2GB', wal_level: 'minimal', max_wal_senders: '0' };

const { values } = parseArgs({
  allowNegative: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    products: { type: 'string' },
    cache: { type: 'string' },
    exponent: { type: 'string' },
    seconds: { type: 'string', default: '8' },
    'data-dir': { type: 'string' },
    report: { type: 'boolean' },
  },
});
if (values.help) endWithHelp(HELP);

const run = async ({ signal, cleanup }: Surroundings): Promise<void> => {
  const { products, cache, exponent } = values;
  const options = {
    products: (products ?? '1000000,10000000').split(',').map((text) => positive('products', text)),
    cacheMb: (cache ?? '0,16,64,256,1024').split(',').map(Number),
    exponent: Number(exponent ?? '0.87'),
    seconds: positive('seconds', values.seconds),
  };
  const serverUrl = await startServerIn(values['data-dir'], cleanup, SETTINGS);
  const samples = await measureCaches(serverUrl, options, { log: console.error, signal });
  console.log(toText(samples));
  if (values.report ?? !(products || cache || exponent)) await writeCache(samples, options);
};

await runProgram(run);
