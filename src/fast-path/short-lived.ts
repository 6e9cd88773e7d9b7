/**
 * Values by texts, each for a short time. No Map and no Set: whenever one has made room, by growing, shrinking or after deletions, V8 lets its last
 * table refer to the next (Node 24). Once one of them is in the old generation, all later ones outlive every collection of young garbage, with the keys and values
 * in them.
 */
export class ShortLived<Value> {
  // One alone, as where requests are answered one after another, is not put among the others: V8 would intern its key.
  #latestKey: string | undefined;
  #latest: Value | undefined;
  readonly #others: Record<string, Value | undefined> = Object.create(null);
  #otherCount = 0;

  get(key: string): Value | undefined {
    if (key === this.#latestKey) return this.#latest;
    return this.#otherCount > 0 ? this.#others[key] : undefined;
  }

  set(key: string, value: Value): void {
    const latestKey = this.#latestKey;
    this.delete(key);
    if (latestKey !== undefined && latestKey !== key) {
      this.#others[latestKey] = this.#latest;
      this.#otherCount += 1;
    }
    this.#latestKey = key;
    this.#latest = value;
  }

  delete(key: string): void {
    if (key === this.#latestKey) {
      this.#latestKey = undefined;
      this.#latest = undefined;
    } else if (this.#otherCount > 0 && this.#others[key] !== undefined) {
      delete this.#others[key];
      this.#otherCount -= 1;
    }
  }
}
