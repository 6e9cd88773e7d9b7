/** Memory that one question after another uses: fresh arrays of a byte for each product would be megabytes of garbage for each question. */
export class Scratch {
  readonly #bytes = new Map<string, Uint8Array<ArrayBuffer>>();
  #rows = new Int32Array(0);
  #numbers: Uint32Array | Float64Array = new Uint32Array(0);

  get bytes(): number {
    const others = this.#rows.byteLength + this.#numbers.byteLength;
    return this.#bytes.values().reduce((sum, { byteLength }) => sum + byteLength, others);
  }

  /** Zeros, at least as many as `length`. They are the caller's until the next call with the same name. */
  zeroed(name: 'scores' | 'best' | 'tags', length: number): Uint8Array {
    const kept = this.#bytes.get(name);
    if (kept && kept.length >= length) return kept.fill(0, 0, length);
    const made = new Uint8Array(length + (length >>> 3));
    this.#bytes.set(name, made);
    return made;
  }

  /** Room for `length` rows, the caller's until the next call. */
  rows(length: number): Int32Array {
    if (this.#rows.length < length) this.#rows = new Int32Array(length + (length >>> 3));
    return this.#rows;
  }

  /** Room for `length` numbers of the kind that a column has, the caller's until the next call. */
  like(column: Uint32Array | Float64Array, length: number): Uint32Array | Float64Array {
    if (this.#numbers.constructor !== column.constructor || this.#numbers.length < length)
      this.#numbers =
        column instanceof Uint32Array
          ? new Uint32Array(length + (length >>> 3))
          : new Float64Array(length + (length >>> 3));
    return this.#numbers;
  }
}
