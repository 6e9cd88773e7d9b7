import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { awaitDatabase } from './await-database.ts';
import { DatabaseClient } from './client.ts';
import { connectionConfig } from './database.ts';

/** The database that the configuration names. */
export interface OpenDatabase {
  readonly url: string;
  readonly isEmbedded: boolean;
  /** Whether the embedded server runs because of this call. */
  readonly isStarted: boolean;
  /** Resolves when an embedded server ended and cannot be started again at its URL. */
  readonly exited: Promise<void>;
  /** Stops an embedded server; leaves the operator's own alone. */
  readonly close: () => Promise<void>;
}

/** For what needs a session of its own: the configuration, in which a pooler is left aside if there is a way. */
export const withDirectUrl = (config: Config): Config => ({
  ...config,
  databaseUrl: config.databaseDirectUrl ?? config.databaseUrl,
});

/** @throws OperatorError when the embedded server cannot be started, or the operator's own does not come up */
export const openDatabase = async (
  { databaseUrl, databaseDirectUrl, databaseWaitMs, dataDir }: Config,
  log: Logger,
): Promise<OpenDatabase> => {
  if (databaseUrl !== undefined) {
    if (databaseUrl !== databaseDirectUrl) await awaitDatabase({ url: databaseUrl, waitMs: databaseWaitMs, log });
    if (databaseDirectUrl !== undefined)
      await awaitDatabase({ url: databaseDirectUrl, variable: 'DATABASE_DIRECT_URL', waitMs: databaseWaitMs, log });
    return {
      url: databaseUrl,
      isEmbedded: false,
      isStarted: false,
      exited: new Promise(() => {}),
      close: async () => {},
    };
  }
  const { keepEmbeddedDatabase } = await import('./embedded/keep-running.ts');
  return { ...(await keepEmbeddedDatabase({ dataDir, log })), isEmbedded: true, isStarted: true };
};

/**
 * As {@link openDatabase}; where a gateway runs on the data directory, its embedded server is used, and left running.
 * @throws OperatorError as there, and when that server does not answer
 */
export const openOrJoinDatabase = async (config: Config, log: Logger): Promise<OpenDatabase> => {
  const { DirectoryInUseError } = await import('./embedded/lock.ts');
  try {
    return await openDatabase(config, log);
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw error;
    const url = await readFile(join(config.dataDir, 'database-url'), 'utf8').catch(() => undefined);
    if (url === undefined || !(await answers(url.trim()))) throw error;
    return {
      url: url.trim(),
      isEmbedded: true,
      isStarted: false,
      exited: new Promise(() => {}),
      close: async () => {},
    };
  }
};

/** The file may be one of an earlier server, while the next is about to start. */
const answers = async (url: string): Promise<boolean> => {
  const client = new DatabaseClient({ ...connectionConfig(url), connectionTimeoutMillis: JOIN_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
};

const JOIN_TIMEOUT_MS = 2000;
