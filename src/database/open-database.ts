import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { awaitDatabase } from './await-database.ts';

/** The database that the configuration names. */
export interface OpenDatabase {
  readonly url: string;
  readonly isEmbedded: boolean;
  /** Resolves when an embedded server ends by itself. */
  readonly exited: Promise<void>;
  /** Stops an embedded server; leaves the operator's own alone. */
  readonly close: () => Promise<void>;
}

/** @throws OperatorError when the embedded server cannot be started, or the operator's own does not come up */
export const openDatabase = async (
  { databaseUrl, databaseWaitMs, dataDir }: Config,
  log: Logger,
): Promise<OpenDatabase> => {
  if (databaseUrl !== undefined) {
    await awaitDatabase({ url: databaseUrl, waitMs: databaseWaitMs, log });
    return { url: databaseUrl, isEmbedded: false, exited: new Promise(() => {}), close: async () => {} };
  }
  const { startEmbeddedDatabase } = await import('./embedded/server.ts');
  const { url, exited, stop } = await startEmbeddedDatabase({
    dataDir,
    log: (line) => log.debug({ from: 'postgres' }, line),
  });
  return { url, isEmbedded: true, exited, close: stop };
};
