import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { StaticFile } from '../http/static-file.ts';

/** What GraphiQL loads, under a hash of all its contents. */
export interface Bundle {
  /** 16 hexadecimal digits. */
  readonly hash: string;
  readonly files: readonly { readonly name: string; readonly bodies: StaticFile['bodies'] }[];
}

/**
 * Reads and compresses GraphiQL on another thread, so that no request waits for it but the one that asked.
 *
 * @throws what the thread failed with, as when the package is not installed
 */
export const loadBundle = async (): Promise<Bundle> => {
  const worker = new Worker(new URL('bundle.worker.ts', import.meta.url));
  // `once` rejects on the event `error`, which a thread that fails emits.
  const [bundle]: Bundle[] = await once(worker, 'message');
  if (bundle === undefined) throw new Error('The thread that reads GraphiQL posted an empty message');
  return bundle;
};
