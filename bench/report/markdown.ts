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

- **The limit** is a bare \`node:http\` server that has every response in memory, the same bytes that Vitrine gives. It looks up the target or the body, and writes header and body. No server on \`node:http\` does less, so every other number is a share of it.
  Vitrine writes the responses of a turn of the event loop together ([fast path](fast-path.md)), so its share can be above 100 %. Each server is compared with the limit for the same method: GET, or POST with its body.
- **fastify + pg** and **mercurius** are what a team would write by hand: prepared statements, \`lateral\` joins, schemas for the serializer, the JIT, loaders.
  **Yoga + Pothos + Prisma** is the stack of Vitrine as its documentation shows it, on indexes made for it.
- **Vitrine, cache warm** has its default settings, but writes no line a request to the log, as no server here does. Everything was asked for once before: 20,000 products, 500 pairs of categories, the rest whole.
- **Cache off** is \`CACHE_MAX_MB=0\`, over all 100,000 products and all pairs. Equal requests in flight still share one execution.
- **First asked** has its default settings and has read all rows, but hardly one of its answers was asked for before: documents with different names, and random arguments.
- **1,000 changes a second** is a warm cache while a back office changes stock and price of 10,000 products, at random and one at a time. An answer that is read every 5 ms must show each change that was committed more than 100 ms before; otherwise the run ends.
  A round with less than ${ENOUGH_CHANGES * 100} % of the changes is left out.
- REST servers are asked W1 to W7 and W10 by GET, GraphQL servers by POST of the document behind the path. W8 and W9 are GraphQL only.
- **One process of each server** answers all workloads, one after another; the limit is started for each. Before the first round a server is asked until V8 has compiled what it needs: first asked for ${WARM_UPS.firstAsked} s, a warm cache for ${WARM_UPS.warm}, under changes for ${WARM_UPS.changing}, the others for ${WARM_UPS.others}.
- **Many short rounds**, in each of which all servers are asked in turn, because a shared machine may be three times as slow for a minute. Where a second is too short for most of the 64 connections (Yoga, W9), the server is asked for up to 16 s.
- **Every answer is checked** against plain SQL before and after each cell. After the counting cells, the counters in the database must have grown by the answers, plus at most the open connections. A wrong answer, an error or a dropped connection ends the run.`;

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
const FURTHER = `## How far runs differ

The machine is shared. In three rounds of one run, Vitrine with a warm cache had 90, 84 and 78 % of the limit in W1. On a quiet machine the limit gains most: W2 had 101 % of it beside other work, and 85 % without.
So compare the CPU, and only within one run; each run is compared with the last one, and says whether the limit took as long in it.

Metrics cost an answer from memory nothing that can be measured (14.0 µs of CPU with and without), and neither do traces of one request in a hundred.

## Overload

\`npm run bench:overload -- --seconds 4 --rounds 3\` on 27 November 2026, on the machine of the run above: requests arrive at a fixed rate, and hardly one of them is in memory. They share 2,000 connections, as behind a proxy, each with one request at a time; what finds none free is
*not sent*. "1" is what can be carried, measured again before each load. *In memory* is the 99th percentile of a hundred requests a second that are, over connections of their own. CPU is that of one good answer, with all that is spent on refusing.

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

- From twice the load on, at least 90 % of what can be carried is answered. 99 of 100 good answers come within 0.71 s: what has waited past its bound is refused. More than 100 % says that the machine gave more then than just before.
- Where all 2,000 connections can be answered within half of the longest wait (one product), hardly anybody is refused, and a good answer comes after 250 ms.
- What is in memory comes within 32 to 42 ms, and all of it was answered. With 5 to 15 other processes waiting for the two cores it took 60 to 190 ms.
- With refusals a good list or page takes 0.85 to 1.13 times the CPU that it takes without, a product 1.35 to 1.5 times. [Operations](operations.md#overload) says how requests are refused.
- Clients without a bound on their connections are another matter: each of their requests is read and refused. There only limits in front help (\`MAX_CONNECTIONS\`, \`RATE_LIMIT_PER_MINUTE\`, those of a proxy).
- Of thousands of clients that connect at once, 64 are accepted in each turn of the event loop: 2,000 within 44 turns.`;

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
