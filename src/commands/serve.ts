import cluster from 'node:cluster';
import type { Config } from '../config/config.ts';
import { findPort } from '../http/listeners.ts';
import { prepareDatabase, serve } from '../serve.ts';
import { defineCommand, readEnvironment } from './commands.ts';

/**
 * For how long another signal is the first one once more. npm passes the signals that it gets on to its script; a terminal or systemd has sent them
 * to the script already.
 */
const passedOnWithinMs = ({ npm_lifecycle_event }: NodeJS.ProcessEnv): number =>
  npm_lifecycle_event === undefined ? 0 : 1000;

const PARENT_CHECK_MS = 500;

export const serveCommand = defineCommand({
  description: 'Serve the gateway until SIGTERM or SIGINT.',
  run: async () => {
    if (cluster.isWorker) return (await import('../cluster/worker.ts')).serveAsWorker();

    const { config, log } = await readEnvironment(process.env, true);

    // During the start, a signal ends the process at once; an embedded server ends with it.
    let stop = async (): Promise<void> => {};
    let isStopping = false;
    let stoppedAtMs = 0;
    const end = async (reason: string, exitCode: number): Promise<void> => {
      if (isStopping) return;
      isStopping = true;
      stoppedAtMs = performance.now();
      log.info(`${reason}: shutting down`);
      await stop().catch((error: unknown) => log.error({ err: error }, 'the shutdown was not clean'));
      process.exit(exitCode);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        // A second signal ends the process at once.
        if (!isStopping) void end(signal, 0);
        else if (performance.now() - stoppedAtMs >= passedOnWithinMs(process.env)) process.exit(1);
      });
    }
    // npx starts a shell between, and a signal ends only that.
    const { ppid } = process;
    const endWithShell = (): void => {
      if (process.ppid !== ppid) void end('npx has ended', 0);
    };
    if (process.env.npm_lifecycle_event === 'npx') setInterval(endWithShell, PARENT_CHECK_MS).unref();
    // Unhandled rejections come here too. An error during the shutdown does not stop the shutdown.
    process.on('uncaughtException', (error) => {
      log.fatal({ err: error }, 'an error that nobody caught');
      void end('uncaught exception', 1);
    });

    // Checked before a database is created and filled in vain. The server checks again: the port may be taken meanwhile.
    await findPort(config);
    const database = await prepareDatabase(config, log);
    try {
      const serving =
        config.workers === 1
          ? await serve(config, database.url, log)
          : await (await import('../cluster/primary.ts')).serveByWorkers(config, database.url, log);
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

/** Printed at each start on the embedded database: the address, and requests to try. */
const welcome = (url: string, { exposure, dataDir }: Config): string =>
  `
  Vitrine is open at ${url}
  ${exposure.demo === 'off' ? 'The demo shop is switched off (DEMO).' : `A shop to look at:            ${url}/demo`}
  ${exposure.graphiql === 'off' ? 'GraphiQL is switched off (GRAPHIQL).' : `GraphiQL, to explore the API: ${url}/graphql`}

  Three things to try:

    curl '${url}/api/product/hot?limit=3'

    curl '${url}/api/notice/list'

    curl '${url}/graphql' -H 'content-type: application/json' \\
      -d '{"query":"{ categories { name children { name products(limit: 2) { name price { amount currencyCode } } } } }"}'

  The database lives in ${dataDir}: psql "$(cat ${dataDir}/database-url)"
  Ctrl-C stops both.
`;
