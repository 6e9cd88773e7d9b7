import type { Logger } from 'pino';
import { DatabaseClient } from './client.ts';
import { connectionConfig } from './database.ts';
import type { OpenDatabase } from './open-database.ts';

/** Migrates the embedded database: it is ours alone, so nobody else will. */
export const migrateEmbedded = async ({ url }: OpenDatabase, log: Logger): Promise<void> => {
  const client = new DatabaseClient({
    ...connectionConfig(url),
    connectionTimeoutMillis: 10_000,
    query_timeout: 60_000,
  });
  await client.connect();
  try {
    const { readMigrationStatus, applyMigrations } = await import('./migrations.ts');
    const { pending } = await readMigrationStatus(client);
    if (pending.length > 0) await applyMigrations({ url, log: (line) => log.info(line) });
  } finally {
    await client.end();
  }
};
