import { availableParallelism } from 'node:os';
import * as v from 'valibot';
import { type AccessConfig, isKeySetUrl, isRestricted, readAccess } from './access/access-config.ts';
import type { Exposure } from './access/gate.ts';
import { isToken, TOKEN_RULE } from './access/token-list.ts';
import {
  asksForWrites,
  hasReadableFiles,
  isPostgresUrl,
  isWholeUrl,
  namesOneServer,
  splitUrls,
} from './database/database-url.ts';
import { OperatorError } from './errors.ts';
import type { QueryLimits } from './graphql/limits/query-limits.ts';
import type { LogRequests } from './observability/request-log.ts';
import { createScrub } from './observability/scrub.ts';
import { TRACING_ENVIRONMENT, type TracingConfig, tracingConfig } from './observability/tracing-config.ts';
import { shortened } from './observability/visible.ts';

const integer = (min: number, max: number) => {
  const rule = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,10}$/, rule),
    v.transform(Number),
    v.minValue(min, rule),
    v.maxValue(max, rule),
  );
};

const SWITCH: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  on: true,
  off: false,
  1: true,
  0: false,
  yes: true,
  no: false,
};

const isSwitch = (value: string): boolean => value in SWITCH;

const toggle = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.check(isSwitch, 'must be true or false'),
  v.transform((value) => SWITCH[value] === true),
);

/** A switch with a third position: for who has an access token. */
const exposure = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.check((value) => value === 'token' || isSwitch(value), 'must be on, off or token'),
  v.transform((value): Exposure => (value === 'token' ? 'token' : SWITCH[value] ? 'on' : 'off')),
);

const commaList = v.pipe(
  v.string(),
  v.transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  ),
);

// As a browser writes it in `Origin`: what is written otherwise would never be met.
const isOrigin = (value: string): boolean =>
  value === '*' || (/^https?:\/\/[^*]+$/.test(value) && URL.parse(value)?.origin === value);

const databaseUrl = v.pipe(
  v.string(),
  v.check(isPostgresUrl, 'must begin with postgresql://'),
  v.check(isWholeUrl, 'must be a whole URL, in which special characters are written as %23 for #'),
  v.check(hasReadableFiles, 'must name certificates and keys that can be read'),
  v.check(asksForWrites, 'must ask for target_session_attrs read-write, primary or any, as views are counted'),
);

const MAX_DELAY_MS = 2 ** 31 - 1;

const MAX_WORKERS = 256;

/** A number, or `auto`: as many as there are cores to run on. */
const workers = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.check(
    (value) => value === 'auto' || (/^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_WORKERS),
    `must be a whole number from 1 to ${MAX_WORKERS}, or auto`,
  ),
  v.transform((value) => (value === 'auto' ? Math.min(availableParallelism(), MAX_WORKERS) : Number(value))),
);

// One line a variable. An empty value counts as absent, as Compose files and shells leave them behind.
const Environment = v.object({
  PORT: v.optional(integer(0, 65_535), '4000'),
  HOST: v.optional(v.pipe(v.string(), v.regex(/^[\w.:-]+$/, 'must be a host name or an address'))),
  WORKERS: v.optional(workers, '1'),
  DATABASE_URL: v.optional(databaseUrl),
  DATABASE_DIRECT_URL: v.optional(databaseUrl),
  DATABASE_REPLICA_URLS: v.optional(
    v.pipe(
      v.string(),
      v.transform(splitUrls),
      v.check((urls) => urls.every(isPostgresUrl), 'must be URLs that begin with postgresql://, with commas between'),
      v.check(
        (urls) => urls.every(isWholeUrl),
        'must be whole URLs, in which special characters are written as %23 for #',
      ),
      v.check((urls) => urls.every(namesOneServer), 'must name one server each, and no target_session_attrs'),
      v.check((urls) => urls.every(hasReadableFiles), 'must name certificates and keys that can be read'),
    ),
    '',
  ),
  DATABASE_POOL_SIZE: v.optional(integer(1, 1000), '10'),
  DATABASE_TIMEOUT_MS: v.optional(integer(100, MAX_DELAY_MS), '1500'),
  DATABASE_WAIT_MS: v.optional(integer(0, MAX_DELAY_MS), '30000'),
  PREPARED_STATEMENTS: v.optional(v.picklist(['auto', 'on', 'off'], 'must be auto, on or off'), 'auto'),
  CACHE_MAX_MB: v.optional(integer(0, 65_536), '64'),
  FRESHNESS_MS: v.optional(integer(0, 1000), '100'),
  PULSE: v.optional(v.picklist(['listen', 'poll'], 'must be listen or poll'), 'listen'),
  STALE_IF_ERROR_S: v.optional(integer(0, 86_400), '300'),
  DATA_DIR: v.optional(v.string(), './data'),
  LOG_LEVEL: v.optional(
    v.picklist(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    ),
    'info',
  ),
  LOG_REQUESTS: v.optional(v.picklist(['all', 'misses', 'none'], 'must be all, misses or none'), 'misses'),
  GRAPHIQL: v.optional(exposure, 'on'),
  DOCS: v.optional(exposure),
  DEMO: v.optional(exposure, 'on'),
  METRICS: v.optional(exposure),
  INTROSPECTION: v.optional(toggle, 'true'),
  FIELD_SUGGESTIONS: v.optional(toggle),
  QUERY_MAX_COST: v.optional(integer(1000, 1_000_000_000), '20000'),
  QUERY_MAX_DEPTH: v.optional(integer(15, 50), '20'),
  QUERY_MAX_FIELDS: v.optional(integer(300, 100_000), '1000'),
  QUERY_MAX_TOKENS: v.optional(integer(500, 100_000), '2000'),
  ACCESS_TOKENS: v.optional(
    v.pipe(
      commaList,
      v.check((tokens) => tokens.every(isToken), `must be ${TOKEN_RULE}, with commas between`),
    ),
    '',
  ),
  ACCESS_TOKENS_FILE: v.optional(v.string()),
  JWKS_URL: v.optional(
    v.pipe(v.string(), v.check(isKeySetUrl, 'must be an https:// or http:// URL without a password')),
  ),
  JWT_ISSUER: v.optional(commaList, ''),
  JWT_AUDIENCE: v.optional(commaList, ''),
  CORS_ORIGINS: v.optional(
    v.pipe(
      commaList,
      v.check(
        (origins) => origins.every(isOrigin),
        'must be * or origins such as https://shop.example with commas between',
      ),
    ),
    '',
  ),
  REST_DOCUMENTS: v.optional(v.string()),
  MAX_IN_FLIGHT: v.optional(integer(1, 1_000_000), '1000'),
  MAX_WAIT_MS: v.optional(integer(10, MAX_DELAY_MS), '1000'),
  MAX_LOOP_LAG_MS: v.optional(integer(10, MAX_DELAY_MS), '2000'),
  RATE_LIMIT_PER_MINUTE: v.optional(integer(0, 1_000_000_000), '0'),
  TRUST_PROXY: v.optional(integer(0, 100), '0'),
  MAX_CONNECTIONS: v.optional(integer(1, 1_000_000), '10000'),
  HEADERS_TIMEOUT_MS: v.optional(integer(100, MAX_DELAY_MS), '5000'),
  REQUEST_TIMEOUT_MS: v.optional(integer(100, MAX_DELAY_MS), '10000'),
  SEND_TIMEOUT_MS: v.optional(integer(100, MAX_DELAY_MS), '10000'),
  KEEP_ALIVE_TIMEOUT_MS: v.optional(integer(100, MAX_DELAY_MS), '65000'),
  SHUTDOWN_DELAY_MS: v.optional(integer(0, MAX_DELAY_MS), '0'),
  SHUTDOWN_TIMEOUT_MS: v.optional(integer(0, MAX_DELAY_MS), '10000'),
  ...TRACING_ENVIRONMENT,
});

export interface Config {
  /** 0 takes any free port. */
  readonly port: number;
  /** Undefined: every interface. */
  readonly host: string | undefined;
  /** Processes that serve at the one port. */
  readonly workers: number;
  /** Undefined: the embedded PostgreSQL under {@link dataDir}. */
  readonly databaseUrl: string | undefined;
  /** The same database without a pooler that changes sessions, for what needs one; undefined: {@link databaseUrl} has none. */
  readonly databaseDirectUrl: string | undefined;
  readonly databasePoolSize: number;
  /** Servers that misses may be read from. */
  readonly databaseReplicaUrls: readonly string[];
  /** The longest that one statement may take, and that a connection may be waited for. */
  readonly databaseTimeoutMs: number;
  /** How long a command waits for a database that is not up yet. */
  readonly databaseWaitMs: number;
  /** Whether statements are prepared once a connection; `auto`: unless a pooler changes sessions. */
  readonly preparedStatements: 'auto' | 'on' | 'off';
  /** Bytes of answers in memory; 0 keeps none. */
  readonly cacheMaxBytes: number;
  /** How old a commit may be that an answer misses; 0: none. */
  readonly freshnessMs: number;
  /** How changes are learnt of: by notifications, or not at all, so that no answer is kept for longer than {@link freshnessMs}. */
  readonly pulse: 'listen' | 'poll';
  /** How long answers are given from memory while the database is away. */
  readonly staleIfErrorMs: number;
  readonly dataDir: string;
  readonly logLevel: string;
  /** Which requests get a line in the log. */
  readonly logRequests: LogRequests;
  /** Undefined: no traces. */
  readonly tracing: TracingConfig | undefined;
  /** What is no operation: where not said, only the pages of GraphiQL and of the demo, which tell nothing by themselves, are open beside tokens. */
  readonly exposure: {
    readonly graphiql: Exposure;
    readonly docs: Exposure;
    readonly demo: Exposure;
    readonly metrics: Exposure;
  };
  readonly introspection: boolean;
  /** Whether errors say "did you mean …". */
  readonly fieldSuggestions: boolean;
  readonly queryLimits: QueryLimits;
  readonly access: AccessConfig;
  /** Empty: no other origin may read answers. */
  readonly corsOrigins: readonly string[];
  /** A folder whose documents replace those of the same name in src/rest/operations. */
  readonly restDocuments: string | undefined;
  /** Executions at once. */
  readonly maxInFlight: number;
  /** How long an execution may have to wait for those that began before it. */
  readonly maxWaitMs: number;
  /** How late the event loop may be for longer than a moment. */
  readonly maxLoopLagMs: number;
  /** Requests of one client; 0: any number. */
  readonly rateLimitPerMinute: number;
  /** Proxies before us whose `X-Forwarded-For` is believed. */
  readonly trustedHops: number;
  readonly maxConnections: number;
  /** How long the head of a request may take to come, also the first of a connection. */
  readonly headersTimeoutMs: number;
  /** How long a request may take to come as a whole. */
  readonly requestTimeoutMs: number;
  /** How long a client may take to read what the system has no more room for. */
  readonly sendTimeoutMs: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveTimeoutMs: number;
  /** How long connections are still accepted after a signal, while `/readyz` says no. */
  readonly shutdownDelayMs: number;
  /** How long a shutdown may take as a whole. */
  readonly shutdownTimeoutMs: number;
}

/**
 * Reads the environment, the only place that does.
 * @throws OperatorError with one line for each fault
 */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const { success, output, issues } = v.safeParse(Environment, given);
  if (!success) {
    throw faulty(
      issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}, but is ${JSON.stringify(shown(issue))}`),
    );
  }
  const { access, faults: accessFaults } = readAccess(output);
  const faults = [...accessFaults, ...databaseFaults(output)];
  if (faults.length > 0) throw faulty(faults);
  const closed = isRestricted(access) ? 'token' : 'on';
  return Object.freeze({
    port: output.PORT,
    host: output.HOST,
    workers: output.WORKERS,
    databaseUrl: output.DATABASE_URL,
    databaseDirectUrl: output.DATABASE_DIRECT_URL,
    databaseReplicaUrls: output.DATABASE_REPLICA_URLS,
    databasePoolSize: output.DATABASE_POOL_SIZE,
    databaseTimeoutMs: output.DATABASE_TIMEOUT_MS,
    databaseWaitMs: output.DATABASE_WAIT_MS,
    preparedStatements: output.PREPARED_STATEMENTS,
    cacheMaxBytes: output.CACHE_MAX_MB * 1_048_576,
    freshnessMs: output.FRESHNESS_MS,
    pulse: output.PULSE,
    staleIfErrorMs: output.STALE_IF_ERROR_S * 1000,
    dataDir: output.DATA_DIR,
    logLevel: output.LOG_LEVEL,
    logRequests: output.LOG_REQUESTS,
    tracing: tracingConfig(output),
    exposure: {
      graphiql: output.GRAPHIQL,
      docs: output.DOCS ?? closed,
      demo: output.DEMO,
      metrics: output.METRICS ?? closed,
    },
    introspection: output.INTROSPECTION,
    // A suggestion tells of the schema what introspection would.
    fieldSuggestions: output.FIELD_SUGGESTIONS ?? output.INTROSPECTION,
    queryLimits: {
      maxCost: output.QUERY_MAX_COST,
      maxDepth: output.QUERY_MAX_DEPTH,
      maxFields: output.QUERY_MAX_FIELDS,
      maxTokens: output.QUERY_MAX_TOKENS,
    },
    access,
    corsOrigins: output.CORS_ORIGINS,
    restDocuments: output.REST_DOCUMENTS,
    maxInFlight: output.MAX_IN_FLIGHT,
    maxWaitMs: output.MAX_WAIT_MS,
    maxLoopLagMs: output.MAX_LOOP_LAG_MS,
    rateLimitPerMinute: output.RATE_LIMIT_PER_MINUTE,
    trustedHops: output.TRUST_PROXY,
    maxConnections: output.MAX_CONNECTIONS,
    headersTimeoutMs: output.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: output.REQUEST_TIMEOUT_MS,
    sendTimeoutMs: output.SEND_TIMEOUT_MS,
    keepAliveTimeoutMs: output.KEEP_ALIVE_TIMEOUT_MS,
    shutdownDelayMs: output.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: output.SHUTDOWN_TIMEOUT_MS,
  });
};

const databaseFaults = (output: v.InferOutput<typeof Environment>): string[] => {
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_REPLICA_URLS, PULSE } = output;
  const faults: string[] = [];
  if (DATABASE_URL === undefined && DATABASE_DIRECT_URL !== undefined)
    faults.push('DATABASE_DIRECT_URL needs DATABASE_URL beside it');
  if (DATABASE_URL === undefined && DATABASE_REPLICA_URLS.length > 0)
    faults.push('DATABASE_REPLICA_URLS needs DATABASE_URL beside it');
  // Who is not told of changes cannot know that a replica has replayed them.
  if (PULSE === 'poll' && DATABASE_REPLICA_URLS.length > 0) faults.push('DATABASE_REPLICA_URLS needs PULSE=listen');
  return faults;
};

const faulty = (faults: readonly string[]): OperatorError =>
  new OperatorError(
    `The environment has ${faults.length === 1 ? 'a fault' : 'faults'}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
  );

// A wrong secret is still a secret: its name is told, its value is not.
const MAX_SHOWN_CHARS = 100;
const SECRETS = new Set(['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URLS', 'ACCESS_TOKENS', 'JWKS_URL']);

const shown = (issue: v.BaseIssue<unknown>): unknown => {
  const key = issue.path?.[0]?.key;
  const value = String(issue.path?.[0]?.value);
  return SECRETS.has(String(key)) ? '…' : createScrub()(shortened(value, MAX_SHOWN_CHARS));
};
