import { defineCommand } from 'citty';
import { readConfig, secretsOf } from '../config/config.ts';
import { applyMigrations } from '../database/migrations/apply.ts';
import { openDatabase, withDirectUrl } from '../database/open.ts';
import { createLog } from '../observability/log.ts';

export const migrateCommand = defineCommand({
  meta: { name: 'migrate', description: 'Apply pending migrations to DATABASE_URL (or the embedded database).' },
  run: async () => {
    const config = withDirectUrl(readConfig(process.env));
    const database = await openDatabase(
      config,
      await createLog({ level: config.logLevel, secrets: secretsOf(config) }),
    );
    try {
      const applied = await applyMigrations({ url: database.url, log: console.log });
      console.log(applied.length === 0 ? 'Nothing to migrate.' : `Migrated: ${applied.join(', ')}`);
    } finally {
      await database.close();
    }
  },
});
