import { AsyncLocalStorage } from 'node:async_hooks';

/** Runs work outside of the request in which it happens to begin: its statements, timers and spans are not that request's. */
export const apart = AsyncLocalStorage.snapshot();
