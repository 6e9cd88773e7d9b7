import { type ServingProcess, startGatewayProcess } from '../support/process.ts';
import { createRestartableDatabase, type RestartableDatabase } from '../support/restartable-database.ts';
import { numbers } from '../support/views.ts';
import { PROBE } from './probe.ts';
import { HEAD_ONLY_ID, PRODUCT_COUNT } from './requests.ts';

/** An instance that may be killed and started again at its address. */
export interface Instance extends AsyncDisposable {
  readonly url: string;
  readonly process: () => ServingProcess;
  readonly kill: () => Promise<void>;
  readonly startAgain: () => Promise<void>;
  /** Whether it was killed, or not there again, at any time between these two moments. */
  readonly wasDown: (fromMs: number, toMs: number) => boolean;
}

/** Small, so that it is full before memory is measured. */
const CACHE_MAX_MB = '2';

export const startInstance = async (databaseUrl: string): Promise<Instance> => {
  const environment = { DATABASE_URL: databaseUrl, CACHE_MAX_MB, NODE_OPTIONS: PROBE };
  let running = await startGatewayProcess(environment);
  const { url } = running;
  const downs: { fromMs: number; toMs: number }[] = [];
  return {
    url,
    process: () => running,
    kill: async () => {
      downs.push({ fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY });
      running.command.child.kill('SIGKILL');
      await running.command.ended;
    },
    startAgain: async () => {
      running = await startGatewayProcess({ ...environment, PORT: new URL(url).port });
      const down = downs.at(-1);
      if (down) down.toMs = performance.now();
    },
    wasDown: (fromMs, toMs) => downs.some((down) => down.fromMs <= toMs && fromMs <= down.toMs),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
};

export const PRODUCT_IDS = numbers(1, PRODUCT_COUNT);
/** The notices that are viewed, in effect all the time. */
export const VIEWED_IDS = numbers(1, HEAD_ONLY_ID - 1);

const ROWS = [
  `insert into category (id, name, slug) values (1, 'Cups', 'cups'), (2, 'Plates', 'plates')`,
  `insert into product (id, category_id, name, slug, price, description, published_at)
   select n, 1 + n % 2, 'P' || n, 'p' || n, 0, repeat('word ', 40), timestamptz '2020-01-01Z' + n * interval '1 day' from generate_series(1, ${PRODUCT_COUNT}) n`,
  `insert into notice (title, content, starts_at) select 'Viewed ' || n, 'Content', '2020-01-01Z' from generate_series(1, ${HEAD_ONLY_ID}) n`,
];

/** A database with a small shop in it: every product costs 0. */
export const createShop = async (): Promise<RestartableDatabase> => {
  const database = await createRestartableDatabase();
  for (const row of ROWS) await database.sql(row);
  return database;
};
