import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type EmbeddedDatabase, startEmbeddedDatabase } from './server.ts';

/** A PostgreSQL server of our own, which is started again whenever it ends by itself. */
export interface RunningDatabase {
  /** The same after every start. */
  readonly url: string;
  /** Resolves when it ended and cannot be had at this URL any more; never rejects. */
  readonly exited: Promise<void>;
  /** Ends it for good. */
  readonly close: () => Promise<void>;
}

interface Options {
  readonly dataDir: string;
  readonly log: Logger;
}

const RESTART_DELAY_MS = 500;

/**
 * A full disk, the kernel's hunt for memory or an operator's mistake ends the server. The gateway lives on, with what it remembers,
 * and tries until the cause is gone.
 * @throws what the first start throws
 */
export const keepEmbeddedDatabase = async ({ dataDir, log }: Options): Promise<RunningDatabase> => {
  const start = (): Promise<EmbeddedDatabase> =>
    startEmbeddedDatabase({ dataDir, log: (line) => log.debug({ from: 'postgres' }, line) });
  let server = await start();
  const { url } = server;
  let isStarting = false;
  let isClosed = false;

  /** Undefined where it was closed meanwhile. */
  const startAgain = async (): Promise<EmbeddedDatabase | undefined> => {
    for (let reported = ''; !isClosed; await delay(RESTART_DELAY_MS)) {
      try {
        return await start();
      } catch (error) {
        const { message } = error as Error;
        if (message !== reported) log.error({ err: error }, 'the embedded database does not start');
        reported = message;
      }
    }
    return undefined;
  };

  const watch = async (): Promise<void> => {
    while (!isClosed) {
      await server.exited;
      log.error('the embedded database ended: starting it again');
      isStarting = true;
      await server.stop();
      const next = await startAgain();
      isStarting = false;
      if (next) server = next;
      if (isClosed) await server.stop();
      if (server.url !== url) return;
      if (!isClosed) log.info('the embedded database runs again');
    }
  };

  return {
    url,
    exited: watch(),
    close: async () => {
      isClosed = true;
      // One that is just being started is told to end when this process does, which waits for nothing.
      if (!isStarting) await server.stop();
    },
  };
};
