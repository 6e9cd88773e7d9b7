import { type ServingProcess, startGatewayProcess } from '../support/process.ts';
import { PROBE } from './probe.ts';

/** An instance that may be killed and started again at its address. */
export interface Instance extends AsyncDisposable {
  readonly url: string;
  readonly process: () => ServingProcess;
  readonly kill: () => Promise<void>;
  readonly startAgain: () => Promise<void>;
  /** Whether it was killed, or not there again, at any time between these two moments. */
  readonly wasDown: (fromMs: number, toMs: number) => boolean;
}

/** Small, so that it is full before memory is measured. */
const CACHE_MAX_MB = '2';

export const startInstance = async (databaseUrl: string): Promise<Instance> => {
  const environment = { DATABASE_URL: databaseUrl, CACHE_MAX_MB, NODE_OPTIONS: PROBE };
  let running = await startGatewayProcess(environment);
  const { url } = running;
  const downs: { fromMs: number; toMs: number }[] = [];
  return {
    url,
    process: () => running,
    kill: async () => {
      downs.push({ fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY });
      running.command.child.kill('SIGKILL');
      await running.command.ended;
    },
    startAgain: async () => {
      running = await startGatewayProcess({ ...environment, PORT: new URL(url).port });
      const down = downs.at(-1);
      if (down) down.toMs = performance.now();
    },
    wasDown: (fromMs, toMs) => downs.some((down) => down.fromMs <= toMs && fromMs <= down.toMs),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
};
