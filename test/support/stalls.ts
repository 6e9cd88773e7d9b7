/** Adds up for how long this process was held up, by a busy machine or by itself: what a test measures of it took so much less. */
export class Stalls {
  static readonly #TICK_MS = 5;
  #ms = 0;
  #tickMs = performance.now();
  readonly #timer = setInterval(() => this.#tick(), Stalls.#TICK_MS);

  #tick(): void {
    const nowMs = performance.now();
    this.#ms += Math.max(0, nowMs - this.#tickMs - Stalls.#TICK_MS);
    this.#tickMs = nowMs;
  }

  /** Milliseconds since it began. */
  ms(): number {
    this.#tick();
    return this.#ms;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
