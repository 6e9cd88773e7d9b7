import { defineCommand } from 'citty';
import { CatalogueNotEmptyError, seedDemoCatalogue } from '../catalogue/seed.ts';
import { readConfig } from '../config.ts';
import { assertMigrated } from '../database/assert-migrated.ts';
import { connectionConfig, createDatabase } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { findRoute } from '../database/route.ts';
import { OperatorError } from '../errors.ts';
import { createLog } from '../observability/log.ts';
import { secretsOf } from '../observability/secrets.ts';

export const seedCommand = defineCommand({
  meta: { name: 'seed', description: 'Fill an empty database with the demo catalogue.' },
  run: async () => {
    const config = readConfig(process.env);
    const log = await createLog({ level: config.logLevel, secrets: secretsOf(config) });
    const database = await openDatabase(config, log);
    const connection = connectionConfig(database.url);
    const route = await findRoute({ connection, preparedStatements: config.preparedStatements, log });
    const { pool } = createDatabase({ ...route, connection, size: 1, timeoutMs: config.databaseTimeoutMs, log });
    try {
      await assertMigrated(pool);
      const client = await pool.connect();
      try {
        const { categories, products, notices } = await seedDemoCatalogue(client);
        console.log(`Seeded ${categories} categories, ${products} products and ${notices} notices.`);
      } finally {
        client.release();
      }
    } catch (error) {
      throw error instanceof CatalogueNotEmptyError ? new OperatorError(`Not seeded: ${error.message}.`) : error;
    } finally {
      await pool.end();
      await database.close();
    }
  },
});
