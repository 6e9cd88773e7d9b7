import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import { connectionConfig, withConnection } from './database/connection.ts';
import { applyMigrations } from './database/migrations/apply.ts';
import { type OpenDatabase, openDatabase } from './database/open.ts';
import { withDeadline } from './deadline.ts';
import { memo } from './memo.ts';
import type { Metrics } from './observability/metrics.ts';

/**
 * Opens the database to serve. An embedded one is migrated, and filled with the demo catalogue if it is empty; an operator's is not changed.
 * @throws OperatorError as {@link openDatabase}
 */
export const prepareDatabase = async (config: Config, log: Logger): Promise<OpenDatabase> => {
  const database = await openDatabase(config, log);
  if (!database.isEmbedded) return database;
  try {
    await applyMigrations({ url: database.url, log: (line) => log.info(line) });
    await seedIfEmpty(database, log);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
};

const seedIfEmpty = async ({ url }: OpenDatabase, log: Logger): Promise<void> => {
  const [{ isCatalogueEmpty, seedDemoCatalogue }, { IMPORT_KINDS }] = await Promise.all([
    import('./import/demo.ts'),
    import('./import-kinds.ts'),
  ]);
  // Without a limit of statements: on a slow machine the catalogue takes seconds.
  await withConnection({ ...connectionConfig(url), connectionTimeoutMillis: 10_000 }, undefined, async (client) => {
    const counts = (await isCatalogueEmpty(client)) && (await seedDemoCatalogue(client, IMPORT_KINDS));
    if (counts) log.info(counts, 'filled with the demo catalogue');
  });
};

/** The part of the time for a shutdown that is reserved for closing the database connections. */
const CLOSING_SHARE = 0.2;
const MAX_CLOSING_MS = 1000;

export type Serving = Awaited<ReturnType<typeof serve>>;

/** Opens the port on a gateway. @throws OperatorError as `createGateway` and the port do */
export const serve = async (config: Config, databaseUrl: string, log: Logger, pageOfAll?: Metrics['page']) => {
  // The primary of several workers imports this file too, and needs nothing of a gateway.
  const [{ createGateway }, { startHttpServer }] = await Promise.all([
    import('./gateway.ts'),
    import('./http/server.ts'),
  ]);
  const gateway = await createGateway(config, databaseUrl, log, { pageOfAll });
  const { metrics } = gateway;
  try {
    const server = await startHttpServer(gateway.app, config, log);
    gateway.startIndex();
    const { shutdownTimeoutMs, shutdownDelayMs } = config;
    const closingMs = Math.min(MAX_CLOSING_MS, shutdownTimeoutMs * CLOSING_SHARE);
    /** Finishes the requests in flight and closes everything, within the configured time. Idempotent. */
    const stop = memo(async (): Promise<void> => {
      gateway.startDraining();
      await server.drain(shutdownTimeoutMs - closingMs, {
        delayMs: shutdownDelayMs,
        onStop: gateway.completeSubscriptions,
      });
      // Even where the database no longer answers.
      await withDeadline(gateway.close(), closingMs);
    });
    return { url: server.url, metrics, stop };
  } catch (error) {
    await gateway.close().catch((err: unknown) => log.warn({ err }, 'what was opened could not be closed'));
    throw error;
  }
};
