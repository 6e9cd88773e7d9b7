// Written by "npm run generate" from variables.ts: edit that.

/** `token`: only for callers with an access token. */
export type Exposed = boolean | 'token';

/** The variables of docs/configuration.md as options. What concerns the socket (port, time limits, rate limit) is left to the host. */
export interface VariableOptions {
  /**
   * The database to serve. With several hosts (`postgresql://user@a:5432,b:5432/shop`), the one that accepts writes is used, also after a
   * fail-over.
   * @default an embedded PostgreSQL in {@link dataDir}, migrated and filled with the demo catalogue
   */
  readonly databaseUrl?: string | undefined;
  /**
   * The same database without a pooler in transaction mode, for what needs a session of its own: notifications, migrations and imports.
   * @default {@link databaseUrl}
   */
  readonly databaseDirectUrl?: string | undefined;
  /**
   * Streaming replicas of {@link databaseUrl} that cache misses are read from, one server in each URL. They need `changeFeed: 'listen'`.
   * @default none
   */
  readonly databaseReplicaUrls?: readonly string[] | undefined;
  /**
   * Connections to each database server, from each worker.
   * @default 10
   */
  readonly databasePoolSize?: number | undefined;
  /**
   * Longest time that a statement may take, and that a request waits for a connection. In milliseconds.
   * @default 1500
   */
  readonly databaseTimeoutMs?: number | undefined;
  /**
   * How long the start waits for a database that cannot be reached yet. 0: it is tried once. In milliseconds.
   * @default 30000
   */
  readonly databaseWaitMs?: number | undefined;
  /**
   * Whether each connection prepares its statements. `auto`: yes, unless there is a pooler in transaction mode.
   * @default 'auto'
   */
  readonly preparedStatements?: 'auto' | 'on' | 'off' | undefined;
  /**
   * Folder of the embedded PostgreSQL. It is used only without {@link databaseUrl}.
   * @default './data'
   */
  readonly dataDir?: string | undefined;

  /**
   * Memory for cached responses, in each worker. 0: no response is cached. In megabytes.
   * @default 64
   */
  readonly cacheMaxMb?: number | undefined;
  /**
   * Upper bound on staleness: a response never misses a commit older than this. 0: every request waits for a check of its own. In milliseconds.
   * @default 100
   */
  readonly freshnessMs?: number | undefined;
  /**
   * How changes of the database are noticed. `listen`: by its notifications. `poll`: for databases and poolers without `LISTEN`; each cached
   * response is then used for at most {@link freshnessMs}.
   * @default 'listen'
   */
  readonly changeFeed?: 'listen' | 'poll' | undefined;
  /**
   * How long cached responses are still served while the database is unavailable. 0: not at all. In seconds.
   * @default 300
   */
  readonly staleIfErrorS?: number | undefined;

  /**
   * Least severe level that is logged.
   * @default 'warn'
   */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | undefined;
  /**
   * Which requests are logged, at level `info`. `misses`: all but those answered from the cache and health checks that succeed.
   * @default 'misses'
   */
  readonly logRequests?: 'all' | 'misses' | 'none' | undefined;

  /**
   * GraphiQL, which browsers get at `/graphql`. `token`: only with an access token.
   * @default true
   */
  readonly graphiql?: Exposed | undefined;
  /**
   * The REST reference at `/docs`, and `/openapi.json`. `token`: only with an access token.
   * @default `true`; `token` where access tokens are configured
   */
  readonly docs?: Exposed | undefined;
  /**
   * The demo shop at `/demo`. `token`: only with an access token.
   * @default true
   */
  readonly demo?: Exposed | undefined;
  /**
   * Metrics for Prometheus at `/metrics`. `token`: only with an access token.
   * @default `true`; `token` where access tokens are configured
   */
  readonly metrics?: Exposed | undefined;
  /**
   * Whether GraphQL clients may read the schema.
   * @default true
   */
  readonly introspection?: boolean | undefined;
  /**
   * Whether errors suggest similar names ("Did you mean …?"), which reveals names of the schema.
   * @default as {@link introspection}
   */
  readonly fieldSuggestions?: boolean | undefined;

  /**
   * Highest cost of an operation, roughly the rows that it asks for, and most rows that its lists return.
   * @default 20000
   */
  readonly queryMaxCost?: number | undefined;
  /**
   * Deepest nesting of fields, with fragments expanded. GraphiQL itself needs 15.
   * @default 20
   */
  readonly queryMaxDepth?: number | undefined;
  /**
   * Most fields that a document selects, aliases and repetitions included, with fragments expanded.
   * @default 1000
   */
  readonly queryMaxFields?: number | undefined;
  /**
   * Most lexical tokens of a document: names, values and punctuation.
   * @default 2000
   */
  readonly queryMaxTokens?: number | undefined;

  /**
   * Tokens that let callers in, or `sha256:` and their digests. Every operation but the detail of a notice then needs one.
   * @default none: everything is public
   */
  readonly accessTokens?: readonly string[] | undefined;
  /**
   * File with further tokens or digests, one a line. It is read again whenever it changes.
   * @default none
   */
  readonly accessTokensFile?: string | undefined;
  /**
   * JSON Web Key Set of an issuer whose JSON Web Tokens let callers in. It needs {@link jwtIssuer} and {@link jwtAudience}.
   * @default none
   */
  readonly jwksUrl?: string | undefined;
  /**
   * Accepted issuers of JSON Web Tokens (claim `iss`).
   * @default none
   */
  readonly jwtIssuer?: readonly string[] | undefined;
  /**
   * Accepted audiences of JSON Web Tokens (claim `aud`): the names of this service.
   * @default none
   */
  readonly jwtAudience?: readonly string[] | undefined;
  /**
   * Web origins whose pages may read responses. `*`: all.
   * @default none
   */
  readonly corsOrigins?: readonly string[] | undefined;

  /**
   * Folder with GraphQL documents of REST paths. Each replaces the built-in one of the same file name. Further files may hold fragments for all
   * of them.
   * @default the built-in documents
   */
  readonly restDocuments?: string | undefined;

  /**
   * Most operations that are executed or wait for it at once; further ones get a 503.
   * @default 1000
   */
  readonly maxInFlight?: number | undefined;
  /**
   * Longest time that an operation may wait for those before it; one that would have to wait longer gets a 503. In milliseconds.
   * @default 1000
   */
  readonly maxWaitMs?: number | undefined;
  /**
   * Longest lasting delay of the event loop; beyond it, requests get a 503. In milliseconds.
   * @default 2000
   */
  readonly maxLoopLagMs?: number | undefined;

  /**
   * Longest time that a shutdown takes. Requests that have no response by then are cut off. In milliseconds.
   * @default 10000
   */
  readonly shutdownTimeoutMs?: number | undefined;
}
