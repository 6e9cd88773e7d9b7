import { randomBytes } from 'node:crypto';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { OperatorError } from '../../errors.ts';
import { memo } from '../../memo.ts';
import { chooseAccount } from './account.ts';
import { createCluster, findPrograms, hasCluster, runOffline, VITRINE } from './cluster.ts';
import { lockDirectory, readPlainFile, replaceFile } from './data-directory.ts';
import { clearLeftover, HOST, launch } from './postmaster.ts';

/** A PostgreSQL server of our own, running. */
export type EmbeddedDatabase = Awaited<ReturnType<typeof startEmbeddedDatabase>>;

interface EmbeddedDatabaseOptions {
  /** Gets the cluster in `postgres/` and the URL, for its owner only, in `database-url`. */
  readonly dataDir: string;
  /** Is given each line that the server prints. */
  readonly log: (line: string) => void;
  /** Settings of PostgreSQL, stronger than those in the cluster's `postgresql.conf`. */
  readonly settings?: Record<string, string>;
}

const parseUrl = (text = ''): { password: string; port: number } | undefined => {
  const url = URL.parse(text.trim());
  return url?.password ? { password: url.password, port: Number(url.port) } : undefined;
};

const startLocked = async (programs: string, dataDir: string, { log, settings = {} }: EmbeddedDatabaseOptions) => {
  const directory = join(dataDir, 'postgres');
  const urlFile = join(dataDir, 'database-url');
  const { account, major } = await chooseAccount(join(programs, 'postgres'), dataDir, directory);
  const cluster = { directory, account, programs, log };

  if (!(await hasCluster(directory, major))) {
    // It would hold the password of an earlier cluster.
    await rm(urlFile, { force: true });
    await createCluster(cluster);
  }
  const known = parseUrl(await readPlainFile(urlFile));
  const password = known?.password ?? randomBytes(24).toString('base64url');
  if (known === undefined) {
    await clearLeftover(cluster);
    await runOffline(cluster, `ALTER ROLE ${VITRINE} PASSWORD '${password}'`);
  }

  const { postmaster, port } = await launch(cluster, settings, known?.port);
  const url = `postgresql://${VITRINE}:${password}@${HOST}:${port}/${VITRINE}`;
  await replaceFile(urlFile, `${url}\n`, 0o600);
  return { url, postmaster };
};

/**
 * Starts the PostgreSQL server of a data directory, which is made when it is not there.
 * @throws OperatorError when the directory is in use or unusable, or PostgreSQL does not run; with what it printed.
 */
export const startEmbeddedDatabase = async (options: EmbeddedDatabaseOptions) => {
  const { dataDir } = options;
  try {
    // Before the directory is looked at: in an image there is no PostgreSQL, and that is the fault to report.
    const programs = findPrograms();
    await mkdir(dataDir, { recursive: true });
    const lock = await lockDirectory(dataDir);
    try {
      const { url, postmaster } = await startLocked(programs, await realpath(dataDir), options);
      return {
        /** `postgresql://vitrine:<password>@127.0.0.1:<port>/vitrine` */
        url,
        /** Resolves when the server process ends by itself (crash, killed), not when it is stopped; never rejects. */
        exited: postmaster.exited,
        /** Shuts the server down: fast, or at once when that takes too long. Further calls wait for the same. */
        stop: memo(() => postmaster.stop().finally(lock.release)),
      };
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new OperatorError(`The data directory ${dataDir} cannot be used: ${error.message}`, { cause: error });
  }
};

const RESTART_DELAY_MS = 500;

/**
 * Starts a server that is started again whenever it ends by itself (a full disk, a lack of memory, an operator's mistake), until the cause is gone.
 * The gateway goes on with its cache meanwhile.
 * @returns `exited` resolves when it cannot be started again at this URL; it never rejects. `close` ends it for good.
 * @throws what the first start throws
 */
export const keepEmbeddedDatabase = async (dataDir: string, log: Logger) => {
  const start = (): Promise<EmbeddedDatabase> =>
    startEmbeddedDatabase({ dataDir, log: (line) => log.debug({ from: 'postgres' }, line) });
  let server = await start();
  const { url } = server;
  let isClosed = false;

  const startAgain = async (): Promise<void> => {
    for (let reported = ''; !isClosed; await delay(RESTART_DELAY_MS)) {
      try {
        server = await start();
        return log.info('the embedded database runs again');
      } catch (error) {
        const { message } = error as Error;
        if (message !== reported) log.error({ err: error }, 'the embedded database does not start');
        reported = message;
      }
    }
  };

  const superviseServer = async (): Promise<void> => {
    while (!isClosed && server.url === url) {
      await server.exited;
      log.error('the embedded database ended: starting it again');
      await server.stop();
      await startAgain();
    }
    if (isClosed) await server.stop();
  };

  return {
    url,
    exited: superviseServer(),
    close: async () => {
      isClosed = true;
      // One that is still starting is stopped later, or as this process exits.
      await server.stop();
    },
  };
};
