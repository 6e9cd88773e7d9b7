import path from 'node:path';
import { expect } from 'vitest';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';
import { getByNewConnection } from './asking.ts';
import { type ServingProcess, startGatewayProcess } from './process.ts';
import { findProgram } from './programs.ts';
import { type ProxyProcess, startProxyProcess } from './proxy-process.ts';

const FILE = path.join(import.meta.dirname, '../../deploy/haproxy/haproxy.cfg');
const PROGRAM = findProgram('haproxy');

export const hasHaproxy = PROGRAM !== undefined;

/** HAProxy with the file of deploy/, in front of two gateways. @param addresses of the gateways, such as `127.0.0.1:4001` @throws Error when it refuses its file */
export const startHaproxy = async (addresses: readonly [string, string]): Promise<ProxyProcess> => {
  const listen = `127.0.0.1:${await findFreePort()}`;
  const env = { LISTEN: listen, GATEWAY_1: addresses[0], GATEWAY_2: addresses[1] };
  return startProxyProcess({
    program: String(PROGRAM),
    args: ['-db', '-f', FILE],
    env,
    url: `http://${listen}`,
    readyPath: '/proxy-health',
    signal: 'SIGKILL',
  });
};

/** A gateway process that can be stopped and started again at its address. */
export interface Instance extends AsyncDisposable {
  /** `127.0.0.1:4001` */
  readonly address: string;
  /** What the ids of all its responses begin with, until it is started again. */
  readonly name: () => Promise<string>;
  /** Ends it as a deployment does, and starts it again. */
  readonly restart: () => Promise<void>;
  /** Gives the `performance.now()` at which it was gone, and HAProxy had the time to find its connections closed. */
  readonly kill: () => Promise<number>;
  readonly startAgain: () => Promise<void>;
}

/** Which instance a response is from. */
export const nameIn = (headers: { readonly [name: string]: unknown }): string =>
  String(headers['x-request-id']).replace(/-[^-]*$/, '');

/** As deploy/ has it behind a proxy. */
const BEHIND_PROXY = { TRUST_PROXY: '1', SHUTDOWN_DELAY_MS: '3000' };

/** Beside load, HAProxy gets a processor only some milliseconds after a connection was closed: it may have sent a request over it. */
const PROXY_TURN_MS = 50;

export const startInstance = async (databaseUrl: string): Promise<Instance> => {
  const port = await findFreePort();
  const start = (): Promise<ServingProcess> =>
    startGatewayProcess({ DATABASE_URL: databaseUrl, PORT: String(port), ...BEHIND_PROXY });
  let running = await start();
  const end = (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | NodeJS.Signals> => {
    running.command.child.kill(signal);
    return running.command.ended;
  };
  const startAgain = async (): Promise<void> => {
    running = await start();
  };
  return {
    address: `127.0.0.1:${port}`,
    name: async () => nameIn((await getByNewConnection(`${running.url}/livez`)).headers),
    restart: async () => {
      expect(await end('SIGTERM')).toBe(0);
      await startAgain();
    },
    kill: async () => {
      await end('SIGKILL');
      return performance.now() + PROXY_TURN_MS;
    },
    startAgain,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
};
