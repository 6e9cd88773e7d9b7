// Written by "npm run generate" from variables.ts: edit that.

/** `token`: only for callers with an access token. */
export type Exposed = boolean | 'token';

/** The variables of docs/configuration.md as options. What concerns the socket (port, time limits, rate limit) is left to the host. */
export interface VariableOptions {
  /**
   * The database to serve. If it names several hosts (`postgresql://user@a:5432,b:5432/shop`), the one that accepts writes is used, also after a
   * fail-over.
   * @default an embedded PostgreSQL in {@link dataDir}, migrated and filled with the demo catalogue
   */
  readonly databaseUrl?: string | undefined;
  /**
   * The same database, but not through a pooler in transaction mode. It is used for what needs a session: notifications, migrations and imports.
   * @default {@link databaseUrl}
   */
  readonly databaseDirectUrl?: string | undefined;
  /**
   * Streaming replicas of {@link databaseUrl}, one server in each URL. Responses that are not cached are read from them. They need `changeFeed:
   * 'listen'`.
   * @default none
   */
  readonly databaseReplicaUrls?: readonly string[] | undefined;
  /**
   * Most connections that each worker opens to each database server for its statements. One more to each server watches it.
   * @default 10
   */
  readonly databasePoolSize?: number | undefined;
  /**
   * Longest time that a statement may take, and longest time that a request waits for a connection. In milliseconds.
   * @default 1500
   */
  readonly databaseTimeoutMs?: number | undefined;
  /**
   * How long the start waits for a database that cannot be reached yet. 0: it tries once. In milliseconds.
   * @default 30000
   */
  readonly databaseWaitMs?: number | undefined;
  /**
   * Whether connections prepare their statements. `auto`: yes, unless there is a pooler in transaction mode.
   * @default 'auto'
   */
  readonly preparedStatements?: 'auto' | 'on' | 'off' | undefined;
  /**
   * Folder of the embedded PostgreSQL, which is used only without {@link databaseUrl}.
   * @default './data'
   */
  readonly dataDir?: string | undefined;

  /**
   * Memory for cached responses and known rows, in each worker. 0: nothing is cached. In megabytes.
   * @default 64
   */
  readonly cacheMaxMb?: number | undefined;
  /**
   * Memory for the index of products that answers browsing and search, in each worker. A catalogue that does not fit, or has less than 5,000
   * products, is searched by PostgreSQL alone. 0: always. In megabytes.
   * @default 256
   */
  readonly browseIndexMaxMb?: number | undefined;
  /**
   * How old a response may be: it shows every change that was committed longer ago than this. 0: each request first asks the database for
   * changes, so that it shows all that were committed before it. In milliseconds.
   * @default 100
   */
  readonly freshnessMs?: number | undefined;
  /**
   * How changes in the database are noticed. `listen`: by its notifications. `poll`: for databases and poolers without `LISTEN`; each cached
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
   * Which requests are logged, at level `info`. `misses`: all but those answered from the cache, and health checks that succeed.
   * @default 'misses'
   */
  readonly logRequests?: 'all' | 'misses' | 'none' | undefined;

  /**
   * Who sees GraphiQL, which browsers get at `/graphql`. `token`: only callers with an access token.
   * @default true
   */
  readonly graphiql?: Exposed | undefined;
  /**
   * Who sees the REST reference at `/docs`, and `/openapi.json`. `token`: only callers with an access token.
   * @default `true`; `token` where access tokens are configured
   */
  readonly docs?: Exposed | undefined;
  /**
   * Who sees the demo shop at `/demo`. `token`: only callers with an access token.
   * @default true
   */
  readonly demo?: Exposed | undefined;
  /**
   * Who sees the metrics for Prometheus at `/metrics`. `token`: only callers with an access token.
   * @default `true`; `token` where access tokens are configured
   */
  readonly metrics?: Exposed | undefined;
  /**
   * Whether GraphQL clients may read the schema.
   * @default true
   */
  readonly introspection?: boolean | undefined;
  /**
   * Whether errors suggest similar names ("Did you mean …?"). These reveal names of the schema.
   * @default as {@link introspection}
   */
  readonly fieldSuggestions?: boolean | undefined;
  /**
   * The text of GraphQL over HTTP whose status codes `/graphql` uses: the draft that clients know, or the edition of September 2026. See
   * [Errors](errors.md#status-in-graphql).
   * @default '2025'
   */
  readonly graphqlStatusCodes?: '2025' | '2026' | undefined;

  /**
   * Highest cost of an operation: roughly the rows that it asks for. Also the most rows that its lists may return.
   * @default 20000
   */
  readonly queryMaxCost?: number | undefined;
  /**
   * Most levels of fields inside fields, with fragments expanded. GraphiQL itself needs 15.
   * @default 20
   */
  readonly queryMaxDepth?: number | undefined;
  /**
   * Most fields that a document selects, with aliases, repetitions and expanded fragments.
   * @default 1000
   */
  readonly queryMaxFields?: number | undefined;
  /**
   * Most lexical tokens in a document: names, values and punctuation.
   * @default 2000
   */
  readonly queryMaxTokens?: number | undefined;

  /**
   * JavaScript module whose default export is a list of plugins of Yoga or Envelop. They see every GraphQL operation that memory does not answer.
   * @default none
   */
  readonly graphqlPlugins?: string | undefined;
  /**
   * JSON file of GraphQL documents that requests may name by an id: an object of ids and texts, or a manifest of Apollo. The start checks them
   * against the schema.
   * @default none
   */
  readonly trustedDocuments?: string | undefined;
  /**
   * Whether GraphQL requests with other documents are refused. REST, and the demo shop with its own documents, go on. It needs {@link
   * trustedDocuments}.
   * @default false
   */
  readonly trustedDocumentsOnly?: boolean | undefined;

  /**
   * Access tokens, or `sha256:` and their digests. If there are any, every operation but the detail of a notice needs one.
   * @default none: everything is public
   */
  readonly accessTokens?: readonly string[] | undefined;
  /**
   * File with further tokens or digests, one on each line. It is read again when it changes.
   * @default none
   */
  readonly accessTokensFile?: string | undefined;
  /**
   * Tokens, or `sha256:` and their digests, that let callers see answers of another time by the header `x-preview-at`.
   * @default none
   */
  readonly previewTokens?: readonly string[] | undefined;
  /**
   * URL of the public keys (JSON Web Key Set) of an issuer whose JSON Web Tokens are accepted. It needs {@link jwtIssuer} and {@link
   * jwtAudience}.
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
   * Web origins whose scripts may read responses. `*`: all.
   * @default none
   */
  readonly corsOrigins?: readonly string[] | undefined;
  /**
   * Request headers that scripts of these origins may send.
   * @default 'authorization,content-type,if-none-match,x-preview-at,x-request-id,traceparent,tracestate,baggage,sentry-trace,apollographql-client-name,apollographql-client-version'
   */
  readonly corsAllowedHeaders?: readonly string[] | undefined;

  /**
   * Folder with GraphQL documents for the REST paths. Each replaces the built-in one of the same file name. Other files in it may hold fragments
   * for all of them.
   * @default the built-in documents
   */
  readonly restDocuments?: string | undefined;

  /**
   * Most requests for something that is not in memory, executed or waiting, at the same time. Further ones get a 503.
   * @default 10000
   */
  readonly maxInFlight?: number | undefined;
  /**
   * Longest time that a request waits for its turn. Then it gets a 503. In milliseconds.
   * @default 750
   */
  readonly maxWaitMs?: number | undefined;
  /**
   * Longest delay of the event loop that may persist. Beyond it, requests get a 503. In milliseconds.
   * @default 2000
   */
  readonly maxLoopLagMs?: number | undefined;
  /**
   * Most subscriptions that listen at the same time. Further ones get a 503.
   * @default 2000
   */
  readonly maxSubscriptions?: number | undefined;

  /**
   * Longest time that a shutdown takes. Requests that have no response by then are cut off. In milliseconds.
   * @default 10000
   */
  readonly shutdownTimeoutMs?: number | undefined;
}
