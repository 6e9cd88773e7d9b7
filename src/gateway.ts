import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { type Access, createPreviewTime, openAccess } from './access/access.ts';
import { createBrowse } from './browse/browse.loader.ts';
import { BrowseIndex } from './browse/index-engine.ts';
import { FreshnessMonitor } from './cache/freshness-monitor.ts';
import { createKnownRows } from './cache/known-rows.ts';
import { createListen } from './cache/listen.ts';
import { ResponseCache } from './cache/response-cache.ts';
import { TagVersions } from './cache/tags.ts';
import type { Config } from './config/config.ts';
import { createClock } from './database/clock.ts';
import { connectionConfig } from './database/connection.ts';
import { assertServing, readWatchedTables } from './database/migrations/rights.ts';
import { assertMigrated } from './database/migrations/status.ts';
import { assertSameDatabase, awaitDatabase, checkSessions } from './database/open.ts';
import { createPool, currentSchema, prismaIn } from './database/pool.ts';
import { createReplicas } from './database/replicas/replicas.ts';
import { createSql } from './database/sql.ts';
import { FEATURES } from './features.ts';
import { gatewayMetrics } from './gateway-metrics.ts';
import { createContextFactory } from './graphql/context.ts';
import { failureKindOf } from './graphql/failures.ts';
import { createGraphqlRoutes } from './graphql/handler.ts';
import { createMaskError } from './graphql/mask-error.ts';
import { OwnExecution } from './graphql/own-execution.ts';
import { SharedExecution } from './graphql/shared-execution.ts';
import { Documents } from './graphql/use-documents.ts';
import { Live } from './graphql/use-live.ts';
import { TokenResponses } from './graphql/use-result-writer.ts';
import { readTrustedDocuments } from './graphql/use-trusted-documents.ts';
import { createGraphqlServer, loadPlugins } from './graphql/yoga.ts';
import { ResponseWriter } from './http/cached-http-response.ts';
import { createContentEncodings } from './http/content-encodings.ts';
import { createCors } from './http/cors.ts';
import { createProbes } from './http/probes.ts';
import { createRequestCache } from './http/request-cache.ts';
import { type App, Serving } from './http/serve-request.ts';
import { Languages } from './language/languages.ts';
import type { RequestCounts } from './observability/counts.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { createObserver, type Observer } from './observability/observer.ts';
import { createLoadGuard } from './overload/load-guard.ts';
import { createPages } from './pages/pages.ts';
import { findDemoPicture, SHOP_DOCUMENTS } from './pages/shop.ts';
import { loadRestOperations } from './rest/documents.ts';
import { createRestRoutes } from './rest/handler.ts';
import { createOpenapi } from './rest/openapi/openapi.ts';
import { createSchema } from './schema.ts';

/** Of the memory for responses: rows take less than the responses that show them, and answer those that nobody has asked for yet. */
const ROWS_SHARE = 0.375;

/**
 * For parsed requests: a share of the memory for responses, and at least what a gateway without a response cache needs. With half of it, 20,000 small
 * responses fitted into the response cache and the requests for them did not: a hit took 24 µs of CPU on average, and takes 15.
 */
const REQUEST_CACHE_SHARE = 0.25;
const MIN_REQUEST_CACHE_BYTES = 524_288;

export interface Gateway {
  readonly app: App;
  readonly metrics: Metrics;
  /** What it has counted of its requests and their statements. */
  readonly requests: RequestCounts;
  /** From now on `/readyz` answers 503. */
  readonly startDraining: () => void;
  /** Ends the streams of all subscriptions. */
  readonly completeSubscriptions: () => void;
  /** Begins to fill the index of products. */
  readonly startIndex: () => void;
  readonly close: () => Promise<void>;
}

export interface GatewayParts {
  /** The metrics of all processes, where this is one of several. */
  readonly pageOfAll?: Metrics['page'] | undefined;
  /** Of Yoga or Envelop, after those of the gateway. */
  readonly plugins?: readonly Plugin[] | undefined;
}

/**
 * Puts the gateway together on a migrated database. If it fails, nothing stays open.
 * @throws OperatorError when the database is not there or not migrated, a REST document does not fit, or the file of plugins cannot be used
 */
export const createGateway = async (
  config: Config,
  databaseUrl: string,
  log: Logger,
  parts: GatewayParts = {},
): Promise<Gateway> => {
  const closers: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    const closeLast = closers.pop();
    if (!closeLast) return;
    try {
      await closeLast();
    } finally {
      await close();
    }
  };
  const languages = new Languages(config.languages);
  const given: Given = { config, languages, databaseUrl, log, parts, onClose: (each) => closers.push(each) };
  try {
    return { ...(await assemble(given)), close };
  } catch (error) {
    await close().catch((err: unknown) => log.warn({ err }, 'what was opened could not be closed'));
    throw error;
  }
};

interface Given {
  readonly config: Config;
  readonly languages: Languages;
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly parts: GatewayParts;
  /** Is given what closes each part that was opened: what was opened last is closed first. */
  readonly onClose: (close: () => unknown) => void;
}

/** What is put together, each of those before it. */
interface Layers {
  readonly operations: Awaited<ReturnType<typeof readOperations>>;
  readonly observer: Observer;
  readonly database: Awaited<ReturnType<typeof connect>>;
  readonly access: Access;
  readonly memory: ReturnType<typeof createMemory>;
  readonly graphql: ReturnType<typeof createGraphql>;
  readonly metrics: Metrics;
}

/** From the bottom to the top: what may be asked, the database, memory, GraphQL, HTTP. */
const assemble = async (given: Given): Promise<Omit<Gateway, 'close'>> => {
  const { config, log, onClose } = given;
  const operations = await readOperations(given);
  const observer = await createObserver(config, log);
  onClose(() => observer.tracing?.close());
  const database = await connect(given, observer);
  const access = await openAccess(config, database.clock, log);
  onClose(access.close);
  const memory = createMemory(given, database);
  const graphql = createGraphql(given, { observer, operations, database, memory, access });
  const counting = { ...config, requests: observer.requests, ...memory, ...database, ...graphql };
  const metrics = createMetrics(gatewayMetrics(counting), given.parts.pageOfAll);
  const layers = { observer, operations, database, memory, graphql, access, metrics };
  const { app, startDraining } = await createHttp(given, layers);
  return {
    app,
    metrics,
    requests: observer.requests,
    startDraining,
    completeSubscriptions: () => graphql.live.complete(),
    startIndex: memory.browseIndex.start,
  };
};

/** The schema, and the documents that clients, REST and the operator have. */
const readOperations = async ({ config, parts }: Given) => {
  const schema = createSchema();
  const rest = await loadRestOperations(schema, config.queryMaxCost, config.restDocuments);
  const plugins = [...(parts.plugins ?? []), ...(await loadPlugins(config.graphqlPlugins))];
  /** Whether all callers get the same. */
  const areShared = plugins.length === 0 || config.pluginsShareAnswers;
  const documents = new Documents({ ...config, schema, areShared });
  const trusted = {
    documents: await readTrustedDocuments(trustedFiles(config), documents),
    areRequired: config.trustedDocumentsOnly,
  };
  return { schema, rest, plugins, areShared, documents, trusted };
};

/**
 * The ways to read the database, and what tells of its changes.
 * @throws OperatorError where it is not there or not migrated, or a right is missing
 */
const connect = async ({ config, databaseUrl, log, onClose }: Given, observer: Observer) => {
  const { databasePooler: pooling, databaseTimeoutMs: timeoutMs, databasePoolSize: poolSize, freshnessMs } = config;
  const { databaseDirectUrl: directUrl, databaseReplicaUrls: urls } = config;
  const connection = connectionConfig(databaseUrl);
  const lacks = await awaitDatabase(databaseUrl, 'DATABASE_URL', config, log, (client) =>
    checkSessions(client, pooling),
  );
  for (const lack of lacks) log.warn(lack);
  const reading = { timeoutMs, log, observer: observer.statement };
  const pool = createPool({ ...reading, connection, pooling, size: poolSize });
  onClose(() => pool.end());
  await assertMigrated(pool);
  await assertServing(pool, FEATURES);
  const tables = [...FEATURES, ...(await readWatchedTables(pool, FEATURES))];
  const schema = await currentSchema(pool);
  if (directUrl !== undefined) await assertSameDatabase(pool, directUrl);
  const replicas = urls.length > 0 ? createReplicas({ ...reading, urls, schema, freshnessMs, poolSize }) : undefined;
  onClose(() => replicas?.close());
  const clock = createClock();
  const tagVersions = new TagVersions(tables);
  const freshnessMonitor = new FreshnessMonitor({
    connection: directUrl === undefined ? connection : connectionConfig(directUrl),
    listen: createListen(tables, replicas?.observer),
    clock,
    tagVersions,
    freshnessMs,
    log,
  });
  onClose(() => freshnessMonitor.close());
  const prisma = prismaIn(schema, pool);
  onClose(() => prisma.$disconnect());
  // Prisma compiles its engine now, and not at the first request, while the database opens the monitor's connection.
  await Promise.all([freshnessMonitor.connect(), prisma.$connect()]);
  return { pool, clock, replicas, tagVersions, freshnessMonitor, prisma, sql: createSql(pool) };
};

/** What is kept of the database, and what waits to be written to it. */
const createMemory = ({ config, languages, databaseUrl, log, onClose }: Given, database: Layers['database']) => {
  const { databaseTimeoutMs: timeoutMs, freshnessMs, staleIfErrorMs, cacheMaxBytes, browseIndexMaxBytes } = config;
  const rowBytes = Math.floor(cacheMaxBytes * ROWS_SHARE);
  const lateSources = new Map(
    FEATURES.flatMap(({ table, createLate }) =>
      createLate ? [[table, createLate({ ...database, timeoutMs })] as const] : [],
    ),
  );
  const thread = {
    databaseUrl: config.databaseDirectUrl ?? databaseUrl,
    maxBytes: browseIndexMaxBytes,
    languages: languages.all.flatMap(({ fallBacks }) => (fallBacks ? [fallBacks] : [])),
  };
  const browseIndex = new BrowseIndex({ ...database, log, thread: browseIndexMaxBytes > 0 ? thread : undefined });
  onClose(browseIndex.close);
  const knownRows = createKnownRows({ ...database, maxBytes: rowBytes });
  const limits = { maxBytes: cacheMaxBytes - rowBytes, freshnessMs, staleIfErrorMs, timeoutMs };
  const responseCache = new ResponseCache({ ...database, ...limits, kindOf: failureKindOf });
  return { knownRows, responseCache, lateSources, browseIndex };
};

/** Executes operations, once or again and again. */
const createGraphql = (
  { config, languages, log, onClose }: Given,
  { observer, operations, database, memory, access }: Omit<Layers, 'graphql' | 'metrics'>,
) => {
  const { databasePoolSize: poolSize, databaseTimeoutMs: timeoutMs, freshnessMs, queryMaxCost: maxCost } = config;
  const { documents, plugins, areShared } = operations;
  const { isRestricted } = access;
  const features = [...FEATURES, createBrowse(memory.browseIndex)];
  const createContext = createContextFactory({ ...database, ...memory, features, languages, maxRows: maxCost });
  const load = createLoadGuard({
    ...config,
    ...database,
    poolSize,
    connections: poolSize * (1 + config.databaseReplicaUrls.length),
    onRefused: (state) => observer.overload(state),
  });
  onClose(load.stop);
  const areRead = plugins.length > 0;
  const tokens = new TokenResponses({ areRead, isCallersOwn: !areShared });
  const executing = { ...memory, documents, createContext, maxCost, load, observer, timeoutMs };
  const execution = areShared ? new SharedExecution(executing, areRead) : new OwnExecution(executing);
  const source = { ...database, freshnessMs };
  const live = new Live({ execution, source, maxSubscriptions: config.maxSubscriptions, isRestricted, log });
  onClose(() => live.close());
  const maskError = createMaskError(() => observer.logOf(log));
  const yoga = createGraphqlServer({ ...operations, isRestricted, tokens, live, execution, maskError });
  onClose(() => yoga.dispose());
  return { engine: { yoga, documents, tokens, maskError }, live, load };
};

/** Answers requests. */
const createHttp = async (
  { config, languages, log }: Given,
  { observer, operations, database, memory, graphql, access, metrics }: Layers,
) => {
  const { exposure, previewTokens } = config;
  const { schema, rest, areShared } = operations;
  const { browseIndex, responseCache } = memory;
  const { engine, live, load } = graphql;
  const { isRestricted } = access;
  const isFilling = (): boolean => {
    if (!config.readyWhenIndexed || !browseIndex.isAwaited) return false;
    // No question comes before this is ready.
    void browseIndex.start();
    return true;
  };
  const probes = createProbes({ pool: database.pool, metrics, exposure: exposure.metrics, isFilling });
  const openapi = createOpenapi(rest, schema, { isRestricted, languages: config.languages });
  const { graphiql, find } = createPages({ ...config, openapi });
  // The catalogue for agents. The package for MCP is loaded only where it is wanted.
  const ucp = exposure.ucp === 'off' ? undefined : await import('./ucp/handler.ts');
  const requestBytes = Math.max(MIN_REQUEST_CACHE_BYTES, Math.floor(config.cacheMaxBytes * REQUEST_CACHE_SHARE));
  const app = new Serving({
    routes: [
      ...(ucp ? [await ucp.createUcpRoutes(config, engine)] : []),
      createGraphqlRoutes({ ...engine, live, graphiql }),
      createRestRoutes(rest, engine),
      probes.find,
      find,
      findDemoPicture,
    ],
    requests: createRequestCache(areShared ? requestBytes : 0, languages),
    responses: responseCache,
    access,
    languages,
    previewTime: createPreviewTime(previewTokens),
    load,
    writer: new ResponseWriter({
      clock: database.clock,
      contentEncodings: createContentEncodings(log),
      cors: createCors(config),
      isRestricted,
      hasPreviews: previewTokens.length > 0,
    }),
    observer,
    log,
  });
  return { app, startDraining: probes.startDraining };
};

/** The demo shop has a file of its own, so that it works where nothing else does. */
const trustedFiles = ({ trustedDocuments: file, trustedDocumentsOnly, exposure }: Config): string[] =>
  file === undefined ? [] : [file, ...(trustedDocumentsOnly && exposure.demo !== 'off' ? [SHOP_DOCUMENTS] : [])];
