import type { Exposure } from '../access/access.ts';
import { POOLERS } from '../database/connection.ts';
import {
  choice,
  databaseUrl,
  exposure,
  fraction,
  hostName,
  httpUrl,
  integer,
  keySetUrl,
  languageTags,
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

const row = <T, const Others extends Omit<Variable, 'value' | 'description'>>(
  value: Value<T>,
  description: string,
  others: Others,
) => ({ value, description, ...others });

/** @param about what applies to all its variables, in Markdown */
const group = <const Given extends Rows>(title: string, about: string, variables: Given) => ({
  title,
  about,
  variables,
  rows: Object.entries(variables).map(([name, row]): readonly [name: string, Variable] => [
    name,
    row.default || row.whenUnset ? row : { ...row, whenUnset: 'none' },
  ]),
});

const groupOfProgram = <const Given extends Rows>(title: string, about: string, variables: Given) => {
  const rows = Object.entries(variables).map(([name, row]) => [name, { ...row, isProgramOnly: true }]);
  type OfProgram = { readonly [Name in keyof Given]: Given[Name] & { readonly isProgramOnly: true } };
  return group(title, about, Object.fromEntries(rows) as OfProgram);
};

const PER_WORKER = 'Each worker has these limits for itself.';

const TRACES =
  'They are sent by OTLP over HTTP (protobuf), and only if an endpoint or `OTEL_TRACES_EXPORTER=otlp` is set. OpenTelemetry itself reads `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` and the other `OTEL_EXPORTER_OTLP_…`. A `,` or `=` in a value of `OTEL_RESOURCE_ATTRIBUTES` is `%2C` or `%3D`; otherwise OpenTelemetry drops all of them.';

/** The sections of `vitrine serve --help` and of docs/configuration.md. */
export const GROUPS = [
  groupOfProgram('Server', '', {
    PORT: row(integer(0, 65_535), 'TCP port to listen on. 0: any free port.', { default: '4000' }),
    HOST: row(hostName, 'Host name or address to listen on.', { closes: true, whenUnset: 'every interface' }),
    WORKERS: row(
      workers,
      'Processes that share the port, each with its own cache and connections. `auto`: one for each core.',
      { default: '1' },
    ),
  }),
  group('Database', '', {
    DATABASE_URL: row(
      databaseUrl,
      'The database. Of several hosts (`postgresql://user@a:5432,b:5432/shop`), the one that accepts writes is used.',
      { whenUnset: 'an embedded PostgreSQL, with the demo catalogue' },
    ),
    DATABASE_DIRECT_URL: row(
      databaseUrl,
      'The same database past a pooler in transaction mode: for notifications, migrations and imports.',
      { whenUnset: '`DATABASE_URL`' },
    ),
    DATABASE_REPLICA_URLS: row(replicaUrls, 'Streaming replicas, one server in each URL.', { default: '' }),
    DATABASE_POOL_SIZE: row(
      integer(1, 1000),
      'Most connections of each worker to each database server, besides one that watches it.',
      { default: '10' },
    ),
    DATABASE_TIMEOUT_MS: row(
      milliseconds(100),
      'Longest time that a statement may take, and that a request waits for a connection (1.5 s at most).',
      { default: '1500' },
    ),
    DATABASE_WAIT_MS: row(milliseconds(0), 'How long the start waits for the database. 0: it tries once.', {
      default: '30000',
    }),
    DATABASE_POOLER: row(
      choice(POOLERS),
      'The pooler that `DATABASE_URL` leads to, by its mode. `transaction` needs `DATABASE_DIRECT_URL`.',
      { default: 'none' },
    ),
    DATA_DIR: row(path, 'Folder of the embedded PostgreSQL.', { default: './data' }),
  }),
  group('Cache and freshness', '', {
    CACHE_MAX_MB: row(megabytes, 'Memory for responses and rows, in each worker. 0: nothing is cached.', {
      default: '64',
    }),
    BROWSE_INDEX_MAX_MB: row(
      megabytes,
      'Memory for the index of browsing and search, in each worker. 0: PostgreSQL answers.',
      { default: '256' },
    ),
    READY_WHEN_INDEXED: row(toggle, 'Whether `/readyz` answers 503 until the index of products is filled.', {
      default: 'false',
    }),
    FRESHNESS_MS: row(
      { ...integer(0, 1000), unit: 'ms' },
      'How old a response may be: it shows every change that was committed longer ago. 0: each request first asks the database.',
      { default: '100' },
    ),
    STALE_IF_ERROR_S: row(
      { ...integer(0, 86_400), unit: 's' },
      'How long cached responses are served while the database is away. 0: not at all.',
      { default: '300' },
    ),
  }),
  group('Log', '', {
    LOG_LEVEL: row(
      choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
      'Least severe level that is logged.',
      { default: 'info', libraryDefault: 'warn' },
    ),
    LOG_REQUESTS: row(
      choice(['misses', 'none']),
      'Which requests are logged, at level `info`. `misses`: all but answers from memory and good health checks.',
      { default: 'misses' },
    ),
  }),
  group('Languages', '', {
    LANGUAGES: row(
      languageTags,
      'Languages of the catalogue: first that of the columns of its tables, then those that they are [translated](languages.md) to.',
      { default: '', whenUnset: 'one, which responses do not name' },
    ),
  }),
  group('Pages and schema', '`token` means callers with an access token.', {
    GRAPHIQL: row(exposure, 'Who sees GraphiQL, which browsers get at `/graphql`.', { closes: true, default: 'on' }),
    DOCS: row(exposure, 'Who sees the REST reference at `/docs`, and `/openapi.json`.', {
      closes: true,
      whenUnset: '`on`; `token` where access tokens are configured',
    }),
    DEMO: row(exposure, 'Who sees the demo shop at `/demo`.', { closes: true, default: 'on' }),
    METRICS: row(exposure, 'Who sees the metrics for Prometheus at `/metrics`.', {
      closes: true,
      whenUnset: '`on`; `token` where access tokens are configured',
    }),
    INTROSPECTION: row(toggle, 'Whether GraphQL clients may read the schema.', { closes: true, default: 'true' }),
    FIELD_SUGGESTIONS: row(toggle, 'Whether errors suggest names of the schema ("Did you mean …?").', {
      closes: true,
      whenUnset: 'as `INTROSPECTION`',
    }),
  }),
  group('Limits of an operation', 'Beyond one: the error `QUERY_TOO_COMPLEX`.', {
    QUERY_MAX_COST: row(
      integer(1000, 1_000_000_000),
      'Highest cost: roughly the rows that an operation asks for, and the most that its lists may return.',
      { default: '20000' },
    ),
  }),
  group('Documents and plugins', '', {
    REST_DOCUMENTS: row(path, 'Folder of GraphQL documents for the REST paths, which replace those of the same name.', {
      whenUnset: 'the built-in documents',
    }),
    GRAPHQL_PLUGINS: row(
      path,
      'JavaScript module whose default export is a list of [plugins](plugins.md) of Yoga or Envelop.',
      {},
    ),
    PLUGINS_SHARE_ANSWERS: row(
      toggle,
      'Whether plugins give all callers the same, so that memory answers before them. Otherwise each operation is executed for its own caller.',
      { default: 'false' },
    ),
    TRUSTED_DOCUMENTS: row(
      path,
      'JSON file of [GraphQL documents](trusted-documents.md): an object of ids and texts, or a manifest of Apollo.',
      {},
    ),
    TRUSTED_DOCUMENTS_ONLY: row(toggle, 'Whether other documents are refused, but for REST and the demo shop.', {
      closes: true,
      default: 'false',
    }),
  }),
  group('Access', '', {
    ACCESS_TOKENS: row(
      tokenList,
      'Access tokens: if there are any, every operation but the detail of a notice needs one.',
      {
        closes: true,
        default: '',
        whenUnset: 'none: everything is public',
      },
    ),
    PREVIEW_TOKENS: row(
      tokenList,
      'Tokens that let callers see answers of another time by the header `x-preview-at`.',
      {
        default: '',
      },
    ),
    JWKS_URL: row(keySetUrl, 'Public keys of an issuer of JSON Web Tokens; needs `JWT_ISSUER` and `JWT_AUDIENCE`.', {
      closes: true,
    }),
    JWT_ISSUER: row(list, 'Accepted issuers of JSON Web Tokens (claim `iss`), with commas between.', {
      closes: true,
      default: '',
    }),
    JWT_AUDIENCE: row(
      list,
      'Accepted audiences of JSON Web Tokens (claim `aud`): names of this service, with commas between.',
      { closes: true, default: '' },
    ),
    CORS_ORIGINS: row(originList, 'Web origins whose scripts may read responses. `*`: all.', { default: '' }),
  }),
  group('Agents', '', {
    UCP: row(exposure, 'The catalogue for [agents](agents.md), by the Universal Commerce Protocol.', {
      default: 'off',
    }),
    PUBLIC_URL: row(
      httpUrl,
      'Address by which clients reach the gateway, for the profile and the pictures of the catalogue.',
      { whenUnset: 'as each request says' },
    ),
    PRODUCT_URL: row(
      text,
      'Address of a product in the shop, with `{slug}` in it: `https://shop.example/p/{slug}`.',
      {},
    ),
    SHOP_CURRENCY: row(text, 'Currency of price filters of the catalogue, by ISO 4217.', {
      whenUnset: 'that of most products',
    }),
  }),
  group('Load', PER_WORKER, {
    MAX_IN_FLIGHT: row(integer(1, 1_000_000), 'Most requests for what is not in memory. Further ones get a 503.', {
      default: '10000',
    }),
    MAX_WAIT_MS: row(
      milliseconds(10),
      'Longest time that one of more than 64 requests waits for its turn. Then it gets a 503.',
      { default: '750' },
    ),
    MAX_SUBSCRIPTIONS: row(positiveInteger, 'Most subscriptions at once. Further ones get a 503.', {
      default: '2000',
    }),
  }),
  groupOfProgram('Connections', PER_WORKER, {
    RATE_LIMIT_PER_MINUTE: row(
      integer(0, 1_000_000_000),
      'Most requests of one client in a minute. Further ones get a 429. 0: no limit.',
      { closes: true, default: '0' },
    ),
    TRUST_PROXY: row(integer(0, 100), 'Number of proxies in front that write `X-Forwarded-For`.', { default: '0' }),
    MAX_CONNECTIONS: row(
      integer(1, 1_000_000),
      'Most connections of clients. Further ones are closed, and after a moment idle ones in favour of them.',
      { default: '10000' },
    ),
    REQUEST_TIMEOUT_MS: row(
      milliseconds(100),
      'Time in which a whole request must arrive, and its headers in 5 s. After it: 408.',
      { default: '10000' },
    ),
    SEND_TIMEOUT_MS: row(milliseconds(100), 'How long a client may stop reading before its connection is reset.', {
      default: '10000',
    }),
    KEEP_ALIVE_TIMEOUT_MS: row(
      milliseconds(100),
      'How long a connection may be idle: longer than at a load balancer in front (often 60 s).',
      { default: '65000' },
    ),
  }),
  group('Shutdown', '', {
    SHUTDOWN_DELAY_MS: row(
      milliseconds(0),
      'How long requests are still accepted after SIGTERM, while `/readyz` answers 503.',
      { default: '0', isProgramOnly: true },
    ),
    SHUTDOWN_TIMEOUT_MS: row(
      milliseconds(0),
      'Longest time that a shutdown takes. Requests without an answer are cut off then.',
      { default: '10000' },
    ),
  }),
  // Names and defaults: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
  groupOfProgram('Traces', TRACES, {
    OTEL_SDK_DISABLED: row(text, '`true`: no traces.', { whenUnset: '`false`' }),
    OTEL_TRACES_EXPORTER: row(choice(['otlp', 'none']), '`none`: no traces.', {
      whenUnset: '`otlp` where an endpoint is set',
    }),
    OTEL_EXPORTER_OTLP_ENDPOINT: row(httpUrl, 'Collector that gets the traces. `/v1/traces` is added to its path.', {}),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: row(httpUrl, 'The same, for traces only. Its path is used as it is.', {
      whenUnset: '`OTEL_EXPORTER_OTLP_ENDPOINT`',
    }),
    OTEL_TRACES_SAMPLER_ARG: row(
      fraction,
      'Share of the traces that begin here, which are recorded. A trace that goes on is recorded where its caller does.',
      { default: '1' },
    ),
    OTEL_BSP_SCHEDULE_DELAY: row({ ...positiveInteger, unit: 'ms' }, 'Longest time before spans are sent.', {
      default: '5000',
    }),
  }),
];

/** All rows, where the type of each value does not matter. */
export const ROWS = GROUPS.flatMap(({ rows }) => rows) as readonly (readonly [name: VariableName, row: Variable])[];

export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

/** `CACHE_MAX_MB` as a member of the configuration and as an option: `cacheMaxMb`. */
export const camelCase = <Name extends string>(name: Name): CamelCase<Name> =>
  name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>;

export type Variables = Merged<(typeof GROUPS)[number]['variables']>;

/** One record of the members of several. */
type Merged<Each> = {
  readonly [Name in Each extends unknown ? keyof Each : never]: Each extends Readonly<Record<Name, infer Of>>
    ? Of
    : never;
};

export type VariableName = keyof Variables;

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
