import { databaseUnavailable } from './errors.ts';

/**
 * Waits for a promise, but no longer than so. What it stands for goes on; only this wait ends.
 * @throws AppError SERVICE_UNAVAILABLE after the time
 */
export const withDeadline = async <Value>(promise: Promise<Value>, ms: number): Promise<Value> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(databaseUnavailable()), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};
