import type { Results } from '../benchmark.ts';
import { CONNECTIONS } from '../load/wrk.ts';
import { ENOUGH_CHANGES } from '../measure/cell.ts';
import { WARM_UPS } from '../measure/run-workload.ts';
import { count } from './format.ts';
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

- **The limit** is a bare \`node:http\` server that has every response in memory, with the same bytes: it looks up the target or the body, and writes header and body. Every other number is a share of it, for the same method.
  Vitrine writes the responses of a turn of the event loop together ([fast path](fast-path.md)), so its share can be above 100 %.
- **fastify + pg** and **mercurius** are what a team would write by hand: prepared statements, \`lateral\` joins, schemas for the serializer, the JIT, loaders.
  **Yoga + Pothos + Prisma** is the stack of Vitrine as its documentation shows it, on indexes made for it.
- **Vitrine, cache warm** has its default settings, without a line a request in the log; everything was asked for once before: 20,000 products, 500 pairs of categories, the rest whole.
  **Cache off** is \`CACHE_MAX_MB=0\`, over all 100,000 products and all pairs; equal requests in flight share one execution. **First asked** has read all rows, but hardly one of its answers was asked for before.
  **1,000 changes a second** is a warm cache while a back office changes stock and price of 10,000 products, one at a time: an answer that lacks a change of more than 100 ms ago ends the run. A round with less than ${ENOUGH_CHANGES * 100} % of the changes is left out.
- REST servers are asked W1 to W7 and W10 by GET, GraphQL servers by POST of the document behind the path; W8 and W9 are GraphQL only.
- **One process of each server** answers all workloads. In each short round all servers are asked in turn, because a shared machine may be three times as slow for a minute. Before the first, a server is asked until V8 has compiled what it needs: for ${WARM_UPS.others} to ${WARM_UPS.changing} s.
- **Every answer is checked** against plain SQL before and after each cell, and the counters in the database against the answers. A wrong answer, an error or a dropped connection ends the run.`;

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

// Measured apart from the run.
const FURTHER = `## How far runs differ

The machine is shared: in three rounds of one run, Vitrine with a warm cache had 90, 84 and 78 % of the limit in W1. So compare the CPU, and only within one run; each run is compared with the last one, and says whether the limit took as long in it.
Metrics cost an answer from memory nothing that can be measured (14.0 µs of CPU with and without), and neither do traces of one request in a hundred.

## Overload

\`npm run bench:overload -- --seconds 4 --rounds 3\` on 27 November 2026: requests arrive at a fixed rate over 2,000 connections, as behind a proxy, and hardly one of them is in memory. "1" is what can be carried, measured again before each load. *In memory* is the 99th percentile of
a hundred requests a second that are. CPU is that of one good answer, with all that is spent on refusing.

| offered load | good answers a second | of what could be carried just before | p50, p99, ms | in memory, p99, ms | CPU of the gateway, of PostgreSQL, µs |
| --- | ---: | ---: | ---: | ---: | ---: |
| one product by REST: 1 | 8,753 | 100 % | 4, 57 | 20 | 98, 23 |
| 4 | 7,582 | 97 % | 24, 659 | 37 | 147, 17 |
| a list of 10 by REST: 1 | 1,792 | 98 % | 24, 111 | 30 | 562, 251 |
| 4 | 1,969 | 99 % | 40, 659 | 42 | 477, 207 |
| a page of 50 by GraphQL: 1 | 914 | 99 % | 10, 80 | 27 | 743, 810 |
| 4 | 979 | 100 % | 40, 687 | 41 | 790, 766 |

At twice and eight times the load, too, at least 90 % of what can be carried is answered, 99 of 100 good answers within 0.71 s. Clients without a bound on their connections are another matter: each of their requests is read and refused, so limits in front have to help
(\`MAX_CONNECTIONS\`, \`RATE_LIMIT_PER_MINUTE\`, those of a proxy). [Operations](operations.md#overload) says how requests are refused.`;

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
