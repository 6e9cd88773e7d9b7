import { parseArgs } from 'node:util';
import { CONTENDERS, LIMIT } from './servers/contenders.ts';

export interface Options {
  /** Whether what the last whole run knows is taken from it, and what is not compared with it is left out. */
  readonly quick: boolean;
  readonly products: number;
  readonly rounds: number;
  readonly seconds: number;
  /** Names of servers; the limit is always measured. */
  readonly only: readonly string[];
  /** Codes of workloads; undefined for all. */
  readonly workloads: readonly string[] | undefined;
  readonly databaseUrl: string | undefined;
  readonly json: string | undefined;
  /** Whether docs/benchmarks.md and its chart are written. */
  readonly report: boolean;
}

export const HELP = `Measures the gateway and its peers against the limit of node:http, and checks every answer.

  npm run bench -- [options]

  --quick               the gateway without its peers, two rounds of one second: five minutes in all
  --rounds N            rounds in which every server is visited (3)
  --seconds N           length of one measurement (5)
  --products N          products in the catalogue (100000)
  --only a,b            servers: ${[LIMIT, ...CONTENDERS].map(({ name }) => name).join(', ')}
  --workloads a,b       workloads: W1, W2, … as docs/benchmarks.md lists them
  --database-url URL    a scratch PostgreSQL server to make a database on, instead of the embedded one
  --json FILE           every sample as JSON
  --report, --no-report whether to write docs/benchmarks.md and bench/chart.svg (by default when nothing is left out)`;

const list = (text: string | undefined): string[] | undefined => text?.split(',').map((item) => item.trim());

/** @returns undefined when only help is asked for. @throws Error that says what is wrong */
export const readOptions = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      products: { type: 'string' },
      only: { type: 'string' },
      workloads: { type: 'string' },
      'database-url': { type: 'string' },
      json: { type: 'string' },
      report: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  const { quick } = values;
  const names = CONTENDERS.map(({ name }) => name);
  const only = list(values.only);
  const stranger = only?.find((name) => name !== LIMIT.name && !names.includes(name));
  if (stranger !== undefined)
    throw new Error(`There is no server "${stranger}"; there are ${[LIMIT.name, ...names].join(', ')}.`);
  return {
    quick,
    products: positive('products', values.products ?? '100000'),
    rounds: positive('rounds', values.rounds ?? (quick ? '2' : '3')),
    seconds: positive('seconds', values.seconds ?? (quick ? '1' : '5')),
    only:
      only ?? CONTENDERS.filter(({ isOptional, isPeer }) => !(isOptional || (quick && isPeer))).map(({ name }) => name),
    workloads: list(values.workloads),
    databaseUrl: values['database-url'],
    json: values.json,
    report: values.report ?? !(quick || values.only || values.workloads || values.products),
  };
};

/** A whole number above 0 from the command line. @throws Error that says what is wrong */
export const positive = (name: string, text: string): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} takes whole numbers above 0.`);
};
