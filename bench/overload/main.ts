import { parseArgs } from 'node:util';
import { catalogueOf } from '../database/catalogue.ts';
import { openBenchDatabases } from '../database/database.ts';
import { CONTENDERS } from '../servers/contenders.ts';
import { startServer } from '../servers/start.ts';
import { openLoop, type Sample } from './open-loop.ts';

// What becomes of good answers when more is asked for than can be done: `npm run bench:overload -- --seconds 10`.

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '8' }, products: { type: 'string', default: '10000' } },
});
const seconds = Number(values.seconds);
const catalogue = catalogueOf(Number(values.products));

/** Keeps as many under way as finish the most. */
const CONCURRENCY = 64;
const WARM_UP_S = 4;
/** Of what is done at most when the clients wait: somewhere among these is what can be carried of requests that come at their own pace. */
const RAMP = [0.25, 0.5, 0.625, 0.75, 1];
const FACTORS = [0.5, 1, 2, 4, 8];
const HOT = '/api/product/hot?limit=10';

const random = (below: number): number => 1 + Math.floor(Math.random() * below);
const get = (target: string): string => `GET ${target} HTTP/1.1\r\nhost: x\r\n\r\n`;
const post = (query: string, variables: unknown): string => {
  const body = JSON.stringify({ query, variables });
  return `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};
const categories = (): number[] => [1, 2, 3].map(() => random(catalogue.categories));

const PAGE = `query Page($ids: [Int!]!, $limit: Int!) { products(categoryIds: $ids, orderBy: PRICE_ASC, limit: $limit) {
  id name price { amount currencyCode } category { name parent { name } } } }`.replaceAll(/\s+/g, ' ');

/** Hardly ever the same twice, so that none is in memory. */
const WORKLOADS: Readonly<Record<string, () => string>> = {
  'one product, REST': () => get(`/api/product/${random(catalogue.products)}?`),
  'a list of 10, REST': () => get(`/api/product/list?limit=10&categoryIds=${categories()}`),
  'a page of 50, GraphQL': () => post(PAGE, { ids: categories(), limit: 50 }),
};

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const goodPerSecond = (samples: readonly Sample[]): number =>
  samples.filter(({ status, isInTime }) => status === 200 && isInTime).length / seconds;

const row = (label: string, asked: number, samples: readonly Sample[]): string => {
  const good = samples.filter(({ status }) => status === 200).map(({ ms }) => ms);
  const refused = samples.filter(({ status }) => status === 503).map(({ ms }) => ms);
  for (const list of [good, refused]) list.sort((a, b) => a - b);
  const other = samples.length - good.length - refused.length;
  const cells = [
    label,
    Math.round(asked),
    Math.round(goodPerSecond(samples)),
    Math.round(percentile(good, 0.5)),
    Math.round(percentile(good, 0.99)),
    Math.round(refused.length / seconds),
    Math.round(percentile(refused, 0.99)),
    other,
  ];
  return cells.map((cell) => String(cell).padStart(12)).join('');
};

const HEAD = ['', 'asked/s', 'good/s', 'p50 ms', 'p99 ms', 'refused/s', 'p99 ms', 'other'];

await using databases = await openBenchDatabases({ catalogue, serverUrl: undefined, log: console.error });
const contender = CONTENDERS.find(({ name }) => name === 'gateway');
if (!contender) throw new Error('the gateway is no contender');

for (const [name, nextRequest] of Object.entries(WORKLOADS)) {
  await using server = await startServer({
    contender,
    // The memory for answers is so small that only what is asked for all the time stays in it.
    environment: { DATABASE_URL: databases.shared.url, CACHE_MAX_MB: '1', LOG_REQUESTS: 'none' },
    core: undefined,
    firstCall: { method: 'GET', target: HOT },
  });
  using load = openLoop(server.url, nextRequest);
  using people = openLoop(server.url, () => get(Math.random() < 0.8 ? HOT : '/livez'));
  await load.saturate(CONCURRENCY, WARM_UP_S);
  const atOnce = goodPerSecond(await load.saturate(CONCURRENCY, seconds));
  // Requests that come at their own pace cost more than the same 64 that come back: the server, and the generator, which has the same cores.
  let carried = 0;
  for (const share of RAMP) carried = Math.max(carried, goodPerSecond(await load.run(atOnce * share, seconds)));
  const [most, steady] = [atOnce, carried].map(Math.round);
  console.log(
    `\n${name}: ${steady} a second can be carried (${most} where the same ${CONCURRENCY} clients wait for each other)\n`,
  );
  console.log(HEAD.map((cell) => cell.padStart(12)).join(''));
  for (const factor of FACTORS) {
    const [samples, known] = await Promise.all([load.run(carried * factor, seconds), people.run(50, seconds)]);
    console.log(row(`${factor} x`, carried * factor, samples));
    if (factor === FACTORS.at(-1)) console.log(row('in memory', 50, known));
  }
}
