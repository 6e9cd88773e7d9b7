import { parseArgs } from 'node:util';
import { positive } from '../options.ts';
import { endWithHelp } from '../program.ts';

export interface WorkersOptions {
  /** Numbers of workers that are compared, the first with the rest. */
  readonly workers: readonly number[];
  readonly products: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly databaseUrl: string | undefined;
  /** Whether the section in docs/benchmarks.md is written. */
  readonly report: boolean;
}

const HELP = `Measures one process against several (WORKERS), and checks every answer.

  npm run bench:workers -- [options]

  --workers a,b         numbers of workers (1,2)
  --quick               one round of one second
  --rounds N            rounds in which each is visited (5)
  --seconds N           length of one measurement (5)
  --products N          products in the catalogue (100000)
  --database-url URL    a scratch PostgreSQL server to make a database on, instead of the embedded one
  --report, --no-report whether to write the section in docs/benchmarks.md (by default when nothing is left out)`;

/** Those of the command line. @throws Error that says what is wrong */
export const readWorkersOptions = (): WorkersOptions => {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      quick: { type: 'boolean', default: false },
      workers: { type: 'string', default: '1,2' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      products: { type: 'string', default: '100000' },
      'database-url': { type: 'string' },
      report: { type: 'boolean' },
    },
  });
  if (values.help) endWithHelp(HELP);
  const { quick, rounds = quick ? '1' : '5', seconds = quick ? '1' : '5' } = values;
  return {
    workers: values.workers.split(',').map((text) => positive('workers', text)),
    products: positive('products', values.products),
    rounds: positive('rounds', rounds),
    seconds: positive('seconds', seconds),
    databaseUrl: values['database-url'],
    report: values.report ?? !(quick || values.products !== '100000'),
  };
};
