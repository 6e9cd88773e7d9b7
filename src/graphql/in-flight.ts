/** The reads that one operation waits for, so that what follows from several of them can be read together. */
export class InFlight {
  #count = 0;
  #waiting: (() => void)[] = [];

  track<Value>(read: Promise<Value>): Promise<Value> {
    this.#count += 1;
    const done = (): void => {
      this.#count -= 1;
      if (this.#count === 0) this.#release();
    };
    read.then(done, done);
    return read;
  }

  /** Whether none is under way. */
  get isIdle(): boolean {
    return this.#count === 0;
  }

  /** Calls back when no tracked read is under way and what they brought has been looked through. */
  whenIdle(callback: () => void): void {
    this.#waiting.push(callback);
    if (this.#count === 0) this.#release();
  }

  #release(): void {
    // Later than the promise jobs in which the resolvers of the last rows ask for what follows from them.
    setImmediate(() => {
      if (this.#count > 0) return;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const callback of waiting) callback();
    });
  }
}
