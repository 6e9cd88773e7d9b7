import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { DatabaseClient } from './database/client.ts';
import { connectionConfig } from './database/database.ts';
import { migrateEmbedded } from './database/migrate-embedded.ts';
import { type OpenDatabase, openDatabase } from './database/open-database.ts';

/**
 * The database to serve from. The embedded one is migrated, and filled with the demo catalogue while there is nothing in it; the operator's own is
 * left as it is.
 * @throws OperatorError as {@link openDatabase}
 */
export const prepareDatabase = async (config: Config, log: Logger): Promise<OpenDatabase> => {
  const database = await openDatabase(config, log);
  if (!database.isEmbedded) return database;
  try {
    await migrateEmbedded(database, log);
    await seedOnce(database, log);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
};

const seedOnce = async ({ url }: OpenDatabase, log: Logger): Promise<void> => {
  const client = new DatabaseClient({
    ...connectionConfig(url),
    connectionTimeoutMillis: 10_000,
    query_timeout: 60_000,
  });
  await client.connect();
  try {
    const { isCatalogueEmpty, seedDemoCatalogue } = await import('./catalogue/seed.ts');
    if (await isCatalogueEmpty(client)) log.info(await seedDemoCatalogue(client), 'filled with the demo catalogue');
  } finally {
    await client.end();
  }
};
