import { defineCommand } from 'citty';
import pg from 'pg';
import type { Logger } from 'pino';
import { readConfig } from '../config.ts';
import { connectionConfig } from '../database/database.ts';
import { migrateEmbedded } from '../database/migrate-embedded.ts';
import { type OpenDatabase, openDatabase } from '../database/open-database.ts';
import { createLog } from '../observability/log.ts';
import { secretsOf } from '../observability/secrets.ts';
import { serve } from '../serve.ts';
import { welcome } from './welcome.ts';

export const serveCommand = defineCommand({
  meta: { name: 'serve', description: 'Serve the gateway until SIGTERM or SIGINT.' },
  run: async () => {
    const config = readConfig(process.env);
    const log = await createLog({ level: config.logLevel, secrets: secretsOf(config) });

    // Until everything stands, a signal just ends the process; an embedded server that it has started ends with it.
    let stop = async (): Promise<void> => {};
    let isStopping = false;
    const end = async (reason: string, exitCode: number): Promise<void> => {
      if (isStopping) return;
      isStopping = true;
      log.info(`${reason}: shutting down`);
      await stop().catch((error: unknown) => log.error({ err: error }, 'the shutdown was not clean'));
      process.exit(exitCode);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        // Whoever asks twice does not want to wait.
        if (isStopping) process.exit(1);
        void end(signal, 0);
      });
    }
    // Rejections that nobody handles come here too. What goes wrong while the process drains does not keep it from that.
    process.on('uncaughtException', (error) => {
      log.fatal({ err: error }, 'an error that nobody caught');
      void end('uncaught exception', 1);
    });

    const database = await openDatabase(config, log);
    try {
      if (database.isEmbedded) {
        await migrateEmbedded(database, log);
        await seedOnce(database, log);
      }
      const serving = await serve(config, database.url, log);
      stop = () => serving.stop().finally(database.close);
      if (database.isEmbedded) console.log(welcome(serving.url, config));
    } catch (error) {
      await database.close();
      throw error;
    }
    void database.exited.then(() => end('the embedded database ended', 1));
  },
});

/** The embedded database is filled while there is nothing in it. */
const seedOnce = async ({ url }: OpenDatabase, log: Logger): Promise<void> => {
  const client = new pg.Client({ ...connectionConfig(url), connectionTimeoutMillis: 10_000, query_timeout: 60_000 });
  await client.connect();
  try {
    const { isCatalogueEmpty, seedDemoCatalogue } = await import('../catalogue/seed.ts');
    if (await isCatalogueEmpty(client)) log.info(await seedDemoCatalogue(client), 'filled with the demo catalogue');
  } finally {
    await client.end();
  }
};
