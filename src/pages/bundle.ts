import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { StaticFile } from '../http/static-file.ts';

/** What a page loads, under a hash of all its contents. */
export interface Bundle {
  /** 16 hexadecimal digits. */
  readonly hash: string;
  readonly files: readonly { readonly name: string; readonly bodies: StaticFile['bodies'] }[];
}

/** It takes half a second, and some more on a machine that is busy. */
const LOAD_TIMEOUT_MS = 30_000;

/**
 * Reads and compresses a bundle on another thread, so that no request waits for it but the one that asked.
 *
 * @param worker module that posts it, by `postBundle`
 * @throws what the thread failed with, as when a package is not installed
 */
export const loadBundle = async (worker: URL): Promise<Bundle> => {
  // Compiled, all modules are called .js, this one as the thread's.
  const compiled = import.meta.url.endsWith('.js') ? new URL(worker.href.replace(/\.ts$/, '.js')) : worker;
  // Node still calls the stripping of types by a program experimental, and would say so in the log.
  const thread = new Worker(compiled, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  try {
    // `once` rejects on the event `error`, which a thread that fails emits; one that ends without a word is not waited for without end.
    const [bundle]: Bundle[] = await once(thread, 'message', { signal: AbortSignal.timeout(LOAD_TIMEOUT_MS) });
    if (bundle === undefined) throw new Error(`The thread of ${worker} posted an empty message`);
    return bundle;
  } finally {
    void thread.terminate();
  }
};
