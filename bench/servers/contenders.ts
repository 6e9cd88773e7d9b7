import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import type { DatabaseName } from '../database/database.ts';
import type { Method } from '../workloads/workload.ts';

/** One of the servers that are compared. */
export interface Contender {
  /** Stands for it on the command line. */
  readonly name: string;
  readonly label: string;
  /** What Node runs. */
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** @default 'shared' */
  readonly database?: DatabaseName;
  /** The methods that it answers; the first one that a workload has too is used. */
  readonly methods: readonly Method[];
  /** Measured only where it is named: it shows what a setting costs, not how servers compare. */
  readonly isOptional?: boolean;
  /** Codes of the workloads that it is asked. @default all that it can answer */
  readonly workloads?: readonly string[] | undefined;
  /** It is given what is said to be warm, and each of it once before it is measured. */
  readonly isWarm?: boolean;
  /** It knows the rows, and is asked for what it was hardly ever asked before. */
  readonly isFirstAsked?: boolean;
  /** It is asked where views are counted alone. */
  readonly isForViews?: boolean;
  /** Its counts of views are not in the database. */
  readonly countsInMemory?: boolean;
  /** Products that the back office changes, a second, while it is measured; it is asked the mixed workload alone. */
  readonly changesPerSecond?: number;
}

const FASTIFY = fileURLToPath(new URL('./fastify/server.ts', import.meta.url));
const MERCURIUS = fileURLToPath(new URL('./mercurius/server.ts', import.meta.url));
const DOCUMENTED = fileURLToPath(new URL('./documented/server.ts', import.meta.url));
const COUNTED_IN_MEMORY = fileURLToPath(new URL('./counted-in-memory.ts', import.meta.url));
const BARE = fileURLToPath(new URL('./limit.ts', import.meta.url));

/** As `npm start` has them. */
export const GATEWAY_FLAGS = packageJson.scripts.start.split(' ').filter((word) => word.startsWith('--'));

const GATEWAY = [...GATEWAY_FLAGS, fileURLToPath(new URL('../../bin/vitrine.js', import.meta.url)), 'serve'];

/** None of the servers writes a line for a request. */
const NO_LINES = { LOG_REQUESTS: 'none' };

/** The gateway, watched less and more: `--only gateway,gateway-unwatched,…` with many short rounds tells what that costs. */
const WATCHED: readonly Contender[] = [
  { name: 'gateway-unwatched', label: 'no metrics', environment: { METRICS: 'off' } },
  { name: 'gateway-logged', label: 'a line a request', environment: { LOG_REQUESTS: 'misses' } },
  {
    name: 'gateway-traced',
    label: 'traces, 1 in 100',
    // Nobody listens there: what it costs to make and send them is there all the same.
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
    },
  },
].map(({ name, label, environment }) => ({
  name,
  label: `Vitrine, cache warm, ${label}`,
  command: GATEWAY,
  environment: { ...NO_LINES, ...environment },
  methods: ['GET', 'POST'],
  isWarm: true,
  isOptional: true,
}));

/** The servers that are measured against the limit, in the order of the tables. */
export const CONTENDERS: readonly Contender[] = [
  { name: 'fastify', label: 'fastify + pg', command: [FASTIFY], methods: ['GET'] },
  {
    name: 'mercurius',
    label: 'mercurius, JIT, loaders + pg',
    command: [MERCURIUS],
    methods: ['POST'],
  },
  {
    name: 'documented',
    label: 'Yoga + Pothos + Prisma',
    command: [DOCUMENTED],
    database: 'prisma',
    methods: ['POST'],
  },
  {
    name: 'gateway',
    label: 'Vitrine, cache warm',
    command: GATEWAY,
    environment: NO_LINES,
    methods: ['GET', 'POST'],
    isWarm: true,
  },
  {
    name: 'gateway-off',
    label: 'Vitrine, cache off',
    command: GATEWAY,
    environment: { CACHE_MAX_MB: '0', ...NO_LINES },
    methods: ['GET', 'POST'],
  },
  {
    name: 'gateway-first',
    label: 'Vitrine, first asked',
    command: GATEWAY,
    environment: NO_LINES,
    methods: ['POST'],
    isFirstAsked: true,
  },
  {
    name: 'gateway-churn',
    label: 'Vitrine, 1,000 changes a second',
    command: GATEWAY,
    environment: NO_LINES,
    database: 'changing',
    methods: ['GET'],
    isWarm: true,
    changesPerSecond: 1000,
  },
  {
    name: 'gateway-uncounted',
    label: 'Vitrine, views counted in its memory',
    command: ['--import', COUNTED_IN_MEMORY, ...GATEWAY],
    environment: NO_LINES,
    methods: ['GET', 'POST'],
    isWarm: true,
    isForViews: true,
    countsInMemory: true,
    isOptional: true,
  },
  ...WATCHED,
];

/**
 * What a quick run asks of whom. It leaves out the peers, whose shares no change of the gateway changes, and what says the same as another workload: from
 * memory an answer is an answer, W3 and W6 are made as W2 is, W7a as W7b, W9 as W8, and W10 mixes W1, W2, W3 and W4. Under changes a small catalogue
 * does not compare with a large one: 10,000 products are changed, which are all of it.
 */
export const QUICK_WORKLOADS: Readonly<Record<string, readonly string[]>> = {
  gateway: ['W1', 'W5', 'W7b', 'W8'],
  'gateway-off': ['W1', 'W2', 'W4', 'W7b', 'W8'],
  'gateway-first': ['W1', 'W4', 'W8'],
};

/** The same bytes from memory: what nothing on `node:http` can be faster than. It has an answer to every question that is warm, in both forms. */
export const LIMIT: Contender = {
  name: 'limit',
  label: 'the limit',
  command: [BARE],
  methods: ['GET', 'POST'],
  isWarm: true,
  countsInMemory: true,
};

/** The gateway, where no other is measured beside it, and where the limit gets its answers. */
export const SOURCE: Contender = { name: 'source', label: 'source', command: GATEWAY, methods: ['GET', 'POST'] };
