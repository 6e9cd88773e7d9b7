import { defineCommand } from 'citty';
import pg from 'pg';
import { DatabaseClient } from '../database/client.ts';
import { connectionConfig } from '../database/connection.ts';
import { messageOf } from '../database/failures.ts';
import { assertMigrated } from '../database/migrations/status.ts';
import { openDatabase } from '../database/open.ts';
import { OperatorError } from '../errors.ts';
import { CatalogueNotEmptyError, seedDemoCatalogue } from '../import/demo.ts';
import { IMPORT_KINDS } from '../import-kinds.ts';
import { readEnvironment } from './environment.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

export const seedCommand = defineCommand({
  meta: { name: 'seed', description: 'Fill an empty database with the demo catalogue.' },
  args: {
    'if-empty': { type: 'boolean', description: 'Where there are rows already, do nothing instead of failing.' },
  },
  run: async ({ args: { 'if-empty': isIfEmpty } }) => {
    const { config, log } = await readEnvironment(process.env);
    const database = await openDatabase(config, log);
    const client = new DatabaseClient({ ...connectionConfig(database.url), connectionTimeoutMillis: 10_000 });
    // The running statement fails too.
    client.on('error', () => {});
    try {
      await client.connect();
      await assertMigrated(client);
      const { categories, products, notices } = await seedDemoCatalogue(client, IMPORT_KINDS);
      console.log(`Seeded ${categories} categories, ${products} products and ${notices} notices.`);
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE)
        throw new OperatorError(`Not seeded: ${messageOf(error)}. Run it as the role that owns the tables.`);
      if (!(error instanceof CatalogueNotEmptyError)) throw error;
      if (!isIfEmpty) throw new OperatorError(`Not seeded: ${error.message}.`);
      console.log(`Not seeded: ${error.message}.`);
    } finally {
      await client.end().catch(() => undefined);
      await database.close();
    }
  },
});
