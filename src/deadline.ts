import { databaseUnavailable } from './errors.ts';

/** So much longer than it should something may be waited for. */
const CHECK_MS = 50;

/** Something that is waited for, in a ring between what began before it and after it. */
export class Wait {
  /** By `performance.now()`. */
  readonly sinceMs: number;
  readonly #reject: (error: unknown) => void;
  before: Wait = this;
  after: Wait = this;

  constructor(sinceMs: number, reject: (error: unknown) => void) {
    this.sinceMs = sinceMs;
    this.#reject = reject;
  }

  joinAfter(last: Wait): void {
    this.before = last;
    this.after = last.after;
    last.after.before = this;
    last.after = this;
  }

  /** It may have ended before, as below. */
  end(): void {
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this;
    this.after = this;
  }

  fail(error: unknown): void {
    this.end();
    this.#reject(error);
  }
}

/** What `withDeadline` is for one promise, for many: all may wait for the same time, so they are due in the order in which they began, and share a timer. */
export class Deadline {
  readonly #ms: number;
  /** Where the ring begins and ends: never due. */
  readonly #ends = new Wait(Number.POSITIVE_INFINITY, () => {});
  #isChecking = false;

  /** @param ms that each may wait */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** @param reject is called with SERVICE_UNAVAILABLE after the time, unless the wait has ended before */
  begin(reject: (error: unknown) => void): Wait {
    const wait = new Wait(performance.now(), reject);
    wait.joinAfter(this.#ends.before);
    if (!this.#isChecking) this.#checkLater();
    return wait;
  }

  /** Waits for a promise. The work behind it goes on. @throws AppError SERVICE_UNAVAILABLE after the time */
  within<Value>(promise: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const wait = this.begin(reject);
      promise.then(
        (value) => {
          wait.end();
          resolve(value);
        },
        (error: unknown) => wait.fail(error),
      );
    });
  }

  #checkLater(): void {
    this.#isChecking = true;
    setTimeout(() => this.#check(), CHECK_MS);
  }

  #check(): void {
    this.#isChecking = false;
    const latestMs = performance.now() - this.#ms;
    for (let first = this.#ends.after; first.sinceMs <= latestMs; first = this.#ends.after) {
      first.fail(databaseUnavailable());
    }
    if (this.#ends.after !== this.#ends) this.#checkLater();
  }
}
