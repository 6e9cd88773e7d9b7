// What was seen with profilers (`node --cpu-prof`, `perf record -e cpu-clock`), and in the cores that server and PostgreSQL had. Look again when a share moves.

const WRITING =
  'the system call that writes the response takes a third to a half of the CPU time; the rest is Node’s parser, request and response';
const SHARED =
  'equal requests in flight share one execution, so PostgreSQL has little to do; what is left is routing, variables and waiting for the shared response';
const KNOWN =
  'equal requests in flight share one execution for every 16 to 32 requests; what is left is reading the body and waiting for the shared response';
const VIEWS =
  'the 64 connections wait for commits, in two groups of about half that take turns. With PostgreSQL’s share taken out, three to four times as many views are counted';
const ROW_LOCK = 'the lock of one row: every update waits for the commit of the one before';

const SENTENCES: Readonly<Record<string, string>> = {
  fastify: 'one statement for each request, whose rows are parsed into objects and serialised again',
  'fastify W5': 'parsing and serialising 300 rows for each request',
  'fastify W6': 'PostgreSQL, which counts the notices in effect for each page',
  'fastify W7a': ROW_LOCK,
  mercurius: 'as with fastify, and resolvers, loaders and promises for the fields',
  'mercurius W6': 'PostgreSQL, which counts the notices in effect for each page',
  'mercurius W7a': ROW_LOCK,
  'mercurius W9': 'resolvers and promises of about a thousand fields',
  documented: 'Prisma, from a query to rows and from rows to objects; then Yoga and graphql-js around it',
  'documented W4': 'PostgreSQL reads and sorts both categories whole: Prisma has no lateral join for it',
  'documented W9':
    'a `take` inside a relation reads every product of the 20 categories, ten thousand rows, and trims them in the process',
  gateway: WRITING,
  'gateway W1': 'as for the others; and 20,000 responses are more than the caches of the processor hold',
  'gateway W4': 'as for the others; and 500 responses of 15 kB are more than the caches of the processor hold',
  'gateway W7a': VIEWS,
  'gateway W7b': VIEWS,
  'gateway W8': 'finding the response by the bytes of the body',
  'gateway W9': 'as W8',
  'gateway-off': SHARED,
  'gateway-off W1': 'each request passes the plugins of Yoga; lookups that arrive together share a statement',
  'gateway-off W4':
    'no two requests are equal, and rows wait for the statement that reads their categories; PostgreSQL takes as long again',
  'gateway-off W7a': 'as with the cache, but the notice is read and executed again for each batch',
  'gateway-off W7b': 'as with the cache, but the notice is read and executed again for each batch',
  'gateway-off W8': KNOWN,
  'gateway-off W9': KNOWN,
};

/** What holds a server back in a workload: a sentence for the cell, or for all cells of the server. */
export const limitsOf = (server: string, workload: string): string | undefined =>
  SENTENCES[`${server} ${workload}`] ?? SENTENCES[server];
