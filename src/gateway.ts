import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { createPreviewTime, openAccess } from './access/access.ts';
import { createBrowse } from './browse/browse.feature.ts';
import { BrowseIndex } from './browse/index-engine.ts';
import { createListenFeed, createPollFeed } from './cache/change-feed.ts';
import { startFreshnessMonitor } from './cache/freshness-monitor.ts';
import { createKnownRows } from './cache/known-rows.ts';
import { createResponseCache } from './cache/response-cache.ts';
import { createTagVersions } from './cache/tags.ts';
import type { Config } from './config/config.ts';
import { createClock } from './database/clock.ts';
import { connectionConfig } from './database/connection.ts';
import { assertServing, readWatchedTables } from './database/migrations/rights.ts';
import { assertMigrated } from './database/migrations/status.ts';
import { awaitDatabase } from './database/open.ts';
import { createDatabase, currentSchema, prismaIn } from './database/pool.ts';
import { assertSameDatabase, poolerModeOf } from './database/pooler.ts';
import { createReplicas } from './database/replicas/replicas.ts';
import { createSql } from './database/sql.ts';
import { FEATURES } from './features.ts';
import { Answers } from './graphql/body-form.ts';
import { contextFactory } from './graphql/context.ts';
import { ask } from './graphql/execution.ts';
import { CompiledExecution } from './graphql/executor/compiled-execution.ts';
import { failureKindOf } from './graphql/failures.ts';
import { createGraphqlRoutes } from './graphql/handler.ts';
import { createCostLimit } from './graphql/limits/cost.ts';
import { maxCharsOf } from './graphql/limits/document-size.ts';
import { EventStreams } from './graphql/live/event-stream.ts';
import { createMaskError } from './graphql/mask-error.ts';
import { OwnExecution } from './graphql/own-execution.ts';
import { SharedExecution } from './graphql/shared-execution.ts';
import { Documents } from './graphql/use-documents.ts';
import { Live } from './graphql/use-live.ts';
import { readTrustedDocuments } from './graphql/use-trusted-documents.ts';
import { createCountViews } from './graphql/view-count.ts';
import { createGraphqlServer, loadPlugins } from './graphql/yoga.ts';
import { createResponseWriter } from './http/cached-http-response.ts';
import { createContentEncodings } from './http/content-encodings.ts';
import { createProbes } from './http/probes.ts';
import { createRequestCache } from './http/request-cache.ts';
import { createCors } from './http/response-headers.ts';
import { type App, createApp } from './http/serve-request.ts';
import { ViewCounter } from './notice/view-counter.ts';
import { createMetrics, createObservability, type Metrics } from './observability/metrics.ts';
import { traceReads } from './observability/tracing.ts';
import { createLoadGuard, watchLoopLag } from './overload/load-guard.ts';
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
  readonly statementCount: () => number;
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
 * @throws OperatorError when the database is not there or not migrated, a REST document does not fit, or the file of tokens or of plugins
 * cannot be used
 */
export const createGateway = async (
  config: Config,
  databaseUrl: string,
  log: Logger,
  parts: GatewayParts = {},
): Promise<Gateway> => {
  const closers: Close[] = [];
  const close = async (): Promise<void> => {
    const closeLast = closers.pop();
    if (!closeLast) return;
    try {
      await closeLast();
    } finally {
      await close();
    }
  };
  try {
    return { ...(await assemble(config, databaseUrl, log, parts, (each) => closers.push(each))), close };
  } catch (error) {
    await close().catch((err: unknown) => log.warn({ err }, 'what was opened could not be closed'));
    throw error;
  }
};

type Close = () => unknown;

/** @param onClose is given what closes each part that was opened: what was opened last is closed first */
const assemble = async (
  config: Config,
  databaseUrl: string,
  log: Logger,
  { pageOfAll, plugins = [] }: GatewayParts,
  onClose: (close: Close) => void,
): Promise<Omit<Gateway, 'close'>> => {
  const schema = createSchema();
  const operations = await loadRestOperations(schema, config.queryLimits, config.restDocuments);
  const operatorsPlugins = [...plugins, ...(await loadPlugins(config.graphqlPlugins))];
  /** Whether all callers get the same. */
  const areShared = operatorsPlugins.length === 0 || config.pluginsShareAnswers;
  const documents = new Documents({ ...config, schema, limits: config.queryLimits, areShared });
  const trusted = {
    documents: await readTrustedDocuments(trustedFiles(config), documents),
    areRequired: config.trustedDocumentsOnly,
    maxChars: maxCharsOf(config.queryLimits),
  };
  const observability = await createObservability(config, log);
  const { observer, tracing } = observability;
  onClose(tracing.close);
  const { preparedStatements, databaseDirectUrl: directUrl, freshnessMs, databaseTimeoutMs: timeoutMs } = config;
  const { databaseReplicaUrls: replicaUrls, databasePoolSize: poolSize, exposure, queryLimits: limits } = config;
  const connection = connectionConfig(databaseUrl);
  const { pooling, isPrepared } = await awaitDatabase(databaseUrl, 'DATABASE_URL', config, log, (client) =>
    poolerModeOf(client, { preparedStatements, log }),
  );
  const reading = { timeoutMs, log, observer: observer.statement };
  const { pool, statementCount } = createDatabase({ ...reading, connection, pooling, isPrepared, size: poolSize });
  onClose(() => pool.end());
  const clock = createClock();
  const access = await openAccess(config.access, clock, log);
  onClose(access.close);
  await assertMigrated(pool);
  await assertServing(pool, FEATURES);
  const tables = [...FEATURES, ...(await readWatchedTables(pool, FEATURES))];
  const tableSchema = await currentSchema(pool);
  if (directUrl !== undefined && config.changeFeed === 'listen') await assertSameDatabase(pool, directUrl);

  const tagVersions = createTagVersions(tables);
  const replicas =
    replicaUrls.length > 0
      ? createReplicas({ ...reading, urls: replicaUrls, primary: pool, schema: tableSchema, freshnessMs, poolSize })
      : undefined;
  onClose(() => replicas?.close());
  const freshnessMonitor = await startFreshnessMonitor({
    ...(config.changeFeed === 'poll'
      ? { source: createPollFeed(tables), connection }
      : {
          source: createListenFeed(tables, replicas?.observer),
          connection: directUrl === undefined ? connection : connectionConfig(directUrl),
        }),
    clock,
    tagVersions,
    freshnessMs,
    log,
  });
  onClose(() => freshnessMonitor.close());
  const prisma = prismaIn(tableSchema, pool);
  onClose(() => prisma.$disconnect());
  // Its engine is compiled now, and not at the first request.
  await prisma.$connect();
  const sql = createSql(pool);
  /** What most parts need. */
  const common = { sql, clock, freshnessMonitor, tagVersions, freshnessMs, timeoutMs, kindOf: failureKindOf, log };
  const { cacheMaxBytes, staleIfErrorMs } = config;
  const rowBytes = Math.floor(cacheMaxBytes * ROWS_SHARE);
  const knownRows = createKnownRows({ ...common, maxBytes: rowBytes });
  const responseCache = createResponseCache({ ...common, maxBytes: cacheMaxBytes - rowBytes, staleIfErrorMs });
  const views = new ViewCounter(sql, clock, timeoutMs);
  const viewCounter = traceReads(tracing, 'notice', { view: (id: number) => views.view(id) });
  const countViews = createCountViews(viewCounter);
  const { browseIndexMaxBytes } = config;
  const browseIndex = new BrowseIndex({
    ...common,
    thread:
      config.changeFeed === 'listen' && browseIndexMaxBytes > 0
        ? { databaseUrl: directUrl ?? databaseUrl, maxBytes: browseIndexMaxBytes }
        : undefined,
  });
  onClose(browseIndex.close);
  const createContext = contextFactory({
    ...common,
    features: [...FEATURES, createBrowse(browseIndex)],
    prisma,
    tracing,
    knownRows,
    maxRows: limits.maxCost,
    replicas,
  });
  const load = createLoadGuard({
    ...config,
    log,
    poolSize,
    connections: poolSize * (1 + replicaUrls.length),
    pool,
    lag: watchLoopLag(),
  });
  onClose(load.stop);
  const costLimit = createCostLimit(schema, limits.maxCost);
  const compiled = new CompiledExecution();
  const answers = new Answers({ areRead: operatorsPlugins.length > 0, isCallersOwn: !areShared });
  const executing = { documents, createContext, responseCache, costLimit, load, tracing, timeoutMs };
  const execution = areShared
    ? new SharedExecution({ ...executing, compiled, answers, countViews })
    : new OwnExecution({ ...executing, viewCounter, hideSuggestions: !config.fieldSuggestions });
  const live = new Live({
    execution,
    ask: (args) => ask(args, executing),
    source: common,
    maxSubscriptions: config.maxSubscriptions,
    isRestricted: access.isRestricted,
    log,
  });
  onClose(() => live.close());
  const maskError = createMaskError(() => observer.logOf(log));
  const eventStreams = new EventStreams();
  const yoga = createGraphqlServer({
    schema,
    documents,
    trusted,
    isRestricted: access.isRestricted,
    answers,
    live,
    eventStreams,
    execution,
    maskError,
    plugins: operatorsPlugins,
  });
  onClose(() => yoga.dispose());
  const metrics = createMetrics(
    {
      ...observability,
      responseCache,
      knownRows,
      cacheMaxBytes,
      freshnessMonitor,
      views,
      subscriptions: { counts: live.counts, max: config.maxSubscriptions },
      pool,
      replicas,
      load,
      fallBacks: compiled.fallBacks,
      browseIndex,
    },
    pageOfAll,
  );
  const isFilling = (): boolean => {
    if (!config.readyWhenIndexed || !browseIndex.isAwaited()) return false;
    // No question comes before this is ready.
    void browseIndex.start();
    return true;
  };
  const probes = createProbes({ pool, metrics, exposure: exposure.metrics, isFilling });
  const pages = createPages({
    exposure,
    freshnessMs,
    isOpen: !access.isRestricted && !config.trustedDocumentsOnly,
    introspection: config.introspection,
    openapi: createOpenapi(operations, schema, access),
  });
  const app = createApp({
    routes: [
      createGraphqlRoutes({
        yoga,
        documents,
        answers,
        maskError,
        eventStreams,
        streamOf: (call) => live.streamOf(call),
        graphiql: pages.graphiql,
      }),
      createRestRoutes(operations, { yoga, documents, answers, maskError }),
      probes.find,
      pages.find,
      findDemoPicture,
    ],
    requests: createRequestCache(
      areShared ? Math.max(MIN_REQUEST_CACHE_BYTES, Math.floor(cacheMaxBytes * REQUEST_CACHE_SHARE)) : 0,
    ),
    responses: responseCache,
    countViews,
    access,
    previewTime: createPreviewTime(config.previewTokens),
    load,
    writer: createResponseWriter({
      clock,
      contentEncodings: createContentEncodings(log),
      cors: createCors(config),
      isRestricted: access.isRestricted,
      hasPreviews: config.previewTokens.length > 0,
    }),
    observer,
    log,
  });

  return {
    app,
    metrics,
    statementCount: replicas ? () => statementCount() + replicas.statementCount() : statementCount,
    startDraining: probes.startDraining,
    completeSubscriptions: () => live.complete(),
    startIndex: browseIndex.start,
  };
};

/** The demo shop has a file of its own, so that it works where nothing else does. */
const trustedFiles = ({ trustedDocuments: file, trustedDocumentsOnly, exposure }: Config): string[] =>
  file === undefined ? [] : [file, ...(trustedDocumentsOnly && exposure.demo !== 'off' ? [SHOP_DOCUMENTS] : [])];
