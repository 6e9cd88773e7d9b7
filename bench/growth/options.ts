import { parseArgs } from 'node:util';
import { positive } from '../options.ts';
import { endWithHelp } from '../program.ts';

export interface GrowthOptions {
  /** Sizes of the catalogue. */
  readonly products: readonly number[];
  readonly seconds: number;
  readonly commitsPerSecond: number;
  readonly requestsPerSecond: number;
  /** A checkout of another version, measured beside this one. */
  readonly before: string | undefined;
  readonly databaseUrl: string | undefined;
}

const HELP = `Measures what grows with the catalogue, and what readers notice while the back office writes.

  npm run bench:growth -- [options]

  --products a,b        sizes of the catalogue (10000,1000000)
  --seconds N           length of one burst (8)
  --commits N           prices that the back office commits a second in a burst (1000)
  --requests N          requests a second meanwhile (500)
  --before DIRECTORY    a checkout of another version with what it needs installed, measured beside this one
  --database-url URL    a PostgreSQL server on this machine, as its superuser; the catalogues stay there for the next run. By
                        default the embedded one, whose catalogues go with it`;

/** Those of the command line. @throws Error that says what is wrong */
export const readGrowthOptions = (): GrowthOptions => {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      products: { type: 'string' },
      seconds: { type: 'string', default: '8' },
      commits: { type: 'string', default: '1000' },
      requests: { type: 'string', default: '500' },
      before: { type: 'string' },
      'database-url': { type: 'string' },
    },
  });
  if (values.help) endWithHelp(HELP);
  return {
    products: (values.products ?? '10000,1000000').split(',').map((text) => positive('products', text)),
    seconds: positive('seconds', values.seconds),
    commitsPerSecond: positive('commits', values.commits),
    requestsPerSecond: positive('requests', values.requests),
    before: values.before,
    databaseUrl: values['database-url'],
  };
};
