import { databaseUnavailable } from './errors.ts';

/** Something that is waited for, for a limited time. */
export class Wait {
  /** By `performance.now()`. */
  readonly sinceMs = performance.now();
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;

  /** @param reject is called with SERVICE_UNAVAILABLE after the time, unless the wait has ended before */
  constructor(ms: number, reject: (error: unknown) => void) {
    this.#reject = reject;
    this.#timer = setTimeout(() => reject(databaseUnavailable()), ms);
  }

  /** Idempotent. */
  end(): void {
    clearTimeout(this.#timer);
  }

  fail(error: unknown): void {
    this.end();
    this.#reject(error);
  }
}

/**
 * Waits for a promise for a limited time. The work behind it goes on.
 * @throws AppError SERVICE_UNAVAILABLE after the time
 */
export const withDeadline = <Value>(promise: Promise<Value>, ms: number): Promise<Value> =>
  new Promise((resolve, reject) => {
    const wait = new Wait(ms, reject);
    promise.then(
      (value) => {
        wait.end();
        resolve(value);
      },
      (error: unknown) => wait.fail(error),
    );
  });
