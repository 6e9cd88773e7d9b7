import type { Logger } from 'pino';
import { createAccess } from './access/access.ts';
import { type App, createApp } from './app.ts';
import type { Config } from './config.ts';
import { assertMigrated } from './database/assert-migrated.ts';
import { createClock } from './database/clock.ts';
import { createDatabase } from './database/database.ts';
import { createPrisma } from './database/prisma.ts';
import { createGraphiql } from './graphiql/graphiql.ts';
import { createEngine } from './graphql/engine.ts';
import { schema } from './graphql/schema.ts';
import { createHealth } from './health.ts';
import { createCors } from './http/cors.ts';
import { startHttpServer } from './http/node-server.ts';
import { createViewCounter } from './notice/view-counter.ts';
import { loadRestOperations } from './rest/documents.ts';
import { createOpenapi } from './rest/openapi.ts';
import { createRest } from './rest/rest.ts';

export interface Gateway {
  readonly app: App;
  /** Statements sent to the database so far. */
  readonly statementCount: () => number;
  /** From now on `/readyz` says no. */
  readonly startDraining: () => void;
  /** Lets go of the database. */
  readonly close: () => Promise<void>;
}

// The clocks of two machines drift apart by some 50 ms in half an hour; this keeps them together to well under 1 ms.
const CLOCK_INTERVAL_MS = 10_000;

/**
 * Puts the gateway together on a migrated database.
 * @throws OperatorError when the database is not there or not migrated, or a REST document does not fit
 */
export const createGateway = async (config: Config, databaseUrl: string, log: Logger): Promise<Gateway> => {
  const operations = await loadRestOperations(schema, config.restDocuments);
  const { pool, statementCount } = createDatabase({
    url: databaseUrl,
    size: config.databasePoolSize,
    timeoutMs: config.databaseTimeoutMs,
    log,
  });
  try {
    await assertMigrated(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }

  const clock = createClock(pool);
  await clock.synchronise();
  const synchronising = setInterval(() => {
    clock
      .synchronise()
      .catch((error: unknown) => log.warn({ err: error }, 'the clock could not be compared with the database'));
  }, CLOCK_INTERVAL_MS).unref();

  const prisma = createPrisma(pool);
  const access = createAccess(config.accessTokens);
  const viewCounter = createViewCounter({ prisma, clock });
  const { introspection, fieldSuggestions } = config;
  const engine = createEngine({ prisma, clock, viewCounter, access, log, introspection, fieldSuggestions });
  const health = createHealth(pool);
  const app = createApp({
    engine,
    rest: createRest(operations, engine),
    access,
    cors: createCors(config.corsOrigins),
    health,
    graphiql: config.graphiql ? createGraphiql({ endpoint: '/graphql', title: 'Vitrine', introspection }) : undefined,
    openapi: createOpenapi(operations, schema),
    log,
  });

  return {
    app,
    statementCount,
    startDraining: health.startDraining,
    close: async () => {
      clearInterval(synchronising);
      await prisma.$disconnect();
      await pool.end();
    },
  };
};

export interface Serving {
  readonly url: string;
  /** Finishes what is in flight and lets go of everything, within the configured time. Idempotent. */
  readonly stop: () => Promise<void>;
}

/** Opens the port on a gateway. @throws OperatorError as {@link createGateway} and the port do */
export const serve = async (config: Config, databaseUrl: string, log: Logger): Promise<Serving> => {
  const gateway = await createGateway(config, databaseUrl, log);
  try {
    const server = await startHttpServer({ app: gateway.app, port: config.port, host: config.host });
    log.info(`listening on ${server.url}`);
    let stopping: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      gateway.startDraining();
      await server.drain(config.shutdownTimeoutMs);
      await gateway.close();
    };
    return {
      url: server.url,
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    await gateway.close();
    throw error;
  }
};
