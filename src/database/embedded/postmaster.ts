import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { OperatorError } from '../../errors.ts';
import { runProgram, startProgram } from './account.ts';
import type { Cluster } from './cluster.ts';
import { readPlainFile, replaceFile } from './data-directory.ts';

/** Recovery after a crash comes before readiness, and can take this long. */
const READY_TIMEOUT_MS = 120_000;
const READY_POLL_MS = 5;

/** Settings of PostgreSQL, stronger than those in the cluster's `postgresql.conf`. */
type Settings = Readonly<Record<string, string>>;

/** A server process that accepts connections. */
type Postmaster = Awaited<ReturnType<typeof launchPostmaster>>;

/** The server writes its state into its lock file: line 1 is its process id, line 8 its status (pidfile.h). */
const isReady = async (directory: string, pid: string): Promise<boolean> => {
  const lines = (await readPlainFile(join(directory, 'postmaster.pid')))?.split('\n');
  return lines?.[0] === pid && lines[7]?.trimEnd() === 'ready';
};

/**
 * Starts the server of a cluster and waits until it accepts connections.
 * @throws OperatorError with the last lines that it printed when it ends before, or is not ready in time.
 */
const launchPostmaster = async (cluster: Cluster, settings: Settings) => {
  const { directory, account, programs, log } = cluster;
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { child, ended } = startProgram(account, join(programs, 'postgres'), ['-D', directory, ...options], { log });
  const { pid } = child;
  const isRunning = () => pid !== undefined && child.exitCode === null && child.signalCode === null;
  let stopping = false;
  /** Shuts it down and resolves when it has ended. */
  const stop = async (): Promise<void> => {
    stopping = true;
    if (!isRunning()) return;
    const gone = once(child, 'exit');
    if (!(await shutDown(cluster))) child.kill('SIGKILL');
    await gone;
  };
  // A gateway that exits without stopping its server still sends the signal. On Windows this ends the server at once, and the next start recovers.
  const endWithGateway = () => child.kill('SIGINT');
  process.once('exit', endWithGateway);
  /** Resolves when the process ends without `stop` having been called. */
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      process.off('exit', endWithGateway);
      if (!stopping) resolve();
    });
  });

  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (isRunning() && performance.now() < deadline) {
    if (await isReady(directory, String(pid))) return { exited, stop };
    await delay(READY_POLL_MS);
  }
  await stop();
  const result = await ended;
  throw typeof result === 'string' ? new OperatorError(`postgres ended or was not ready in time:\n${result}`) : result;
};

const LAUNCH_TIMEOUT_MS = 10_000;
const LAUNCH_RETRY_MS = 200;

/** Another program has taken the port, a server that a killed gateway left was starting, or backends have yet to notice that theirs is gone. */
const TEMPORARY_FAILURE = /could not create any TCP\/IP sockets|"postmaster\.pid" already exists|still in use/;

/**
 * Starts the server of a cluster, in place of one that was left over, on the preferred port if that is free.
 * @throws OperatorError with the last lines that it printed when it does not start.
 */
export const launch = async (
  cluster: Cluster,
  settings: Settings,
  preferredPort: number | undefined,
): Promise<{ postmaster: Postmaster; port: number }> => {
  for (const deadline = performance.now() + LAUNCH_TIMEOUT_MS; ; await delay(LAUNCH_RETRY_MS)) {
    await clearLeftover(cluster);
    const port = await findFreePort(preferredPort);
    const own = { listen_addresses: HOST, port: String(port), unix_socket_directories: '', TimeZone: 'UTC' };
    try {
      return { postmaster: await launchPostmaster(cluster, { ...settings, ...own }), port };
    } catch (error) {
      const isTemporary = error instanceof OperatorError && TEMPORARY_FAILURE.test(error.message);
      if (!isTemporary || performance.now() > deadline) throw error;
    }
  }
};

/** The command line of a process, its parts separated by one blank; empty when there is none (any more). */
const commandLine = async (pid: number): Promise<string> => {
  try {
    if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    return (await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)])).stdout;
  } catch {
    return '';
  }
};

/**
 * Clears what a gateway that was killed, or a machine that went down, left of the last server. Call it with the lock of
 * the data directory held: a server that still runs there has lost its gateway, and is shut down.
 */
export const clearLeftover = async (cluster: Cluster): Promise<void> => {
  const { directory, log } = cluster;
  const pidFile = join(directory, 'postmaster.pid');
  const pid = Math.abs(Number.parseInt((await readPlainFile(pidFile)) ?? '', 10));
  // Another process may have the id by now.
  const isLeft = async (): Promise<boolean> => (await commandLine(pid)).includes(` -D ${directory} `);
  if (await isLeft()) {
    log(`Stopping the PostgreSQL (process ${pid}) that an earlier Vitrine left running`);
    if (!(await shutDown(cluster)) && (await isLeft())) process.kill(pid, 'SIGKILL');
  }
  const [, ...shared] = (await readPlainFile(pidFile))?.split('\n') ?? [];
  // PostgreSQL refuses to start while any process has the id that the file names, but takes the file for stale when it
  // names its own parent (CreateLockFile in miscinit.c). Without the file it would not see backends that outlived
  // their server: it finds them by the shared memory that the further lines name.
  if (shared.length > 0) await replaceFile(pidFile, [process.pid, ...shared].join('\n'), 0o600);
};

/** So long a server has to close its sessions and to write all out. */
const SHUTDOWN_TIMEOUT_S = '15';

/** Ends the server of a cluster. @returns whether it has ended in time; if not, it has to be killed, and the next start recovers */
const shutDown = ({ directory, account, programs }: Cluster): Promise<boolean> => {
  const options = ['stop', '-D', directory, '-m', 'fast', '-t', SHUTDOWN_TIMEOUT_S];
  return runProgram(account, join(programs, 'pg_ctl'), options).then(
    () => true,
    () => false,
  );
};

/** Only this machine can connect. */
export const HOST = '127.0.0.1';

/** Below the ports that systems give to programs that name none: while a server starts again, no program gets its port. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];

/** The preferred port when it is free, another free one otherwise. @param tries how many others */
export const findFreePort = async (preferred?: number, tries = 20): Promise<number> => {
  const port = preferred ?? randomInt(FIRST_PORT, LAST_PORT);
  const server = createServer().listen(port, HOST);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (tries === 0) throw error;
    return findFreePort(undefined, tries - 1);
  }
  server.close();
  await once(server, 'close');
  return port;
};
