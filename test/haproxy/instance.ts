import { expect } from 'vitest';
import { getAnew } from '../support/asking.ts';
import { type ServingProcess, startGatewayProcess } from '../support/process.ts';
import { freePort } from './free-port.ts';

/** A gateway that can be stopped and started again at its place. */
export interface Instance extends AsyncDisposable {
  /** `127.0.0.1:4001` */
  readonly place: string;
  /** What the ids of all its answers begin with, until it is started again. */
  readonly name: () => Promise<string>;
  /** Ends it as a deployment does, and starts it again. */
  readonly restart: () => Promise<void>;
  /** Gives the `performance.now()` at which it was gone. */
  readonly kill: () => Promise<number>;
  readonly startAgain: () => Promise<void>;
}

/** Which instance an answer is from. */
export const nameIn = (headers: { readonly [name: string]: unknown }): string =>
  String(headers['x-request-id']).replace(/-[^-]*$/, '');

/** As deploy/ has it behind a proxy. */
const BEHIND_PROXY = { TRUST_PROXY: '1', SHUTDOWN_DELAY_MS: '3000' };

export const startInstance = async (databaseUrl: string): Promise<Instance> => {
  const port = await freePort();
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
    place: `127.0.0.1:${port}`,
    name: async () => nameIn((await getAnew(`${running.url}/livez`)).headers),
    restart: async () => {
      expect(await end('SIGTERM')).toBe(0);
      await startAgain();
    },
    kill: async () => {
      await end('SIGKILL');
      return performance.now();
    },
    startAgain,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
};
