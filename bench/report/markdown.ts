import type { Results } from '../benchmark.ts';
import { CONNECTIONS } from '../load/wrk.ts';
import { ENOUGH_CHANGES } from '../measure/cell.ts';
import { WARM_UPS } from '../measure/run-workload.ts';
import { count } from './format.ts';
import { limitsOf } from './limits.ts';
import type { Row } from './summary.ts';
import { noiseOf } from './summary.ts';
import { markdownTable } from './table.ts';
import { tablesOf } from './tables.ts';

/** docs/benchmarks.md. @param workers the section of `npm run bench:workers`, where there is one */
export const toMarkdown = (results: Results, rows: readonly Row[], workers: string | undefined): string =>
  [
    '# Benchmarks',
    'Vitrine beside a bare `node:http` server and three other stacks. `npm run bench` writes this page; edit [bench/report](../bench/report) instead.',
    '![Share of the limit by workload and server](../bench/chart.svg)',
    conditions(results),
    METHOD,
    '## Workloads',
    workloadTable(results),
    ...tablesOf(results, rows)
      .filter(({ isForTerminal }) => !isForTerminal)
      .flatMap(({ title, note, head, rows: cells }) => [`## ${title}`, note, markdownTable(['', ...head], cells)]),
    '## What limits each server',
    'From looking at where the time goes with a profiler; the sentences are in `bench/report/limits.ts`.',
    limitLists(rows),
    ...(workers === undefined ? [] : [workers]),
    FURTHER,
    '## Run it',
    RUN_IT,
  ].join('\n\n');

const conditions = (results: Results): string => {
  const { date, options, machine } = results;
  const { products, rounds, seconds } = options;
  const { processor, processors, memoryGb, system, cores, commit, versions } = machine;
  const pinning = cores
    ? `the server on core ${cores.server}, the load generator on core ${cores.load}, PostgreSQL where the system puts it`
    : 'no process pinned to a core';
  return [
    `- **When**: ${date.slice(0, 10)}${commit === undefined ? '' : `, commit ${commit}`}. ${count(products)} products, ${CONNECTIONS} connections, ${rounds === 1 ? 'one round' : `medians of ${rounds} rounds`} of ${seconds} s.`,
    `- **Machine**: ${processors} × ${processor}, ${memoryGb} GB, ${system}; ${pinning}.`,
    `- **Versions**: ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}.`,
    ...noiseOf(results).map((sentence) => `- ${sentence}`),
  ].join('\n');
};

const METHOD = `## Method

- **The limit** is a bare \`node:http\` server that has every response in memory, the same bytes that Vitrine gives. It looks up the target or the body, and writes
  header and body. No server on \`node:http\` does less, so every other number is a share of it. It writes each response by itself, as Node does, and
  Vitrine those of a turn of the event loop together ([fast-path](fast-path.md)), so that a share can be above 100 %. Each server is compared with the limit for the same method: GET, or POST with its body.
- **fastify + pg** and **mercurius** are what a team would write by hand: prepared statements, \`lateral\` joins, schemas for the serializer, the JIT, loaders.
  **Yoga + Pothos + Prisma** is the stack of Vitrine as its documentation shows it, on indexes made for it.
- **Vitrine, cache warm** has its default settings, but writes no line a request to the log, as no server here does. Everything was asked for once before: 20,000 products, 500 pairs of categories,
  the rest whole. **Cache off** is \`CACHE_MAX_MB=0\`, over all 100,000 products and all pairs. Equal requests in flight still share one execution, which is why W2, W3, W5, W6, W8 and W9 ask
  PostgreSQL for little.
- **First asked** has its default settings and has read all rows, but hardly one of its answers was asked for before: documents that differ in their names (48, for W9 480), with random arguments: 5,000 products (W1), two of 200 categories (W4),
  5 to 15 products and one of 30 pages of notices (W8), 1 to 19 products of each category in three orders (W9).
- **One process of each server** answers all workloads, one after another, as in use; the limit is started for each. Before the first round of a workload a server is asked for a while, until V8 has compiled what it needs: first asked for ${WARM_UPS.firstAsked} s
  (W4 took 356 µs a request after 2 s, 140 after 7, 100 after 10), a warm cache for ${WARM_UPS.warm}, a cache that is off and the peers for ${WARM_UPS.others}.
- **1,000 changes a second** is a warm cache on a database of its own, in which a back office changes stock and price of 10,000 products, at random and one at a time, while W10 is asked,
  and for ${WARM_UPS.changing} s before the first round. What the changes themselves cost PostgreSQL is part of its CPU time. An answer that is read every 5 ms must show each change that was committed more than 100 ms before; otherwise the run ends.
  A round in which a slow or busy machine makes less than ${ENOUGH_CHANGES * 100} % of the changes is left out.
- REST servers are asked W1 to W7 and W10 by GET, GraphQL servers by POST of the document behind the path. W8 and W9 are GraphQL only. W9 is all 20 root categories, 10 products of each, and the category of each product.
- **Many short rounds**, in each of which all servers are asked in turn: a shared machine is two to three times as slow for 10 s or a minute, and then all of a round are. With 5 s for each server, the limit was asked in one phase and a server in the next.
  Where a second is too short for most of the 64 connections to get an answer (Yoga, W9), the server is asked for up to 16 s, and not in the rounds that this takes the place of.
- **Every answer is checked.** Before and after each cell, an answer of each server is compared with what plain SQL says. After the counting cells, the
  counters in the database must have grown by the answers, plus at most the open connections. A wrong answer, an error or a dropped connection ends the run.`;

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

/** One line for each server: what limits it, and in which workloads. */
const limitLists = (rows: readonly Row[]): string =>
  rows
    .flatMap(({ name, label, figures }) => {
      const known = [...figures.keys()].filter((code) => limitsOf(name, code) !== undefined);
      const bySentence = Map.groupBy(known, (code) => limitsOf(name, code));
      const sentences = [...bySentence].map(([sentence, codes]) => `${codes.join(', ')}: ${sentence}.`);
      return sentences.length > 0 ? [`- **${label}.** ${sentences.join(' ')}`] : [];
    })
    .join('\n');

// Measured apart from the run.
const FURTHER = `## Before and after the rebuild

On 22 November 2026 the code was rebuilt (commit 5d178af): other files and names, the same behaviour. Old and new, side by side on the same machine; new divided by old:

| | new / old |
| --- | --- |
| CPU of a request, from memory | 0.95 to 1.01 |
| CPU of a request, cache off | 0.69 to 0.89 |
| CPU of a counted view | 0.87 |
| memory (RSS) | 166 MB, before 170 MB |
| first GraphQL query after a start | 12 ms, before 173 ms |

## Further measurements

Measured apart from the run above, on 2026-11-20, on the same machine.

- **Prisma.** CPU of the process for one query, 64 in flight: \`findMany\` of 1 row 238 µs, of 64 rows 753 µs; a prepared statement of our own for the same rows 51 and 305 µs. So what every request
  needs is SQL of our own on DataLoader. Prisma keeps the types, the migrations and the import: its first query takes 31 MB of memory, for good (23 November 2026).
- **A larger catalogue.** With 1,000,000 products instead of 10,000 (cache off), a request costs the server the same CPU (a product 83 against 86 µs, two categories 732 against 729 µs). PostgreSQL, on its default 128 MB of
  shared buffers, takes 20 against 15 µs and 766 against 355 µs: rows that are not in its buffers. More in [Scaling](scaling.md#growth-measured).
- **Metrics and traces.** An answer from memory (W2) takes 14.0 µs of CPU with metrics, 14.0 without, and 13.8 with metrics and traces of one request in a hundred. Rounds of the limit differ by more.
- **How far runs differ.** The machine is shared. In one run of three rounds, Vitrine with a warm cache had 90, 84 and 78 % of the limit in W1, and 43, 50 and 53 % in W7a. With the cache off, a product
  cost 39 µs of CPU in one hour and 52 in another, and two categories 314 to 379 µs. On a quiet machine the limit gains most: with a warm cache W2 had 101 % of it beside other work (24 November 2026, 15.6 and 15.7 µs), and
  85 % without (25 November, 13.7 and 11.6 µs). So each run is compared with the last one, and says whether the limit took as long in it.
- **Counted views.** Gateway and PostgreSQL take turns, because all 64 connections wait for the commit. Of notices spread over 300 ids, a view costs 21 µs of the gateway and 10 of PostgreSQL, and 31,000 a second are reached; of
  one notice 16 and 3.4 µs, and 47,000 to 51,000. With PostgreSQL on a core of its own it was the same. The 64 clients fall into two groups by themselves: a statement has 32 to 34 views, and while it is under way the others are answered. To
  wait up to 0, 0.25 or 1 ms for more views made no difference that stood out of the noise. So the two cores are not full: in the tables above the gateway has 0.77 of its core with one notice and 0.64 with 300, PostgreSQL 0.14 and 0.30 of one,
  and the load generator, which serves the limit with one core, a half and 0.4. The rest is waiting for the commit.
- **Views without PostgreSQL.** \`npm run bench -- --only gateway,gateway-uncounted --workloads W7a,W7b\`: the counting statements are answered inside the process, so that what is left is the gateway's own. On a machine with ten other
  processes waiting for its two cores (23 November 2026, six rounds of a second in turn), a view of one notice cost the gateway 22 µs instead of 37 with 10 of PostgreSQL, one of 300 notices 26 instead of 48 with 24, and 3.4 and 3.9 times as many
  were counted.
- **\`process.nextTick\`**, compiled at the start while all its arguments look alike ([why](fast-path.md)): a page of notices from memory had 95 % of the limit with it and 89 % without (9 rounds of one second).

## Overload

\`npm run bench:overload -- --seconds 4\`: requests arrive at a fixed rate, and hardly one of them is in memory. They share 2,000 connections, as behind a proxy, each with one request at a time; what finds none free is
*not sent*. "1" is what can be carried, measured again before each load. *In memory* is the 99th percentile of a hundred requests a second that are (and \`/livez\`), over connections of their own; below the table the benchmark says how many of them were not answered from memory, and why. CPU is that of the gateway for one good answer, with all that
it spends on refusing. Measured on 27 November 2026 with \`--rounds 3\`, on the machine of the run above; gateway, PostgreSQL and generator share its two cores.

| offered load | good answers a second | of what could be carried just before | p50, p99, ms | in memory, p99, ms | refused a second | not sent | CPU of the gateway, of PostgreSQL, µs |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| one product by REST: 1 | 8,753 | 100 % | 4, 57 | 20 | 0 | 0 | 98, 23 |
| 2 | 8,709 | 90 % | 232, 382 | 37 | 0 | 8,103 | 132, 19 |
| 4 | 7,582 | 97 % | 24, 659 | 37 | 715 | 24,002 | 147, 17 |
| 8 | 7,921 | 95 % | 254, 587 | 36 | 305 | 55,385 | 136, 16 |
| a list of 10 by REST: 1 | 1,792 | 98 % | 24, 111 | 30 | 0 | 0 | 562, 251 |
| 2 | 1,939 | 95 % | 41, 624 | 41 | 1,073 | 774 | 497, 198 |
| 4 | 1,969 | 99 % | 40, 659 | 42 | 1,131 | 4,740 | 477, 207 |
| 8 | 1,762 | 95 % | 41, 666 | 32 | 1,074 | 12,109 | 554, 223 |
| a page of 50 by GraphQL: 1 | 914 | 99 % | 10, 80 | 27 | 0 | 0 | 743, 810 |
| 2 | 923 | 94 % | 37, 706 | 32 | 956 | 0 | 838, 750 |
| 4 | 979 | 100 % | 40, 687 | 41 | 1,115 | 1,664 | 790, 766 |
| 8 | 1,038 | 102 % | 41, 681 | 36 | 1,171 | 5,285 | 725, 710 |

- At every load from 2 on, at least 90 % of what can be carried is answered. 99 of 100 good answers come within 0.71 s: what has waited past its bound is refused, though an equal request may be
  answered just then. More than 100 % says that the machine gave more then than just before.
- Where all 2,000 connections can be answered within half of the longest wait (one product), nobody is refused, and a good answer comes after 250 ms (p50); in a slower round some are. With a tenth of it (three runs of each in turn), 800 to 1,050 a second were
  refused, a good answer came after 20 ms, and took 10 to 15 % less CPU.
- What is in memory comes within 32 to 42 ms (99th percentile), and all of it was answered; in single rounds within 26 to 59, on a slower machine (26 November) 40 to 58, on a quicker one (23 November) 18 to 44. With as many executions as the event loop gets through in 12 ms in place of 20 it comes no sooner
  (lists, three runs of each in turn: 43 and 45 ms in the median). Of equal requests that wait, one takes a turn and the others share its response; new connections wait for no more than 44 turns (below).
- While the load lasts, a turn of the event loop takes 5 ms of CPU, 10 to 15 in the 99th percentile, for a page, and less for the others; an answer from memory waits for one or two. On a busy machine a turn takes 2 to 8 times as long as its CPU time, and that is what the answer waits for:
  with 5 to 15 processes waiting for the two cores, a hit beside pages waited for 60 to 190 ms (99th percentile).
- On a machine that takes twice as long for a request (25 November 2026), 64 pages that were executed at the same time made the answers from memory wait: 57 to 101 ms in 12 loads from 2 to 8, with 68 to 88 % of what can be carried, a good page after 133 ms (p50). With as many as the event loop gets
  through in 20 or 25 ms: 34 to 68 ms in 17 of 18 loads (100 in one), 71 to 127 %, a page after 48 ms. A product by id and two categories by price (\`CACHE_MAX_MB=0\`) took 0.96 to 1.05 and 1.04 to 1.11 of the CPU that they took before, and with 24 at all times 1.09 and 1.07 to 1.14;
  two processes of the version before: 0.97 of each other.
- With refusals a good list or page takes 0.85 to 1.13 times the CPU that it takes with the load that can be carried; a product 1.35 to 1.5 times, also where none is refused. What is refused is refused late, and in small numbers (see [Operations](operations.md#overload)).
- Clients without a bound on their connections are another matter: each of their requests is read and refused. There only limits in front help (\`MAX_CONNECTIONS\`, \`RATE_LIMIT_PER_MINUTE\`, those of a proxy).

Of thousands of clients that connect at once 64 are accepted in each turn of the event loop, because the gateway listens with 64 sockets; Node accepts one connection of each. 2,000 clients are all accepted within 44 turns, with 16 sockets
within 146, with one within 1,999.`;

const RUN_IT = `\`\`\`sh
npm run bench                                  # about 26 minutes, writes this page
npm run bench -- --quick                       # the gateway without its peers, 20,000 products, in five minutes on a quiet machine; compared with the last committed run; prints only
npm run bench -- --only gateway --workloads W1,W8 --rounds 5
npm run bench -- --only gateway-unwatched,gateway,gateway-traced --workloads W1,W7a --rounds 30   # metrics and traces
npm run bench -- --help
npm run bench:workers                          # about 4 minutes, writes the section on workers
npm run bench:overload                         # load beyond what can be carried
npm run bench:cache                            # hit rate, memory and CPU by the size of the cache, for docs/caching.md; about 12 minutes, 13 GB of disk
\`\`\`

It brings its own PostgreSQL, in a temporary directory. The load generator is \`wrk\`; the command says how to install it when it is missing.
`;
