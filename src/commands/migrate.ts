import { defineCommand } from 'citty';
import { applyMigrations } from '../database/migrations/apply.ts';
import { openDatabase, withDirectUrl } from '../database/open.ts';
import { readEnvironment } from './environment.ts';

export const migrateCommand = defineCommand({
  meta: { name: 'migrate', description: 'Apply pending migrations to DATABASE_URL (or the embedded database).' },
  run: async () => {
    const { config, log } = await readEnvironment(process.env);
    const database = await openDatabase(withDirectUrl(config), log);
    try {
      const applied = await applyMigrations({ url: database.url, log: console.log });
      console.log(applied.length === 0 ? 'Nothing to migrate.' : `Migrated: ${applied.join(', ')}`);
    } finally {
      await database.close();
    }
  },
});
