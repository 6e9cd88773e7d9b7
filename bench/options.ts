import { parseArgs } from 'node:util';
import { endWithHelp } from './program.ts';
import { CONTENDERS, LIMIT, QUICK_WORKLOADS } from './servers/contenders.ts';

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
  /** Codes by the names of servers, where not each is asked all of them. */
  readonly workloadsOf: Readonly<Record<string, readonly string[]>>;
  readonly databaseUrl: string | undefined;
  readonly json: string | undefined;
  /** Whether docs/benchmarks.md and its chart are written. */
  readonly report: boolean;
}

/**
 * Many short rounds in place of few long ones: a shared machine is two to three times as slow for 10 s or a minute, and a server is compared with the limit of
 * the same round. With 3 rounds of 5 s the shares of an unchanged cell were 61 % in one run and 103 in another.
 */
const ROUNDS = 12;
const QUICK_ROUNDS = 3;

/** A quick run fills its database, and the index of each gateway, with fewer: the CPU time of a request hardly depends on it. */
const PRODUCTS = 100_000;
const QUICK_PRODUCTS = 10_000;

const HELP = `Measures the gateway and its peers against the limit of node:http, and checks every answer.

  npm run bench -- [options]

  --quick               the gateway alone, what tells most, fewer rounds and products: three minutes on a quiet machine
  --rounds N            rounds in which every server is visited (${ROUNDS}; quick: ${QUICK_ROUNDS})
  --seconds N           length of one measurement (1)
  --products N          products in the catalogue (${PRODUCTS}; quick: ${QUICK_PRODUCTS})
  --only a,b            servers: ${[LIMIT, ...CONTENDERS].map(({ name }) => name).join(', ')}
  --workloads a,b       workloads: W1, W2, … as docs/benchmarks.md lists them
  --database-url URL    a scratch PostgreSQL server to make a database on, instead of the embedded one
  --json FILE           every sample as JSON
  --report, --no-report whether to write docs/benchmarks.md and bench/chart.svg (by default when nothing is left out)`;

const list = (text: string | undefined): string[] | undefined => text?.split(',').map((item) => item.trim());

/** Those of the command line. @throws Error that says what is wrong */
export const readOptions = (): Options => {
  const { values } = parseArgs({
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
  if (values.help) endWithHelp(HELP);
  const { quick } = values;
  const names = CONTENDERS.map(({ name }) => name);
  const only = list(values.only);
  const workloadsOf = quick && !only && !values.workloads ? QUICK_WORKLOADS : {};
  const stranger = only?.find((name) => name !== LIMIT.name && !names.includes(name));
  if (stranger !== undefined)
    throw new Error(`There is no server "${stranger}"; there are ${[LIMIT.name, ...names].join(', ')}.`);
  return {
    quick,
    products: positive('products', values.products ?? String(quick ? QUICK_PRODUCTS : PRODUCTS)),
    rounds: positive('rounds', values.rounds ?? String(quick ? QUICK_ROUNDS : ROUNDS)),
    seconds: positive('seconds', values.seconds ?? '1'),
    only:
      only ??
      CONTENDERS.flatMap(({ name, isOptional }) => (isOptional || (quick && !(name in QUICK_WORKLOADS)) ? [] : name)),
    workloads: list(values.workloads),
    workloadsOf,
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
