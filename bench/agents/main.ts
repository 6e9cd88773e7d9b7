import path from 'node:path';
import { parseArgs } from 'node:util';
import { catalogueOf } from '../database/catalogue.ts';
import { openBenchDatabases } from '../database/database.ts';
import { cpuUsOfEach, type FixedRequest, writeRequests } from '../load/requests.ts';
import { whenAndWhere } from '../machine/machine.ts';
import { medianOf } from '../measure/median.ts';
import { endWithHelp, makeDirectory } from '../program.ts';
import { count } from '../report/format.ts';
import { markdownTable } from '../report/table.ts';
import { SOURCE } from '../servers/contenders.ts';
import { startServer } from '../servers/start.ts';

// What an answer for agents costs from memory, beside answers of REST and GraphQL of the same size: `npm run bench:agents`.

const HELP = `Measures what an answer for agents costs from memory, beside answers of REST (by GET) and of GraphQL (by POST) of the same size: a minute.

  npm run bench:agents -- [options]

  --rounds N            rounds in which each is asked for a second (5)
  --database-url URL    a scratch PostgreSQL server to make a database on, instead of the embedded one`;

const PRODUCTS = 1000;

const post = (target: string, body: object): FixedRequest => ({
  method: 'POST',
  target,
  accept: 'application/json',
  body: JSON.stringify(body),
});

const SEARCH = { filters: { price: { min: 0 } } };

const ASKED: readonly (readonly [what: string, request: FixedRequest])[] = [
  ['a page of 10', post('/ucp/catalog/search', { ...SEARCH, pagination: { limit: 10 } })],
  [
    'the same, with a context',
    post('/ucp/catalog/search', { ...SEARCH, context: { currency: 'EUR' }, pagination: { limit: 10 } }),
  ],
  ['a page of 50', post('/ucp/catalog/search', { ...SEARCH, pagination: { limit: 50 } })],
  ['a look-up of 20', post('/ucp/catalog/lookup', { ids: Array.from({ length: 20 }, (_, n) => `product/${n + 1}`) })],
  ['a product', post('/ucp/catalog/product', { id: 'product/1' })],
];

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    rounds: { type: 'string', default: '5' },
    'database-url': { type: 'string' },
  },
});
if (values.help) endWithHelp(HELP);

await using databases = await openBenchDatabases({
  catalogue: catalogueOf(PRODUCTS),
  serverUrl: values['database-url'],
  log: console.error,
});
await using cleanup = new AsyncDisposableStack();
const directory = await makeDirectory('agents-', cleanup);
await using gateway = await startServer({
  contender: SOURCE,
  environment: { DATABASE_URL: databases.shared.url, LOG_REQUESTS: 'none', UCP: 'on' },
  firstCall: { method: 'GET', target: '/api/product/1' },
});

const bytesOf = async ({ method, target, body }: FixedRequest): Promise<number> => {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(new URL(target, gateway.url), { method, headers, body: body ?? null });
  if (response.status !== 200) throw new Error(`${target} was answered ${response.status}`);
  return (await response.arrayBuffer()).byteLength;
};

const FIELDS =
  '{ id name slug subtitle description brand price { amount currencyCode } stock imageUrls category { name } }';

/** Lists of every length that there may be, each with its size; asked for, they are in memory. */
const lists: Record<'REST' | 'GraphQL', (readonly [request: FixedRequest, bytes: number])[]> = {
  REST: [],
  GraphQL: [],
};
for (let limit = 1; limit <= 100; limit += 1) {
  const rest: FixedRequest = { method: 'GET', target: `/api/product/hot?limit=${limit}` };
  const graphql = post('/graphql', { query: `{ hotProducts(limit: ${limit}) ${FIELDS} }` });
  lists.REST.push([rest, await bytesOf(rest)]);
  lists.GraphQL.push([graphql, await bytesOf(graphql)]);
}

const nearestTo = (bytes: number, door: keyof typeof lists): FixedRequest => {
  const [nearest] = lists[door].toSorted(([, a], [, b]) => Math.abs(a - bytes) - Math.abs(b - bytes));
  if (!nearest) throw new Error('there is no list');
  return nearest[0];
};

const rows: string[][] = [];
for (const [number, [what, request]] of ASKED.entries()) {
  const bytes = await bytesOf(request);
  const requests = [request, nearestTo(bytes, 'REST'), nearestTo(bytes, 'GraphQL')];
  const files = requests.map((_, place) => path.join(directory, `${number}-${place}`));
  for (const [place, file] of files.entries()) await writeRequests(file, [requests[place] as FixedRequest]);
  const costs = files.map((): number[] => []);
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const [place, file] of files.entries()) {
      const cost = await cpuUsOfEach(gateway, file);
      // In the first, what is run is compiled.
      if (round > 0) costs[place]?.push(cost);
    }
  }
  const [agents = 0, rest = 0, graphql = 0] = costs.map(medianOf);
  const figures = [agents, rest, graphql].map((us) => us.toFixed(1));
  rows.push([what, count(bytes), ...figures, (rest / agents).toFixed(2), (graphql / agents).toFixed(2)]);
  console.error(rows.at(-1)?.join('  '));
}
console.log(
  `\`npm run bench:agents\` ${whenAndWhere()}: from memory, 64 connections; medians of ${values.rounds} rounds of 1 s.\n`,
);
console.log(markdownTable(['', 'bytes', 'CPU, µs', 'REST', 'GraphQL', 'of REST', 'of GraphQL'], rows));
