import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { serialize } from 'node:v8';
import { catalogueOf } from '../database/catalogue.ts';
import { openBenchDatabases } from '../database/database.ts';
import { cpuUsOfEach, type FixedRequest, writeRequests } from '../load/requests.ts';
import { whenAndWhere } from '../machine/machine.ts';
import { medianOf } from '../measure/median.ts';
import { endWithHelp, makeDirectory } from '../program.ts';
import { count } from '../report/format.ts';
import { markdownTable } from '../report/table.ts';
import { LIMIT, SOURCE } from '../servers/contenders.ts';
import type { KnownAnswer } from '../servers/known-answers.ts';
import { type RunningServer, startServer } from '../servers/start.ts';
import type { Call } from '../workloads/workload.ts';

// What an answer for agents costs from memory, beside answers of REST and GraphQL of the same size, and beside what a bare `node:http` server
// takes for the same bytes: `npm run bench:agents`.

const HELP = `Measures what an answer for agents costs from memory, beside answers of REST (by GET) and of GraphQL (by POST) of the same size, and what
a bare node:http server takes for the answer of each (for agents and for REST): two minutes.

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

const answerTo = async ({ method, target, body }: FixedRequest): Promise<Buffer> => {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(new URL(target, gateway.url), { method, headers, body: body ?? null });
  if (response.status !== 200) throw new Error(`${target} was answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
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
  lists.REST.push([rest, (await answerTo(rest)).byteLength]);
  lists.GraphQL.push([graphql, (await answerTo(graphql)).byteLength]);
}

const nearestTo = (bytes: number, door: keyof typeof lists): FixedRequest => {
  const [nearest] = lists[door].toSorted(([, a], [, b]) => Math.abs(a - bytes) - Math.abs(b - bytes));
  if (!nearest) throw new Error('there is no list');
  return nearest[0];
};

/** What is asked in each row: the gateway by agents, by REST and by GraphQL, then a bare server by agents and by REST. */
const asked: (readonly [what: string, bytes: number, requests: readonly FixedRequest[]])[] = [];
const known: KnownAnswer[] = [];
for (const [what, request] of ASKED) {
  const answer = await answerTo(request);
  const requests = [request, nearestTo(answer.byteLength, 'REST'), nearestTo(answer.byteLength, 'GraphQL')];
  for (const each of requests) {
    // The limit looks a POST up by its body alone.
    const call = each.method === 'GET' ? each : { ...each, target: '/graphql' };
    known.push({ call: call as Call, contentType: 'application/json', body: await answerTo(each) });
  }
  asked.push([what, answer.byteLength, requests]);
}
const ANSWERS = path.join(directory, 'answers');
await writeFile(ANSWERS, serialize(known));
await using limit = await startServer({
  contender: LIMIT,
  environment: { ANSWERS },
  firstCall: { method: 'GET', target: asked[0]?.[2][1]?.target ?? '' },
});
// Node writes a short body fastest as a string of one byte a character.
limit.tell('latin1');

const rows: string[][] = [];
for (const [number, [what, bytes, requests]] of asked.entries()) {
  const [agents, rest, graphql] = await Promise.all(
    requests.map(async (request, place) => {
      const file = path.join(directory, `${number}-${place}`);
      await writeRequests(file, [request]);
      return file;
    }),
  );
  const runs = [
    [gateway, agents],
    [gateway, rest],
    [gateway, graphql],
    [limit, agents],
    [limit, rest],
  ] as [RunningServer, string][];
  const costs = runs.map((): number[] => []);
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    for (const [place, [server, file]] of runs.entries()) {
      const cost = await cpuUsOfEach(server, file);
      // In the first, what is run is compiled.
      if (round > 0) costs[place]?.push(cost);
    }
  }
  const [ours = 0, byRest = 0, byGraphql = 0, barePost = 0, bareGet = 0] = costs.map(medianOf);
  const figures = [ours, byRest, byGraphql, barePost, bareGet].map((us) => us.toFixed(1));
  const ratios = [byRest / ours, byGraphql / ours, bareGet / barePost, barePost / ours].map((ratio) =>
    ratio.toFixed(2),
  );
  rows.push([what, count(bytes), ...figures, ...ratios]);
  console.error(rows.at(-1)?.join('  '));
}
console.log(
  `\`npm run bench:agents\` ${whenAndWhere()}: from memory, 64 connections; medians of ${values.rounds} rounds of 1 s.\n`,
);
const HEAD = ['', 'bytes', 'CPU, µs', 'REST', 'GraphQL', 'bare POST', 'bare GET'];
console.log(markdownTable([...HEAD, 'of REST', 'of GraphQL', 'bare POST of bare GET', 'of bare POST'], rows));
