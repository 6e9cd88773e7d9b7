import { databaseUnavailable } from './errors.ts';

/**
 * Waits for a promise, but no longer than so. What it stands for goes on; only this wait ends.
 * @throws AppError SERVICE_UNAVAILABLE after the time
 */
export const withDeadline = <Value>(promise: Promise<Value>, ms: number): Promise<Value> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(databaseUnavailable()), ms);
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
