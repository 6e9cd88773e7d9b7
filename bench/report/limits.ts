// What was seen with profilers (`node --cpu-prof`, `perf record -e cpu-clock`), and in the cores that server and PostgreSQL had. Look again when a share moves.

const WRITING =
  'The system call that writes the answer, a third to a half of the CPU time; then parser, request and response of Node. The head is written from lines that are ready, which saves about what finding the answer takes.';
const SHARED =
  'Equal requests in flight share one execution, so PostgreSQL has little to do; the way there: routing, variables, waiting for the shared answer.';
const KNOWN =
  'Equal requests in flight share one execution, and what their bytes ask for is known from those before: reading the body, waiting for the shared answer, and one execution for every 16 to 32 requests.';
const VIEWS =
  'Views that wait together share one statement, and each puts its number into an answer from memory. All 64 connections wait for the commit, in which the process has nothing to do; batches of half of them, one in flight while the other is answered, cost two statements and were not faster.';
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
    'As the others; and 20,000 answers, each in several objects, are more than the caches of the processor hold: to look one up in a map is 1.2 µs, to read what is known of it 2, and the limit has the first of these too.',
  'gateway W4': 'As the others; and 500 answers of 15 kB are more than the caches of the processor hold.',
  'gateway W7a': VIEWS,
  'gateway W7b': VIEWS,
  'gateway W8': 'Reading the body, and finding the answer by its bytes.',
  'gateway W9': 'Reading the body, and finding the answer by its bytes.',
  'gateway-off': SHARED,
  'gateway-off W1':
    'A third is HTTP, as in the limit; row and JSON a fifth, garbage a tenth; the rest is spread over the promises of the way there and back. Lookups of one moment share a statement, so PostgreSQL does little.',
  'gateway-off W4':
    'The rows of 20 products: reading them from the driver is 115 µs, writing them 50, garbage a sixth, sockets a tenth. Rows whose columns are read as they are written, straight from their text, were not faster. No two requests are equal, and PostgreSQL takes as long again.',
  'gateway-off W7a': VIEWS_COLD,
  'gateway-off W7b': VIEWS_COLD,
  'gateway-off W8': KNOWN,
  'gateway-off W9': KNOWN,
};

/** What holds a server back in a workload: a sentence for the cell, or for all cells of the server. */
export const limitsOf = (server: string, workload: string): string | undefined =>
  SENTENCES[`${server} ${workload}`] ?? SENTENCES[server];
