import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';
import { getByNewConnection } from './asking.ts';

/** A proxy with a file of deploy/, in front of gateways. */
export interface ProxyProcess extends AsyncDisposable {
  readonly url: string;
}

interface Options {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url: string;
  /** What it answers with 200 once it is there. */
  readonly readyPath: string;
  readonly signal: NodeJS.Signals;
  /** Of its files: goes when it has ended. */
  readonly folder?: AsyncDisposable;
}

/** Starts a proxy, and waits until it answers. @throws Error with what it has printed when it does not */
export const startProxyProcess = async ({
  program,
  args,
  env,
  url,
  readyPath,
  signal,
  folder,
}: Options): Promise<ProxyProcess> => {
  const child = spawn(program, args, { ...(env && { env }), stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const end = (): boolean => child.kill(signal);
  process.once('exit', end);
  await vi.waitFor(
    async () => {
      const { status } = await getByNewConnection(url + readyPath);
      if (status !== 200) throw new Error(`${program} answers ${status}: ${output}`);
    },
    { interval: 50, timeout: 60_000 },
  );
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', end);
      const closed = once(child, 'close');
      end();
      await closed;
      await folder?.[Symbol.asyncDispose]();
    },
  };
};
