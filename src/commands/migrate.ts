import { defineCommand } from 'citty';
import { applyMigrations } from '../database/migrations/apply.ts';
import { grantServing } from '../database/migrations/rights.ts';
import { openDatabase, withDirectUrl } from '../database/open.ts';
import { FEATURES } from '../features.ts';
import { readEnvironment } from './environment.ts';

export const migrateCommand = defineCommand({
  meta: { name: 'migrate', description: 'Apply pending migrations to DATABASE_URL (or the embedded database).' },
  args: {
    'grant-to': {
      type: 'string',
      description: 'After that, give this role the rights that serving needs.',
      valueHint: 'ROLE',
    },
  },
  run: async ({ args: { 'grant-to': role } }) => {
    const { config, log } = await readEnvironment(process.env);
    const database = await openDatabase(withDirectUrl(config), log);
    try {
      const applied = await applyMigrations({ url: database.url, log: console.log });
      console.log(applied.length === 0 ? 'Nothing to migrate.' : `Migrated: ${applied.join(', ')}`);
      if (role !== undefined) {
        await grantServing(database.url, role, FEATURES);
        console.log(`Granted to ${role}: what serving needs.`);
      }
    } finally {
      await database.close();
    }
  },
});
