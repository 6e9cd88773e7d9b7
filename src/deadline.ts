import { databaseUnavailable } from './errors.ts';

/** So much longer than it should something may be waited for. */
const CHECK_MS = 50;

/** Something that is waited for. */
export class Wait {
  /** By `performance.now()`. */
  readonly sinceMs = performance.now();
  readonly #reject: (error: unknown) => void;
  readonly #all: Set<Wait>;

  constructor(reject: (error: unknown) => void, all: Set<Wait>) {
    this.#reject = reject;
    this.#all = all.add(this);
  }

  /** Idempotent. */
  end(): void {
    this.#all.delete(this);
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
export const withDeadline = <Value>(promise: Promise<Value>, ms: number): Promise<Value> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(databaseUnavailable()), ms);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

/** What `withDeadline` is for one promise, for many: all may wait for the same time, so they are due in the order in which they began, and share a timer. */
export class Deadline {
  readonly #ms: number;
  /** In the order in which they began. */
  readonly #waits = new Set<Wait>();
  #isChecking = false;

  /** @param ms that each may wait */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** @param reject is called with SERVICE_UNAVAILABLE after the time, unless the wait has ended before */
  begin(reject: (error: unknown) => void): Wait {
    const wait = new Wait(reject, this.#waits);
    if (!this.#isChecking) this.#checkLater();
    return wait;
  }

  /** Waits for a promise. The work behind it goes on. @throws AppError SERVICE_UNAVAILABLE after the time */
  within<Value>(promise: Promise<Value>): Promise<Value> {
    const { promise: inTime, resolve, reject } = Promise.withResolvers<Value>();
    const wait = this.begin(reject);
    promise.then(
      (value) => {
        wait.end();
        resolve(value);
      },
      (error: unknown) => wait.fail(error),
    );
    return inTime;
  }

  #checkLater(): void {
    this.#isChecking = true;
    setTimeout(() => this.#check(), CHECK_MS);
  }

  #check(): void {
    this.#isChecking = false;
    const latestMs = performance.now() - this.#ms;
    for (const wait of this.#waits) {
      if (wait.sinceMs > latestMs) break;
      wait.fail(databaseUnavailable());
    }
    if (this.#waits.size > 0) this.#checkLater();
  }
}
