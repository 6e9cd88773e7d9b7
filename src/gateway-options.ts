/** `token`: for who has an access token. */
export type Exposed = boolean | 'token';

/**
 * What a gateway may be told: each is the environment variable of that name in README.md, `freshnessMs` for `FRESHNESS_MS`, with its default. What is
 * about sockets (port, time limits, rate limit) is left to the host.
 */
export interface GatewayOptions {
  /** `postgresql://…`, migrated. @default an embedded PostgreSQL in {@link dataDir}, migrated and filled with the demo catalogue */
  readonly databaseUrl?: string | undefined;
  /** The same database without a pooler in transaction mode, for what needs a session of its own. @default databaseUrl */
  readonly databaseDirectUrl?: string | undefined;
  /** Streaming replicas of {@link databaseUrl}, one server each, that misses may be read from. @default none */
  readonly databaseReplicaUrls?: readonly string[] | undefined;
  /** Connections. @default 10 */
  readonly databasePoolSize?: number | undefined;
  /** The longest that one statement may take. @default 1500 */
  readonly databaseTimeoutMs?: number | undefined;
  /** Whether statements are prepared once a connection. @default 'auto': unless there is a pooler in transaction mode */
  readonly preparedStatements?: 'auto' | 'on' | 'off' | undefined;
  /** How long a database that is not up yet is waited for. @default 30000 */
  readonly databaseWaitMs?: number | undefined;
  /** Where the embedded database lives. @default './data' */
  readonly dataDir?: string | undefined;
  /** Apply pending migrations to {@link databaseUrl} first. @default false */
  readonly migrate?: boolean | undefined;

  /** Memory for answers; 0 keeps none. @default 64 */
  readonly cacheMaxMb?: number | undefined;
  /** How old a commit may be that an answer misses; 0: none. @default 100 */
  readonly freshnessMs?: number | undefined;
  /** How changes are learnt of; 'poll' where the database has no LISTEN. @default 'listen' */
  readonly pulse?: 'listen' | 'poll' | undefined;
  /** How long answers are given from memory while the database is away. @default 300 */
  readonly staleIfErrorS?: number | undefined;

  /** @default true */
  readonly graphiql?: Exposed | undefined;
  /** The REST reference. @default true, or 'token' where there are access tokens */
  readonly docs?: Exposed | undefined;
  /** The demo shop. @default true */
  readonly demo?: Exposed | undefined;
  /** @default true, or 'token' where there are access tokens */
  readonly metrics?: Exposed | undefined;
  /** @default true */
  readonly introspection?: boolean | undefined;
  /** "Did you mean …" in errors. @default as introspection */
  readonly fieldSuggestions?: boolean | undefined;

  /** @default 20000 */
  readonly queryMaxCost?: number | undefined;
  /** @default 20 */
  readonly queryMaxDepth?: number | undefined;
  /** @default 1000 */
  readonly queryMaxFields?: number | undefined;
  /** @default 2000 */
  readonly queryMaxTokens?: number | undefined;

  /** Tokens that let in, or `sha256:` and their hash. @default none: everything is public */
  readonly accessTokens?: readonly string[] | undefined;
  readonly accessTokensFile?: string | undefined;
  readonly jwksUrl?: string | undefined;
  readonly jwtIssuer?: readonly string[] | undefined;
  readonly jwtAudience?: readonly string[] | undefined;
  /** Origins whose pages may read answers; `*`: all. @default none */
  readonly corsOrigins?: readonly string[] | undefined;

  /** A folder whose documents replace those of the REST paths. */
  readonly restDocuments?: string | undefined;
  /** Executions at once. @default 1000 */
  readonly maxInFlight?: number | undefined;
  /** @default 1000 */
  readonly maxWaitMs?: number | undefined;
  /** @default 2000 */
  readonly maxLoopLagMs?: number | undefined;

  /** @default 'warn', unlike the program's */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | undefined;
  /** Requests that get a line at level info. @default 'misses' */
  readonly logRequests?: 'all' | 'misses' | 'none' | undefined;
  /** Takes the log, a line of JSON at a time, free of secrets. @default standard output */
  readonly log?: { write(line: string): void } | undefined;

  /** How long {@link Gateway.close} waits for answers under way. @default 10000 */
  readonly shutdownTimeoutMs?: number | undefined;

  /**
   * Variables as the program reads them, such as `process.env`, below the options beside it. @default none
   */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}
