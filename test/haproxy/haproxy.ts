import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { vi } from 'vitest';
import { getAnew } from '../support/asking.ts';
import { freePort } from './free-port.ts';

/** HAProxy with the very file of deploy/, in front of two gateways. */
export interface Haproxy extends AsyncDisposable {
  readonly url: string;
}

const FILE = path.join(import.meta.dirname, '../../deploy/haproxy/haproxy.cfg');

/** @param places `127.0.0.1:4001` @throws Error when it is not installed, or refuses its file */
export const startHaproxy = async (places: readonly [string, string]): Promise<Haproxy> => {
  const listen = `127.0.0.1:${await freePort()}`;
  // Debian has it where only root looks.
  const env = {
    PATH: `${process.env.PATH}:/usr/sbin`,
    LISTEN: listen,
    GATEWAY_1: places[0],
    GATEWAY_2: places[1],
  };
  const child = spawn('haproxy', ['-db', '-f', FILE], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  child.once('error', (error) => {
    output += `${error.message} (apt-get install haproxy)`;
  });
  const end = (): boolean => child.kill('SIGKILL');
  process.once('exit', end);
  const url = `http://${listen}`;
  await vi.waitFor(
    async () => {
      const { status } = await getAnew(`${url}/proxy-health`);
      if (status !== 200) throw new Error(`HAProxy answers ${status}: ${output}`);
    },
    { interval: 50, timeout: 20_000 },
  );
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', end);
      const closed = once(child, 'close');
      end();
      await closed;
    },
  };
};
