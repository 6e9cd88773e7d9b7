import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import { withConnection } from './database/client.ts';
import { connectionConfig } from './database/connection.ts';
import { migrateEmbedded, type OpenDatabase, openDatabase, type UseConnection } from './database/open.ts';
import { type PoolerMode, poolerModeOf } from './database/pooler.ts';

export interface PreparedDatabase extends OpenDatabase {
  readonly poolerMode: PoolerMode | undefined;
}

/**
 * Opens the database to serve. An embedded one is migrated, and filled with the demo catalogue if it is empty; an operator's is not changed.
 * One connection does all of that, because each costs a few milliseconds of the start.
 * @throws OperatorError as {@link openDatabase}
 */
export const prepareDatabase = async (config: Config, log: Logger): Promise<PreparedDatabase> => {
  const { preparedStatements } = config;
  let poolerMode: PoolerMode | undefined;
  const findPoolerMode: UseConnection = async (client) => {
    poolerMode = await poolerModeOf(client, { preparedStatements, log });
  };
  const database = await openDatabase(config, log, findPoolerMode);
  if (!database.isEmbedded) return { ...database, poolerMode };
  try {
    await migrateEmbedded(database, log, async (client) => {
      const { isCatalogueEmpty } = await import('./import/demo.ts');
      if (await isCatalogueEmpty(client)) await seed(database, log);
      await findPoolerMode(client);
    });
    return { ...database, poolerMode };
  } catch (error) {
    await database.close();
    throw error;
  }
};

const seed = async ({ url }: OpenDatabase, log: Logger): Promise<void> => {
  const [{ seedDemoCatalogue }, { IMPORT_KINDS }] = await Promise.all([
    import('./import/demo.ts'),
    import('./import-kinds.ts'),
  ]);
  // A client of its own, because `COPY` cannot run on one with a `query_timeout`.
  await withConnection({ ...connectionConfig(url), connectionTimeoutMillis: 10_000 }, undefined, async (client) => {
    log.info(await seedDemoCatalogue(client, IMPORT_KINDS), 'filled with the demo catalogue');
  });
};
