import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '../../errors.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { startProgram } from './program.ts';
import { shutDown } from './shutdown.ts';
import { absentAsUndefined } from './system-error.ts';

/** Recovery after a crash comes before readiness, and can take this long. */
const READY_TIMEOUT_MS = 120_000;
const READY_POLL_MS = 5;

/** A server process that accepts connections. */
export interface Postmaster {
  /** Resolves when the process ends without `stop` having been called. */
  readonly exited: Promise<void>;
  /** Shuts it down and resolves when it has ended. */
  stop(): Promise<void>;
}

export interface PostmasterOptions {
  readonly cluster: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

/** The server says in its lock file how far it is: line 1 is its process id, line 8 its status (pidfile.h). */
const isReady = async (cluster: string, pid: string): Promise<boolean> => {
  const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(absentAsUndefined))?.split('\n');
  return lines?.[0] === pid && lines[7]?.trimEnd() === 'ready';
};

/**
 * Starts the server of a cluster and waits until it accepts connections.
 * @throws OperatorError with the last lines that it printed when it ends before, or is not ready in time.
 */
export const launchPostmaster = async (
  account: Account,
  { postgres }: Binaries,
  { cluster, settings, log }: PostmasterOptions,
): Promise<Postmaster> => {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { child, ended } = startProgram(account, postgres, ['-D', cluster, ...options], { log });
  const { pid } = child;
  const isRunning = () => pid !== undefined && child.exitCode === null && child.signalCode === null;
  let stopping = false;
  const stop = async () => {
    stopping = true;
    if (pid !== undefined) await shutDown(pid, isRunning);
  };
  // A gateway that ends without stopping its server still tells it.
  const endWithGateway = () => child.kill('SIGINT');
  process.once('exit', endWithGateway);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      process.off('exit', endWithGateway);
      if (!stopping) resolve();
    });
  });

  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (isRunning() && performance.now() < deadline) {
    if (await isReady(cluster, String(pid))) return { exited, stop };
    await delay(READY_POLL_MS);
  }
  await stop();
  const result = await ended;
  throw typeof result === 'string' ? new OperatorError(`postgres ended or was not ready in time:\n${result}`) : result;
};
