import { databaseUnavailable } from './errors.ts';

/**
 * Waits for a promise for a limited time. The work behind it goes on.
 * @throws AppError SERVICE_UNAVAILABLE after the time
 */
export const withDeadline = <Value>(promise: Promise<Value>, ms: number): Promise<Value> =>
  new Promise((resolve, reject) => {
    // What has arrived by then counts, so its callbacks run first: perhaps only this process is late.
    const timer = setTimeout(() => setImmediate(() => reject(databaseUnavailable())), ms);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
