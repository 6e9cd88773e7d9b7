import type { Logger } from 'pino';
import { createGate } from './access/gate.ts';
import { type OpenedAccess, openAccess } from './access/open-access.ts';
import { type App, createApp } from './app.ts';
import { createAnswers } from './cache/answers.ts';
import { createChanges } from './cache/changes.ts';
import { listening } from './cache/listening.ts';
import { polling } from './cache/polling.ts';
import { startPulse } from './cache/pulse.ts';
import type { Config } from './config.ts';
import { assertMigrated } from './database/assert-migrated.ts';
import { createClock } from './database/clock.ts';
import { connectionConfig, createDatabase } from './database/database.ts';
import { assertSameDatabase } from './database/notification-trip.ts';
import { createPrisma } from './database/prisma.ts';
import { createReplicas } from './database/replicas/replicas.ts';
import { findRoute } from './database/route.ts';
import { createSql } from './database/sql.ts';
import { withDeadline } from './deadline.ts';
import { createDemo } from './demo/demo.ts';
import { createDocs } from './docs/docs.ts';
import { AppError } from './errors.ts';
import { createCatalogueCounts } from './front-page/catalogue-counts.ts';
import { createFrontPage } from './front-page/front-page.ts';
import { placesOf } from './front-page/places.ts';
import { createGraphiql } from './graphiql/graphiql.ts';
import { createEngine, ExecutionFailed } from './graphql/engine.ts';
import { contextFactory } from './graphql/loaders.ts';
import { schema } from './graphql/schema.ts';
import { createGiveViewed } from './graphql/views.ts';
import { createHealth } from './health.ts';
import { createAnswerResponse, createCacheControl } from './http/answer-response.ts';
import { createCodedBodies } from './http/coded-bodies.ts';
import { createCors } from './http/cors.ts';
import { startHttpServer } from './http/node-server.ts';
import { createRecollection } from './http/recollection.ts';
import { createViewCounter } from './notice/view-counter.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { createObservability } from './observability/observability.ts';
import { traceReads } from './observability/traced-reads.ts';
import { createLoadGuard } from './overload/load-guard.ts';
import { watchLoopLag } from './overload/loop-lag.ts';
import { createPages } from './pages/pages.ts';
import { loadRestOperations, operationTexts } from './rest/documents.ts';
import { createOpenapi } from './rest/openapi.ts';
import { createRest } from './rest/rest.ts';

/** Of the memory for answers, so much for knowing which request got which. */
const RECOLLECTION_SHARE = 0.125;

/** Of the time for a shutdown, what is kept for letting go of the database once no request is left. */
const CLOSING_SHARE = 0.2;
const MAX_CLOSING_MS = 1000;

/** After the start: whoever waited for it is answered first. */
const LOAD_ALL_AFTER_MS = 500;

export interface Gateway {
  readonly app: App;
  readonly metrics: Metrics;
  /** Statements sent to the database so far. */
  readonly statementCount: () => number;
  /** From now on `/readyz` says no. */
  readonly startDraining: () => void;
  /** Loads what is otherwise loaded when it is first asked for. */
  readonly loadAll: () => Promise<unknown>;
  /** Lets go of the database. */
  readonly close: () => Promise<void>;
}

/**
 * Puts the gateway together on a migrated database.
 * @param pageOfAll where it is one of several: their metrics together
 * @throws OperatorError when the database is not there or not migrated, a REST document does not fit, or the file of tokens cannot be used
 */
export const createGateway = async (
  config: Config,
  databaseUrl: string,
  log: Logger,
  pageOfAll?: Metrics['page'],
): Promise<Gateway> => {
  const operations = await loadRestOperations(schema, config.queryLimits, config.restDocuments);
  const observability = await createObservability(config, log);
  const { watch, tracing } = observability;
  const { preparedStatements, databaseDirectUrl: directUrl } = config;
  const connection = connectionConfig(databaseUrl);
  const route = await findRoute({ connection, preparedStatements, log });
  const { pool, statementCount } = createDatabase({
    ...route,
    connection,
    size: config.databasePoolSize,
    timeoutMs: config.databaseTimeoutMs,
    log,
    watch: watch.statement,
  });
  const clock = createClock();
  let opened: OpenedAccess;
  try {
    opened = await openAccess(config.access, clock, log);
    await assertMigrated(pool);
    if (directUrl !== undefined && config.pulse === 'listen') await assertSameDatabase(pool, directUrl);
  } catch (error) {
    await pool.end();
    throw error;
  }

  const { access } = opened;
  const { freshnessMs, staleIfErrorMs, cacheMaxBytes, databaseTimeoutMs: timeoutMs } = config;
  const changes = createChanges();
  const { databaseReplicaUrls: replicaUrls, databasePoolSize: poolSize } = config;
  const replicas =
    replicaUrls.length > 0
      ? createReplicas({
          urls: replicaUrls,
          primary: pool,
          freshnessMs,
          poolSize,
          timeoutMs,
          log,
          watch: watch.statement,
        })
      : undefined;
  const pulse = await startPulse({
    ...(config.pulse === 'poll'
      ? { source: polling, connection }
      : {
          source: replicas?.source ?? listening,
          connection: directUrl === undefined ? connection : connectionConfig(directUrl),
        }),
    clock,
    changes,
    freshnessMs,
    log,
  });
  const prisma = await createPrisma(pool);
  const answers = createAnswers({
    pulse,
    changes,
    clock,
    maxBytes: cacheMaxBytes,
    freshnessMs,
    staleIfErrorMs,
    timeoutMs,
    isOutage,
  });
  const { exposure, introspection, fieldSuggestions, queryLimits: limits } = config;
  const sql = createSql(pool);
  const viewCounter = traceReads(tracing, 'notice', createViewCounter(sql, clock));
  const giveViewed = createGiveViewed(viewCounter, timeoutMs);
  const createContext = await contextFactory({
    prisma,
    sql,
    clock,
    viewCounter,
    tracing,
    maxRows: limits.maxCost,
    replicas,
  });
  const load = createLoadGuard({
    maxInFlight: config.maxInFlight,
    maxWaitMs: config.maxWaitMs,
    maxLoopLagMs: config.maxLoopLagMs,
    poolSize,
    connections: poolSize * (1 + replicaUrls.length),
    pool,
    lag: watchLoopLag(),
    log,
  });
  const engine = createEngine({
    createContext,
    answers,
    giveViewed,
    load,
    log,
    tracing,
    timeoutMs,
    introspection,
    fieldSuggestions,
    limits,
  });
  const health = createHealth(pool);
  const metrics = createMetrics(
    { ...observability, answers, cacheMaxBytes, pulse, views: viewCounter, pool, replicas, load },
    pageOfAll,
  );
  const { isRestricted } = access;
  const cacheControl = createCacheControl(clock, isRestricted);
  const codedBodies = createCodedBodies();
  const app = createApp({
    engine,
    rest: createRest(operations, { engine, explorer: exposure.graphiql === 'off' ? undefined : '/graphql' }),
    recollection: createRecollection(answers, Math.floor(cacheMaxBytes * RECOLLECTION_SHARE)),
    toResponse: createAnswerResponse({ cacheControl, codedBodies, isRestricted }),
    cacheControl,
    codedBodies,
    access,
    gate: createGate(access),
    exposure,
    cors: createCors(config.corsOrigins),
    dependsOnOrigin: config.corsOrigins.length > 0,
    health,
    load,
    pages: createPages({
      exposure,
      frontPage: createFrontPage({
        places: placesOf(exposure),
        countCatalogue: createCatalogueCounts(sql),
        answers,
        admit: access.admitToPage,
      }),
      graphiql: createGraphiql({
        endpoint: '/graphql',
        title: 'Vitrine',
        introspection,
        operations: operationTexts(operations),
      }),
      openapi: createOpenapi(operations, schema),
      docs: createDocs(),
      demo: createDemo(),
    }),
    metrics,
    watch,
    log,
  });

  return {
    app,
    metrics,
    statementCount: replicas ? () => statementCount() + replicas.statementCount() : statementCount,
    startDraining: health.startDraining,
    loadAll: engine.yoga,
    close: async () => {
      load.stop();
      opened.close();
      await pulse.close();
      await prisma.$disconnect();
      await replicas?.close();
      await pool.end();
      await tracing.close();
    },
  };
};

const isOutage = (error: unknown): boolean =>
  error instanceof ExecutionFailed
    ? error.errors.some(({ extensions }) => extensions.code === 'SERVICE_UNAVAILABLE')
    : error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE';

export interface Serving {
  readonly url: string;
  /** Finishes what is in flight and lets go of everything, within the configured time. Idempotent. */
  readonly stop: () => Promise<void>;
}

/** One that others may serve beside, at the same address. */
export interface ServingGateway extends Serving {
  readonly metrics: Metrics;
  /** As `stop`, when another has taken its place: whoever is connected has time to notice, and `/readyz` goes on saying what it said. */
  readonly retire: () => Promise<void>;
}

/** Opens the port on a gateway. @throws OperatorError as {@link createGateway} and the port do */
export const serve = async (
  config: Config,
  databaseUrl: string,
  log: Logger,
  pageOfAll?: Metrics['page'],
): Promise<ServingGateway> => {
  const gateway = await createGateway(config, databaseUrl, log, pageOfAll);
  const { metrics } = gateway;
  try {
    const server = await startHttpServer({ app: gateway.app, config, log });
    const loading = setTimeout(gateway.loadAll, LOAD_ALL_AFTER_MS).unref();
    const { shutdownTimeoutMs, shutdownDelayMs: delayMs } = config;
    const closingMs = Math.min(MAX_CLOSING_MS, shutdownTimeoutMs * CLOSING_SHARE);
    let stopping: Promise<void> | undefined;
    const end = async (isReplaced: boolean): Promise<void> => {
      clearTimeout(loading);
      await server.drain(shutdownTimeoutMs - closingMs, { delayMs, isReplaced });
      // A database that no longer speaks keeps nobody waiting.
      await withDeadline(gateway.close(), closingMs);
    };
    return {
      url: server.url,
      metrics,
      stop: () => {
        gateway.startDraining();
        stopping ??= end(false);
        return stopping;
      },
      retire: () => {
        stopping ??= end(true);
        return stopping;
      },
    };
  } catch (error) {
    await gateway.close();
    throw error;
  }
};
