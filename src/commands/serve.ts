import { defineCommand } from 'citty';
import { isWorker } from '../cluster/is-worker.ts';
import { readConfig } from '../config.ts';
import { createLog } from '../observability/log.ts';
import { secretsOf } from '../observability/secrets.ts';
import { prepareDatabase } from '../prepare-database.ts';
import { createHangUp } from './hang-up.ts';
import { welcome } from './welcome.ts';

export const serveCommand = defineCommand({
  meta: { name: 'serve', description: 'Serve the gateway until SIGTERM or SIGINT.' },
  run: async () => {
    if (isWorker()) return (await import('../cluster/worker.ts')).serveAsWorker();

    const config = readConfig(process.env);
    const log = await createLog({ level: config.logLevel, secrets: secretsOf(config) });

    // Until everything stands, a signal just ends the process; an embedded server that it has started ends with it.
    let stop = async (): Promise<void> => {};
    let restart: (() => Promise<void>) | undefined;
    let isStopping = false;
    const end = async (reason: string, exitCode: number): Promise<void> => {
      if (isStopping) return;
      isStopping = true;
      log.info(`${reason}: shutting down`);
      await stop().catch((error: unknown) => log.error({ err: error }, 'the shutdown was not clean'));
      process.exit(exitCode);
    };
    const hangUp = createHangUp();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        // Whoever asks twice does not want to wait.
        if (isStopping) process.exit(1);
        if (signal === 'SIGHUP' && restart && !hangUp.hasHappened()) void restart();
        else void end(signal, 0);
      });
    }
    // Rejections that nobody handles come here too. What goes wrong while the process drains does not keep it from that.
    process.on('uncaughtException', (error) => {
      log.fatal({ err: error }, 'an error that nobody caught');
      void end('uncaught exception', 1);
    });

    const database = await prepareDatabase(config, log);
    try {
      const serving =
        config.workers === 1
          ? await (await import('../serve.ts')).serve(config, database.url, log)
          : await (await import('../cluster/primary.ts')).serveByWorkers(config, database.url, log);
      if ('restart' in serving) restart = serving.restart;
      stop = () => serving.stop().finally(database.close);
      log.info(`listening on ${serving.url}`);
      if (database.isEmbedded) console.log(welcome(serving.url, config));
    } catch (error) {
      await database.close();
      throw error;
    }
    void database.exited.then(() => end('the embedded database ended', 1));
  },
});
