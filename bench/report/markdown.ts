import type { Results } from '../benchmark.ts';
import { CONNECTIONS } from '../load/wrk.ts';
import { count, DASH, percent } from './format.ts';
import { limitsOf } from './limits.ts';
import { noiseOf } from './noise.ts';
import type { Row } from './summary.ts';
import { markdownTable } from './table.ts';
import { tablesOf } from './tables.ts';

/** BENCHMARKS.md. @param workers the section of `npm run bench:workers`, where there is one */
export const toMarkdown = (results: Results, rows: readonly Row[], workers: string | undefined): string =>
  [
    '# Benchmarks',
    'Written by `npm run bench`; the next run writes over it.',
    '![Share of the limit by workload and server](bench/chart.svg)',
    conditions(results),
    HOW_TO_READ,
    '## Workloads',
    workloadTable(results),
    ...tablesOf(results, rows).flatMap(({ title, note, head, rows: cells }) => [
      `## ${title}`,
      note,
      markdownTable(['', ...head], cells),
    ]),
    '## What limits each cell',
    'The shares are of this run; the sentences are from looking at where the time goes, with a profiler (bench/report/limits.ts).',
    limitTable(rows),
    ...(workers === undefined ? [] : [workers]),
    FURTHER,
    '## Run it',
    RUN_IT,
  ].join('\n\n');

const conditions = (results: Results): string => {
  const { date, options, machine } = results;
  const { products, rounds, seconds } = options;
  const { processor, processors, memoryGb, system, cores, versions } = machine;
  const pinning = cores
    ? `the server on core ${cores.server}, the load generator on core ${cores.load}, PostgreSQL where the system puts it`
    : 'no process pinned to a core';
  return [
    `Measured on ${date.slice(0, 10)}: ${count(products)} products, ${CONNECTIONS} connections, ${rounds === 1 ? 'one round' : `medians of ${rounds} rounds`} of ${seconds} s.`,
    `${processors} × ${processor}, ${memoryGb} GB, ${system}; ${pinning}.`,
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')
      .concat('.'),
    ...noiseOf(results),
  ].join('\n');
};

const HOW_TO_READ = `## How to read it

- **The limit** is a bare \`node:http\` server that has every answer in memory, the very bytes that the gateway gives: it looks the target or the
  body up, has Node write the head, writes the body: what any server on \`node:http\` does, so the other numbers are shares of it. It has two doors:
  GET, and POST with the body read. Each server is compared with the door that it was asked through.
- **fastify + pg** and **mercurius** are what a team would write by hand: prepared statements, \`lateral\` joins, schemas for the serializer, the
  JIT, loaders. **Yoga + Pothos + Prisma** is the stack of the gateway as its documentations show it, on indexes made for it.
- **Vitrine, cache warm** has its default settings but for a line a request in the log, which no server here writes, and was asked everything once before: 20,000 products, 500 pairs of categories, the rest whole.
  **Cache off** is \`CACHE_MAX_MB=0\`, over all 100,000 products and all pairs; requests that are equal and in flight at the same time still share
  one execution, which is why the lists of one form (W2, W3, W5, W6, W8, W9) ask PostgreSQL for little.
- W9 is all 20 root categories, 10 products of each, and the category of each product.
- W1 to W7 are asked of REST servers as GET of the path, and of GraphQL servers as POST of the document behind it. W8 and W9 are GraphQL only.
- Before and after each cell an answer of each server is compared, field by field and in its order, with what plain SQL says; after the
  counting cells the counters in the database must have grown by the answers, plus at most the open connections. A server that answers wrongly, or
  with an error, or drops a connection, ends the run.`;

const workloadTable = ({ workloads }: Results): string =>
  markdownTable(
    ['', 'what is asked', 'the limit writes it as', 'bytes of a body, GET', 'POST'],
    workloads.map(({ code, title, bodyBytes, limitForm }) => [
      code,
      title,
      limitForm,
      count(bodyBytes.GET),
      count(bodyBytes.POST),
    ]),
    { textColumns: 3 },
  );

const limitTable = (rows: readonly Row[]): string => {
  const cells = rows.flatMap(({ name, label, figures }) =>
    [...figures].map(([code, { share, cores }]) => [
      `${label}, ${code}`,
      limitsOf(name, code) ?? DASH,
      percent(share),
      count(cores, 2),
    ]),
  );
  const known = cells.filter(([, sentence]) => sentence !== DASH);
  return markdownTable(['cell', 'what limits it', 'share', 'cores of the server'], known, { textColumns: 2 });
};

// Measured apart, on 2026-11-20: not of this run.
const FURTHER = `## What Prisma costs

CPU of the process for one query, 64 in flight, measured apart from this run: \`findMany\` of 1 row 238 µs and of 64 rows 753 µs; our own prepared
statement for the same rows 51 and 305 µs. Hence what every request needs is SQL of our own on DataLoader, and Prisma keeps the roots of the tree, the
types and the migrations; what it sends is prepared once a connection too.

## A larger catalogue

With 1,000,000 products instead of 10,000 (\`--products\`, cache off), a request costs the server the same CPU (product by id 83 against 86 µs, two
categories 732 against 729 µs, both runs beside other work), and answers a second differ by less than a tenth. PostgreSQL, on its
default 128 MB of shared buffers, takes 20 against 15 µs for a product, and 766 against 355 µs for two categories: rows that are not in its buffers.

## What watching costs

Of an answer from memory (W2, medians of 7 rounds of 1 s, quiet): 14.0 µs of CPU with metrics, 14.0 without, 13.8 with metrics and traces of one
request in a hundred; the rounds of the limit differ by more.

## How far runs differ

The machine is shared, and shares differ with what its neighbours do: in one run of three rounds, of the limit's requests a second Vitrine with a warm cache had 90, 84 and 78 % (W1) and 43, 50 and
53 % (W7a, one notice). By itself, with the cache off (\`npm run bench -- --only gateway-off --workloads W1,W4 --rounds 3 --seconds 3\`), a product by id cost 39 µs of CPU in one hour and 52 in
another, of the same code or nearly; two categories 314 to 379 µs, 2,100 to 2,500 a second, against twice that beside the other servers of a whole run.

Of counted views, gateway and PostgreSQL take turns, because all 64 connections wait for the commit: of notices spread over 300 ids, a view is 21 µs of the gateway and 10 of PostgreSQL,
and 31,000 a second are reached; of one notice 16 and 3.4 µs, and 47,000 to 51,000. With PostgreSQL pinned to the other core it was the same.

A change is newer than the run above: \`process.nextTick\` is compiled at the start, while all that it is given looks alike (src/fast-path/heap.ts). Side by side, 9 rounds of one second, a
page of notices from memory had 95 % of the requests a second of a bare server with it and 89 % without.

## When too much is asked for

\`npm run bench:overload -- --seconds 8\`: requests come at their own pace, hardly one of them in memory; what is refused is refused with a 503. What can be carried is the most that was
answered of such requests. The load generator, a program of Node's, shares the cores with the gateway and PostgreSQL.

| asked for, times what can be carried | good answers a second | p50, p99, ms | refused a second | p99, ms |
| --- | ---: | ---: | ---: | ---: |
| a list of 10 by REST: 1 (2,605 a second) | 2,605 | 3, 23 | 0 | |
| 2 | 2,410 | 406, 531 | 2,676 | 37 |
| 4 | 2,011 | 491, 600 | 8,283 | 47 |
| 8 | 1,256 | 768, 979 | 19,456 | 142 |
| a page of 50 by GraphQL: 1 (834 a second) | 833 | 6, 114 | 0 | |
| 2 | 775 | 967, 1,082 | 792 | 112 |
| 4 | 715 | 1,002, 1,314 | 2,527 | 112 |
| 8 | 640 | 996, 1,260 | 5,939 | 91 |

At four times the load that is 77 and 86 % of the most. What is missing goes into refusing: to read a request from one of thousands of connections and to write any answer
costs a bare \`node:http\` server 15 to 30 µs. So there is no such figure for single products by id, of which 7,000 to 10,000 a second can be carried: four times that is more than a bare
server could even refuse beside its generator. There the rest waits in the system's buffers, and only limits in front help (connections of a proxy, \`RATE_LIMIT_PER_MINUTE\`).

Thousands of clients that come at once are let in at once: Node takes in one connection of a listening socket each time around its event loop, and with 20 ms of work each
time the last of them waited for 4 s before anybody looked at its request. The gateway listens by sixteen sockets.`;

const RUN_IT = `\`\`\`sh
npm ci
npm run bench                                  # about 25 minutes, writes this file
npm run bench -- --quick                       # two to three minutes, prints only
npm run bench -- --only gateway --workloads W1,W8 --rounds 5
npm run bench -- --only gateway-unwatched,gateway,gateway-traced --workloads W1,W7a --rounds 30 --seconds 1   # what watching costs
npm run bench -- --help
npm run bench:workers                          # about 4 minutes, writes the section on workers
\`\`\`

It brings its own PostgreSQL, in a temporary directory. The load generator is \`wrk\`; the command says how to install it when it is missing.
`;
