import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts a thread with a module of the checkout (`…/name.worker.ts`), or with what it was compiled to. */
export const startThread = (
  source: URL,
  options: Pick<WorkerOptions, 'workerData' | 'resourceLimits'> = {},
): Worker => {
  // Compiled modules end in .js, this one and the thread's alike.
  const module = import.meta.url.endsWith('.js') ? new URL(source.href.replace(/\.ts$/, '.js')) : source;
  // Node still warns that type stripping by a program is experimental.
  return new Worker(module, { ...options, execArgv: ['--disable-warning=ExperimentalWarning'] });
};
