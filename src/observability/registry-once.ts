import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';

/** So that the delay of the event loop, looked at every 10 ms, has been seen a few times. */
const FIRST_LOOK_MS = 50;

/** Nothing is loaded, and nothing of the process is observed, before somebody asks. */
export const registryOnce = (create: () => Promise<Registry>): (() => Promise<Registry>) => {
  let registry: Promise<Registry> | undefined;

  const begin = async (): Promise<Registry> => {
    const created = await create();
    await delay(FIRST_LOOK_MS);
    return created;
  };

  return () => {
    registry ??= begin();
    return registry;
  };
};
