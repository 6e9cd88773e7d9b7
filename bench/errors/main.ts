import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serialize } from 'node:v8';
import { catalogueOf } from '../database/catalogue.ts';
import { openBenchDatabases } from '../database/database.ts';
import { cpuUsOfEach, type FixedRequest, writeRequests } from '../load/requests.ts';
import { medianOf } from '../measure/median.ts';
import { endWithHelp, makeDirectory } from '../program.ts';
import { markdownTable } from '../report/table.ts';
import { SOURCE } from '../servers/contenders.ts';
import { startServer } from '../servers/start.ts';
import { FAILURES, keyOf, type Recorded } from './failures.ts';

// What a request that fails costs, beside a bare server that answers the same bytes: `npm run bench:errors`.

const HELP = `Measures what a request that fails costs, beside a bare server that answers the same bytes: 25 seconds for each kind.

  npm run bench:errors -- [options]

  --only PART           the kinds with this in their names:
${Object.keys(FAILURES)
  .map((title) => `                          ${title}`)
  .join('\n')}
  --database-url URL    a scratch PostgreSQL server to make a database on, instead of the embedded one`;

/** After one more, in which both compile what they run. */
const ROUNDS = 5;
const RECORDED_AT_ONCE = 50;
/** Few enough to be remembered; and so many that most are new. */
const REPEATED = 300;
const MADE_UP = 20_000;

const LIMIT = fileURLToPath(new URL('./limit.ts', import.meta.url));

const record = async (url: string, failure: FixedRequest): Promise<Recorded> => {
  const { method, target, accept = '', body } = failure;
  const headers = { ...(accept && { accept }), ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(new URL(target, url), { method, headers, body: body ?? null });
  return {
    key: keyOf(failure),
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    body: Buffer.from(await response.arrayBuffer()).toString('latin1'),
  };
};

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    only: { type: 'string', default: '' },
    'database-url': { type: 'string' },
  },
});
if (values.help) endWithHelp(HELP);
const kinds = Object.entries(FAILURES).filter(([title]) => title.includes(values.only));
if (kinds.length === 0) throw new Error(`--only: no kind has "${values.only}" in its name.`);

await using databases = await openBenchDatabases({
  catalogue: catalogueOf(1000),
  serverUrl: values['database-url'],
  log: console.error,
});
await using cleanup = new AsyncDisposableStack();
const directory = await makeDirectory('errors-', cleanup);
const first = { method: 'GET', target: '/api/product/1' } as const;
// As an operator starts it, but for the lines in the log.
const environment = { DATABASE_URL: databases.shared.url, LOG_REQUESTS: 'misses' };
await using gateway = await startServer({ contender: SOURCE, environment, firstCall: first });

const rows: string[][] = [];
for (const [title, make] of kinds) {
  const cells: string[] = [];
  for (const count of [REPEATED, MADE_UP]) {
    const failures = Array.from({ length: count }, (_, number) => make(number));
    const file = path.join(directory, 'requests.txt');
    const answers = path.join(directory, 'answers');
    await writeRequests(file, failures);
    const recorded: Recorded[] = [];
    for (let done = 0; done < count; done += RECORDED_AT_ONCE) {
      const some = failures.slice(done, done + RECORDED_AT_ONCE);
      recorded.push(...(await Promise.all(some.map((failure) => record(gateway.url, failure)))));
    }
    const ok = { key: 'GET /api/product/1 ', status: 200, contentType: 'text/plain', body: '' };
    await writeFile(answers, serialize([...recorded, ok]));
    await using limit = await startServer({
      contender: { name: 'limit', label: 'the limit', command: [LIMIT], methods: ['GET', 'POST'] },
      environment: { ANSWERS: answers },
      firstCall: first,
    });
    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [our, its] = [await cpuUsOfEach(gateway, file), await cpuUsOfEach(limit, file)];
      if (round === 0) continue;
      ours.push(our);
      bare.push(its);
    }
    cells.push(medianOf(ours).toFixed(0), (medianOf(bare) / medianOf(ours)).toFixed(2));
  }
  rows.push([title, ...cells]);
  console.error(rows.at(-1)?.join('  '));
}
console.log(markdownTable(['', 'sent before, µs', 'of the limit', 'made up, µs', 'of the limit'], rows));
