import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '../../errors.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { clearLeftover } from './leftover.ts';
import { findFreePort, HOST } from './port.ts';
import { launchPostmaster, type Postmaster, type PostmasterOptions } from './postmaster.ts';

const LAUNCH_TIMEOUT_MS = 10_000;
const LAUNCH_RETRY_MS = 200;

/**
 * Refusals that pass: another program was quicker to take the port, a server that a killed gateway left was itself
 * just starting, or backends have yet to notice that their server was killed.
 */
const PASSING_REFUSAL = /could not create any TCP\/IP sockets|"postmaster\.pid" already exists|still in use/;

/**
 * Starts the server of a cluster, in place of one that was left over, on the preferred port if that is free.
 * @throws OperatorError with the last lines that it printed when it does not start.
 */
export const launch = async (
  account: Account,
  binaries: Binaries,
  { cluster, settings, log, preferredPort }: PostmasterOptions & { readonly preferredPort: number | undefined },
): Promise<{ postmaster: Postmaster; port: number }> => {
  for (const deadline = performance.now() + LAUNCH_TIMEOUT_MS; ; await delay(LAUNCH_RETRY_MS)) {
    await clearLeftover(cluster, log);
    const port = await findFreePort(preferredPort);
    const own = { listen_addresses: HOST, port: String(port), unix_socket_directories: '', TimeZone: 'UTC' };
    try {
      const postmaster = await launchPostmaster(account, binaries, { cluster, settings: { ...settings, ...own }, log });
      return { postmaster, port };
    } catch (error) {
      const passes = error instanceof OperatorError && PASSING_REFUSAL.test(error.message);
      if (!passes || performance.now() > deadline) throw error;
    }
  }
};
