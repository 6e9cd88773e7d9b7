import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { awaitDatabase } from './await-database.ts';

/** The database that the configuration names. */
export interface OpenDatabase {
  readonly url: string;
  readonly isEmbedded: boolean;
  /** Resolves when an embedded server ended and cannot be started again at its URL. */
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
  const { keepEmbeddedDatabase } = await import('./embedded/keep-running.ts');
  return { ...(await keepEmbeddedDatabase({ dataDir, log })), isEmbedded: true };
};
