import type { Exposure } from '../access/access.ts';
import {
  choice,
  databaseUrl,
  exposure,
  fraction,
  headerNames,
  hostName,
  httpUrl,
  integer,
  keySetUrl,
  list,
  megabytes,
  milliseconds,
  originList,
  path,
  positiveInteger,
  replicaUrls,
  text,
  toggle,
  tokenList,
  type Value,
  workers,
} from './values.ts';

/**
 * One variable of the environment. The row `CACHE_MAX_MB` gives `config.cacheMaxMb`, the option `cacheMaxMb` of the library, a paragraph of
 * `vitrine serve --help` and a row of docs/configuration.md (by `npm run generate`).
 */
export interface Variable {
  /** An older name, which is still read where the new one is not set. */
  readonly alias?: string;
  /** What values there are. It also says whether the variable may hold a secret. */
  readonly value: Value<unknown>;
  /** The default, as one would write it in the environment. Without it, an unset variable is undefined. */
  readonly default?: string;
  /** What an unset variable means, where the default does not say it. @default none, where there is no default */
  readonly whenUnset?: string;
  /** The default of the library, where it is another one. */
  readonly libraryDefault?: string;
  /** What it does, in Markdown, without the default and the unit. It becomes the docstring of the library's option too. */
  readonly description: string;
  /** Whether more is open to others without it. Where it is misspelt, the gateway does not start. */
  readonly closes?: true;
  /** Whether it concerns what the library leaves to its host, and is no option there. */
  readonly isProgramOnly?: true;
}

type Rows = Readonly<Record<string, Variable>>;

const ofProgram = <const Given extends Rows>(rows: Given) =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...row, isProgramOnly: true }])) as {
    readonly [Name in keyof Given]: Given[Name] & { readonly isProgramOnly: true };
  };

const server = ofProgram({
  PORT: { value: integer(0, 65_535), default: '4000', description: 'TCP port to listen on. 0: any free port.' },
  HOST: {
    closes: true,
    value: hostName,
    whenUnset: 'every interface',
    description: 'Host name or address to listen on.',
  },
  WORKERS: {
    value: workers,
    default: '1',
    description:
      'Number of processes that share the port. `auto`: one for each CPU core. Each has a cache and database connections of its own.',
  },
});

const database = {
  DATABASE_URL: {
    value: databaseUrl,
    whenUnset: 'an embedded PostgreSQL in `DATA_DIR`, migrated and filled with the demo catalogue',
    description:
      'The database to serve. If it names several hosts (`postgresql://user@a:5432,b:5432/shop`), the one that accepts writes is used, also after a fail-over.',
  },
  DATABASE_DIRECT_URL: {
    value: databaseUrl,
    whenUnset: '`DATABASE_URL`',
    description:
      'The same database, but not through a pooler in transaction mode. It is used for what needs a session: notifications, migrations and imports.',
  },
  DATABASE_REPLICA_URLS: {
    value: replicaUrls,
    default: '',
    description:
      'Streaming replicas of `DATABASE_URL`, one server in each URL. Responses that are not cached are read from them. They need `CHANGE_FEED=listen`.',
  },
  DATABASE_POOL_SIZE: {
    value: integer(1, 1000),
    default: '10',
    description:
      'Most connections that each worker opens to each database server for its statements. One more to each server watches it.',
  },
  DATABASE_TIMEOUT_MS: {
    value: milliseconds(100),
    default: '1500',
    description: 'Longest time that a statement may take, and longest time that a request waits for a connection.',
  },
  DATABASE_WAIT_MS: {
    value: milliseconds(0),
    default: '30000',
    description: 'How long the start waits for a database that cannot be reached yet. 0: it tries once.',
  },
  PREPARED_STATEMENTS: {
    value: choice(['auto', 'on', 'off']),
    default: 'auto',
    description:
      'Whether connections prepare their statements. `auto`: yes, unless there is a pooler in transaction mode.',
  },
  DATA_DIR: {
    value: path,
    default: './data',
    description: 'Folder of the embedded PostgreSQL, which is used only without `DATABASE_URL`.',
  },
} as const satisfies Rows;

const cache = {
  CACHE_MAX_MB: {
    value: megabytes,
    default: '64',
    description: 'Memory for cached responses and known rows, in each worker. 0: nothing is cached.',
  },
  BROWSE_INDEX_MAX_MB: {
    value: megabytes,
    default: '256',
    description:
      'Memory for the index of products that answers browsing and search, in each worker. A catalogue that does not fit, or has less than 5,000 products, is searched by PostgreSQL alone. 0: always.',
  },
  FRESHNESS_MS: {
    value: { ...integer(0, 1000), unit: 'ms' },
    default: '100',
    description:
      'How old a response may be: it shows every change that was committed longer ago than this. 0: each request first asks the database for changes, so that it shows all that were committed before it.',
  },
  CHANGE_FEED: {
    alias: 'PULSE',
    value: choice(['listen', 'poll']),
    default: 'listen',
    description:
      'How changes in the database are noticed. `listen`: by its notifications. `poll`: for databases and poolers without `LISTEN`; each cached response is then used for at most `FRESHNESS_MS`.',
  },
  STALE_IF_ERROR_S: {
    value: { ...integer(0, 86_400), unit: 's' },
    default: '300',
    description: 'How long cached responses are still served while the database is unavailable. 0: not at all.',
  },
} as const satisfies Rows;

const log = {
  LOG_LEVEL: {
    value: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    default: 'info',
    libraryDefault: 'warn',
    description: 'Least severe level that is logged.',
  },
  LOG_REQUESTS: {
    value: choice(['all', 'misses', 'none']),
    default: 'misses',
    description:
      'Which requests are logged, at level `info`. `misses`: all but those answered from the cache, and health checks that succeed.',
  },
} as const satisfies Rows;

const pages = {
  GRAPHIQL: {
    closes: true,
    value: exposure,
    default: 'on',
    description: 'Who sees GraphiQL, which browsers get at `/graphql`. `token`: only callers with an access token.',
  },
  DOCS: {
    closes: true,
    value: exposure,
    whenUnset: '`on`; `token` where access tokens are configured',
    description:
      'Who sees the REST reference at `/docs`, and `/openapi.json`. `token`: only callers with an access token.',
  },
  DEMO: {
    closes: true,
    value: exposure,
    default: 'on',
    description: 'Who sees the demo shop at `/demo`. `token`: only callers with an access token.',
  },
  METRICS: {
    closes: true,
    value: exposure,
    whenUnset: '`on`; `token` where access tokens are configured',
    description: 'Who sees the metrics for Prometheus at `/metrics`. `token`: only callers with an access token.',
  },
  INTROSPECTION: {
    closes: true,
    value: toggle,
    default: 'true',
    description: 'Whether GraphQL clients may read the schema.',
  },
  FIELD_SUGGESTIONS: {
    closes: true,
    value: toggle,
    whenUnset: 'as `INTROSPECTION`',
    description: 'Whether errors suggest similar names ("Did you mean …?"). These reveal names of the schema.',
  },
} as const satisfies Rows;

const queryLimits = {
  QUERY_MAX_COST: {
    value: integer(1000, 1_000_000_000),
    default: '20000',
    description:
      'Highest cost of an operation: roughly the rows that it asks for. Also the most rows that its lists may return.',
  },
  QUERY_MAX_DEPTH: {
    value: integer(15, 50),
    default: '20',
    description: 'Most levels of fields inside fields, with fragments expanded. GraphiQL itself needs 15.',
  },
  QUERY_MAX_FIELDS: {
    value: integer(300, 100_000),
    default: '1000',
    description: 'Most fields that a document selects, with aliases, repetitions and expanded fragments.',
  },
  QUERY_MAX_TOKENS: {
    value: integer(500, 100_000),
    default: '2000',
    description: 'Most lexical tokens in a document: names, values and punctuation.',
  },
} as const satisfies Rows;

const documents = {
  GRAPHQL_PLUGINS: {
    value: path,
    description:
      'JavaScript module whose default export is a list of plugins of Yoga or Envelop. They see every GraphQL operation that memory does not answer.',
  },
  TRUSTED_DOCUMENTS: {
    value: path,
    description:
      'JSON file of GraphQL documents that requests may name by an id: an object of ids and texts, or a manifest of Apollo. The start checks them against the schema.',
  },
  TRUSTED_DOCUMENTS_ONLY: {
    closes: true,
    value: toggle,
    default: 'false',
    description:
      'Whether GraphQL requests with other documents are refused. REST, and the demo shop with its own documents, go on. It needs `TRUSTED_DOCUMENTS`.',
  },
} as const satisfies Rows;

const access = {
  ACCESS_TOKENS: {
    closes: true,
    value: tokenList,
    default: '',
    whenUnset: 'none: everything is public',
    description:
      'Access tokens, or `sha256:` and their digests. If there are any, every operation but the detail of a notice needs one.',
  },
  ACCESS_TOKENS_FILE: {
    closes: true,
    value: path,
    description: 'File with further tokens or digests, one on each line. It is read again when it changes.',
  },
  PREVIEW_TOKENS: {
    value: tokenList,
    default: '',
    description:
      'Tokens, or `sha256:` and their digests, that let callers see answers of another time by the header `x-preview-at`.',
  },
  JWKS_URL: {
    closes: true,
    value: keySetUrl,
    description:
      'URL of the public keys (JSON Web Key Set) of an issuer whose JSON Web Tokens are accepted. It needs `JWT_ISSUER` and `JWT_AUDIENCE`.',
  },
  JWT_ISSUER: {
    closes: true,
    value: list,
    default: '',
    description: 'Accepted issuers of JSON Web Tokens (claim `iss`).',
  },
  JWT_AUDIENCE: {
    closes: true,
    value: list,
    default: '',
    description: 'Accepted audiences of JSON Web Tokens (claim `aud`): the names of this service.',
  },
  CORS_ORIGINS: {
    value: originList,
    default: '',
    description: 'Web origins whose scripts may read responses. `*`: all.',
  },
  CORS_ALLOWED_HEADERS: {
    value: headerNames,
    default:
      'authorization,content-type,if-none-match,x-preview-at,x-request-id,traceparent,tracestate,baggage,sentry-trace,apollographql-client-name,apollographql-client-version',
    description: 'Request headers that scripts of these origins may send.',
  },
} as const satisfies Rows;

const rest = {
  REST_DOCUMENTS: {
    value: path,
    whenUnset: 'the built-in documents',
    description:
      'Folder with GraphQL documents for the REST paths. Each replaces the built-in one of the same file name. Other files in it may hold fragments for all of them.',
  },
} as const satisfies Rows;

const load = {
  MAX_IN_FLIGHT: {
    value: integer(1, 1_000_000),
    default: '10000',
    description:
      'Most requests for something that is not in memory, executed or waiting, at the same time. Further ones get a 503.',
  },
  MAX_WAIT_MS: {
    value: milliseconds(10),
    default: '750',
    description: 'Longest time that a request waits for its turn. Then it gets a 503.',
  },
  MAX_LOOP_LAG_MS: {
    value: milliseconds(10),
    default: '2000',
    description: 'Longest delay of the event loop that may persist. Beyond it, requests get a 503.',
  },
  MAX_SUBSCRIPTIONS: {
    value: positiveInteger,
    default: '2000',
    description: 'Most subscriptions that listen at the same time. Further ones get a 503.',
  },
} as const satisfies Rows;

const connections = ofProgram({
  RATE_LIMIT_PER_MINUTE: {
    closes: true,
    value: integer(0, 1_000_000_000),
    default: '0',
    description: 'Most requests of one client in a minute. Further ones get a 429. 0: no limit.',
  },
  TRUST_PROXY: {
    value: integer(0, 100),
    default: '0',
    description:
      'Number of proxies in front. The client is the address that the outermost of them wrote into `X-Forwarded-For`. 0: the address of the connection.',
  },
  MAX_CONNECTIONS: {
    value: integer(1, 1_000_000),
    default: '10000',
    description: 'Most connections of clients. Beyond it, idle ones are closed; if none is idle, requests get a 503.',
  },
  HEADERS_TIMEOUT_MS: {
    value: milliseconds(100),
    default: '5000',
    description: 'Longest time in which the headers of a request must arrive. After it: 408.',
  },
  REQUEST_TIMEOUT_MS: {
    value: milliseconds(100),
    default: '10000',
    description: 'Longest time in which a whole request must arrive. After it: 408.',
  },
  SEND_TIMEOUT_MS: {
    value: milliseconds(100),
    default: '10000',
    description: 'How long a client may stop reading its response before the connection is reset.',
  },
  KEEP_ALIVE_TIMEOUT_MS: {
    value: milliseconds(100),
    default: '65000',
    description:
      'How long a connection may be idle between two requests. Make it longer than the idle timeout of a load balancer in front, which is often 60 s.',
  },
});

const shutdown = {
  SHUTDOWN_DELAY_MS: {
    value: milliseconds(0),
    default: '0',
    description:
      'How long new connections are still accepted after SIGTERM or Ctrl-C. `/readyz` answers 503 meanwhile, so that a load balancer notices.',
    isProgramOnly: true,
  },
  SHUTDOWN_TIMEOUT_MS: {
    value: milliseconds(0),
    default: '10000',
    description: 'Longest time that a shutdown takes. Requests that have no response by then are cut off.',
  },
} as const satisfies Rows;

// Names and defaults: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
const tracing = ofProgram({
  OTEL_SDK_DISABLED: { value: text, whenUnset: '`false`', description: '`true`: no traces.' },
  OTEL_TRACES_EXPORTER: {
    value: choice(['otlp', 'none']),
    whenUnset: '`otlp` where an endpoint is set',
    description: '`none`: no traces.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    value: httpUrl,
    description: 'Collector that gets the traces. `/v1/traces` is added to its path.',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    value: httpUrl,
    whenUnset: '`OTEL_EXPORTER_OTLP_ENDPOINT`',
    description: 'The same, for traces only. Its path is used as it is.',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    value: choice(['http/protobuf']),
    whenUnset: '`http/protobuf`',
    description: 'Protocol of the exporter. There is no other one.',
  },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: {
    value: choice(['http/protobuf']),
    whenUnset: '`OTEL_EXPORTER_OTLP_PROTOCOL`',
    description: 'The same, for traces only.',
  },
  OTEL_TRACES_SAMPLER: {
    value: choice([
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
      'always_on',
      'always_off',
      'traceidratio',
    ]),
    default: 'parentbased_always_on',
    description: 'Which traces are recorded.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    value: fraction,
    default: '1',
    description: 'Share of the traces that the `traceidratio` samplers record.',
  },
  OTEL_BSP_SCHEDULE_DELAY: {
    value: { ...positiveInteger, unit: 'ms' },
    default: '5000',
    description: 'Longest time for which spans are collected before they are sent.',
  },
  OTEL_BSP_MAX_QUEUE_SIZE: {
    value: positiveInteger,
    default: '2048',
    description: 'Most spans that wait to be sent. Further ones are dropped.',
  },
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: {
    value: positiveInteger,
    default: '512',
    description: 'Most spans in one message to the collector.',
  },
});

export const VARIABLES = {
  ...server,
  ...database,
  ...cache,
  ...log,
  ...pages,
  ...queryLimits,
  ...documents,
  ...access,
  ...rest,
  ...load,
  ...connections,
  ...shutdown,
  ...tracing,
};

export type VariableName = keyof typeof VARIABLES;

type Row = readonly [name: VariableName, row: Variable];

/** @param about what applies to all its variables, in Markdown */
const group = (title: string, variables: Rows, about = '') => ({
  title,
  about,
  rows: Object.entries(variables).map(
    ([name, row]) => [name, row.default || row.whenUnset ? row : { ...row, whenUnset: 'none' }] as Row,
  ),
});

const PER_WORKER = 'Each worker has these limits for itself.';

/** The sections of `vitrine serve --help` and of docs/configuration.md. */
export const GROUPS = [
  group('Server', server),
  group('Database', database),
  group('Cache and freshness', cache),
  group('Log', log),
  group('Pages and schema', pages),
  group('Limits of an operation', queryLimits, 'An operation beyond a limit gets the error `QUERY_TOO_COMPLEX`.'),
  group(
    'Trusted documents',
    documents,
    'Documents that clients name by an id. See [Trusted documents](trusted-documents.md).',
  ),
  group('Access', access),
  group('REST', rest),
  group('Load', load, PER_WORKER),
  group('Connections', connections, PER_WORKER),
  group('Shutdown', shutdown),
  group(
    'Traces',
    tracing,
    'The variables of OpenTelemetry. Traces are sent only if an endpoint or `OTEL_TRACES_EXPORTER=otlp` is set. `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` and the other `OTEL_EXPORTER_OTLP_…` (headers, timeout, compression, certificate) are read by OpenTelemetry itself.',
  ),
];

/** All rows, where the type of each value does not matter. */
export const ROWS: readonly Row[] = GROUPS.flatMap(({ rows }) => rows);

export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

/** `CACHE_MAX_MB` as a member of the configuration and as an option: `cacheMaxMb`. */
export const camelCase = <Name extends string>(name: Name): CamelCase<Name> =>
  name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>;

type Variables = typeof VARIABLES;

type Read<Row> = Row extends { readonly value: Value<infer T> }
  ? Row extends { readonly default: string }
    ? T
    : T | undefined
  : never;

/** The value of each variable under its name in camel case. */
export type Values = { readonly [Name in VariableName as CamelCase<Name>]: Read<Variables[Name]> };

/** The switches of the pages: every variable whose value is an `exposure`, under its name in camel case. */
export type Exposures = {
  readonly [Name in keyof Values as NonNullable<Values[Name]> extends Exposure ? Name : never]: Exposure;
};
