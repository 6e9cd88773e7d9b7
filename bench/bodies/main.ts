import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { catalogueOf } from '../database/catalogue.ts';
import { openBenchDatabases } from '../database/database.ts';
import { whenAndWhere } from '../machine/machine.ts';
import { medianOf } from '../measure/median.ts';
import { endWithHelp } from '../program.ts';
import { markdownTable } from '../report/table.ts';
import { SOURCE } from '../servers/contenders.ts';
import { startServer } from '../servers/start.ts';

// How long large bodies hold other requests up: `npm run bench:bodies`.

const HELP = `Measures how long ten bodies of nearly 1 MiB, sent at once, hold up other requests: half a minute.

  npm run bench:bodies -- [options]

  --rounds N            rounds for each kind of body (7)
  --database-url URL    a scratch PostgreSQL server to make a database on, instead of the embedded one`;

const AT_ONCE = 10;
const BYTES = 1_048_000;
const PRODUCTS = 1000;

/** As many items as a body may have bytes, with what the request has besides. */
const listOf = (item: string): string => `[${Array(Math.floor(BYTES / (item.length + 1))).fill(item)}]`;

const NUMBERS = listOf('7');
const TEXTS = listOf('"product/7"');
const OBJECTS = `[${Array(4900).fill(`{"name":"${'x'.repeat(190)}"}`)}]`;

const callOf = (name: string, catalog: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":{"catalog":${catalog}}}}`;
const operationOf = (variables: string): string =>
  `{"query":"query($a: [Int!]) { products(categoryIds: $a, limit: 1) { id } }","variables":{"a":${variables}}}`;

/** What a body is, where it is sent, and the body. */
const BODIES: readonly (readonly [what: string, path: string, body: string])[] = [
  ['GraphQL: half a million ids', '/graphql', operationOf(NUMBERS)],
  ['GraphQL: 4,900 objects', '/graphql', operationOf(OBJECTS)],
  ['GraphQL: one text', '/graphql', operationOf(`"${'x'.repeat(BYTES)}"`)],
  ['agents: a look-up of half a million numbers', '/ucp/catalog/lookup', `{"ids":${NUMBERS}}`],
  ['agents: a look-up of one id 87,000 times', '/ucp/catalog/lookup', `{"ids":${TEXTS}}`],
  ['agents: a selection of 4,900 options', '/ucp/catalog/product', `{"id":"product/7","selected":${OBJECTS}}`],
  ['MCP: a look-up of half a million numbers', '/ucp/mcp', callOf('lookup_catalog', `{"ids":${NUMBERS}}`)],
  ['MCP: a look-up of one id 87,000 times', '/ucp/mcp', callOf('lookup_catalog', `{"ids":${TEXTS}}`)],
  [
    'MCP: 2,400 calls in a batch',
    '/ucp/mcp',
    `[${Array(2400).fill('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')}]`,
  ],
];

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    rounds: { type: 'string', default: '7' },
    'database-url': { type: 'string' },
  },
});
if (values.help) endWithHelp(HELP);

await using databases = await openBenchDatabases({
  catalogue: catalogueOf(PRODUCTS),
  serverUrl: values['database-url'],
  log: console.error,
});
await using gateway = await startServer({
  contender: SOURCE,
  environment: { DATABASE_URL: databases.shared.url, LOG_REQUESTS: 'misses', UCP: 'on' },
  firstCall: { method: 'GET', target: '/api/product/hot' },
});

const post = (path: string, body: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: '*/*', 'content-length': Buffer.byteLength(body) };
    const sent = request(new URL(path, gateway.url), { method: 'POST', headers }, (response) => {
      text(response).then(() => resolve(response.statusCode ?? 0), reject);
    });
    sent.on('error', reject).end(body);
  });

/** Asks one after another, until the bodies are answered. @returns the longest wait in milliseconds */
const longestWait = async (answered: Promise<unknown>, targetOf: (number: number) => string): Promise<number> => {
  let isOver = false;
  void answered.finally(() => {
    isOver = true;
  });
  let longestMs = 0;
  for (let number = 1; !isOver; number += 1) {
    const startMs = performance.now();
    await gateway.client.call({ method: 'GET', target: targetOf(number) });
    longestMs = Math.max(longestMs, performance.now() - startMs);
  }
  return longestMs;
};

const rows: string[][] = [];
for (const [what, path, body] of BODIES) {
  const waits: { known: number; read: number; all: number }[] = [];
  let status = 0;
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    const startMs = performance.now();
    const bodies = Promise.all(Array.from({ length: AT_ONCE }, () => post(path, body)));
    const [known, read, statuses] = await Promise.all([
      longestWait(bodies, () => '/api/product/hot'),
      // Each of these is read from the database.
      longestWait(bodies, (number) => `/api/product/list?limit=${1 + (number % 100)}&categoryIds=${round},${number}`),
      bodies,
    ]);
    status = statuses[0] ?? 0;
    // In the first, what is run is compiled.
    if (round > 0) waits.push({ known, read, all: performance.now() - startMs });
  }
  const median = (pick: (wait: (typeof waits)[number]) => number): string => medianOf(waits.map(pick)).toFixed(0);
  rows.push([what, String(status), median(({ known }) => known), median(({ read }) => read), median(({ all }) => all)]);
  console.error(rows.at(-1)?.join('  '));
}
console.log(
  `The longest wait of another request while ${AT_ONCE} bodies came at once, ${whenAndWhere()}; medians of ${values.rounds} rounds.\n`,
);
console.log(markdownTable(['ten bodies', 'status', 'known, ms', 'read, ms', 'all answered after, ms'], rows));
