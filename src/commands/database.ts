import { connectionConfig, withConnection } from '../database/connection.ts';
import { hasCode, INSUFFICIENT_PRIVILEGE, messageOf } from '../database/failures.ts';
import { applyMigrations } from '../database/migrations/apply.ts';
import { grantServing } from '../database/migrations/rights.ts';
import { assertMigrated } from '../database/migrations/status.ts';
import { openDatabase, withDirectUrl } from '../database/open.ts';
import { OperatorError } from '../errors.ts';
import { FEATURES } from '../features.ts';
import { seedDemoCatalogue } from '../import/demo.ts';
import { IMPORT_KINDS } from '../import-kinds.ts';
import { defineCommand, readEnvironment } from './commands.ts';

export const migrateCommand = defineCommand({
  description: 'Apply pending migrations to DATABASE_URL (or the embedded database).',
  options: {
    'grant-to': {
      type: 'string',
      description: 'After that, give this role the rights that serving needs.',
      valueHint: 'ROLE',
    },
  },
  run: async ({ 'grant-to': role }) => {
    const { config, log } = await readEnvironment(process.env);
    const database = await openDatabase(withDirectUrl(config), log);
    try {
      const applied = await applyMigrations({ url: database.url, log: console.log });
      console.log(applied.length === 0 ? 'Nothing to migrate.' : `Migrated: ${applied.join(', ')}`);
      if (role !== undefined) {
        await grantServing(database.url, role, FEATURES, console.log);
        console.log(`Granted to ${role}: what serving needs.`);
      }
    } finally {
      await database.close();
    }
  },
});

const NOT_EMPTY = 'Not seeded: seeding only fills an empty database, and this one already has rows.';

export const seedCommand = defineCommand({
  description: 'Fill an empty database with the demo catalogue.',
  options: {
    'if-empty': { type: 'boolean', description: 'Where there are rows already, do nothing instead of failing.' },
  },
  run: async ({ 'if-empty': isIfEmpty }) => {
    const { config, log } = await readEnvironment(process.env);
    const database = await openDatabase(config, log);
    const connection = { ...connectionConfig(database.url), connectionTimeoutMillis: 10_000 };
    try {
      await withConnection(connection, undefined, async (client) => {
        await assertMigrated(client);
        const seeded = await seedDemoCatalogue(client, IMPORT_KINDS);
        if (!seeded && !isIfEmpty) throw new OperatorError(NOT_EMPTY);
        console.log(
          seeded
            ? `Seeded ${seeded.categories} categories, ${seeded.products} products and ${seeded.notices} notices.`
            : NOT_EMPTY,
        );
      });
    } catch (error) {
      if (!hasCode(error, INSUFFICIENT_PRIVILEGE)) throw error;
      throw new OperatorError(`Not seeded: ${messageOf(error)}. Run it as the role that owns the tables.`);
    } finally {
      await database.close();
    }
  },
});
