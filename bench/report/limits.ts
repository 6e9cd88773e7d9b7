// What was seen with a profiler (`node --cpu-prof`), and in the cores that server and PostgreSQL had. Look again when a share moves.

const WRITING =
  'The system call that writes the answer, a third to a half of the CPU time; then parser, request and response of Node. The head is written from lines that are ready, which saves about what finding the answer takes.';
const SHARED =
  'Equal requests in flight share one execution, so PostgreSQL has little to do; the way there: routing, variables, waiting for the shared answer.';
const YOGA =
  'Equal requests in flight share one execution; for each of them Yoga reads the body and makes its objects: a sixth of the CPU time is garbage collection.';
const VIEWS =
  'Views that wait together share one statement, and each puts its number into an answer from memory: what is left is the way of the request, the promise that it waits on, and the wait for the commit, in which the process has nothing to do.';
const VIEWS_COLD = 'As with the cache, but the notice is read and executed again for those that come at the same time.';
const ROW_LOCK = 'The lock of one row: every update waits for the commit of the one before.';

const SENTENCES: Readonly<Record<string, string>> = {
  fastify: 'A statement for each request: its rows are parsed into objects and serialised again.',
  'fastify W5': 'Parsing and serialising 300 rows for each request.',
  'fastify W6': 'PostgreSQL, which counts the notices in effect for each page.',
  'fastify W7a': ROW_LOCK,
  mercurius: 'As with fastify, and resolvers, loaders and promises for the fields.',
  'mercurius W6': 'PostgreSQL, which counts the notices in effect for each page.',
  'mercurius W7a': ROW_LOCK,
  'mercurius W9': 'The resolvers and promises of about a thousand fields.',
  documented: "Prisma's way from a query to rows and from rows to objects, then Yoga's and graphql-js's around it.",
  'documented W4': 'PostgreSQL reads and sorts both categories whole: Prisma has no lateral join for it.',
  'documented W9':
    'A `take` inside a relation reads every product of the 20 categories, ten thousand rows, and trims them in the process.',
  gateway: WRITING,
  'gateway W1':
    'As the others; and 20,000 answers, each in a dozen objects, are more than the caches of the processor hold.',
  'gateway W4': 'As the others; and 500 answers of 15 kB are more than the caches of the processor hold.',
  'gateway W7a': VIEWS,
  'gateway W7b': VIEWS,
  'gateway W8': 'Reading the body, and finding the answer by its bytes.',
  'gateway W9': 'Reading the body, and finding the answer by its bytes.',
  'gateway-off': SHARED,
  'gateway-off W1':
    'Row and JSON a sixth each, garbage a sixth; the rest is spread over the promises of the way there and back. Lookups of one moment share a statement, so PostgreSQL does little.',
  'gateway-off W4':
    'The rows of 20 products: 3 µs each to decode (1.2 of it the protocol, 1.9 the values), about as much to write, and garbage is a fifth. Every row is another object, and no two requests are equal.',
  'gateway-off W7a': VIEWS_COLD,
  'gateway-off W7b': VIEWS_COLD,
  'gateway-off W8': YOGA,
  'gateway-off W9': YOGA,
};

/** What holds a server back in a workload: a sentence for the cell, or for all cells of the server. */
export const limitsOf = (server: string, workload: string): string | undefined =>
  SENTENCES[`${server} ${workload}`] ?? SENTENCES[server];
