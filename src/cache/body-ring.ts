/** Bodies in one buffer outside of V8's heap, where the garbage collector has nothing to copy: what is written overwrites the oldest. */
export interface BodyRing {
  /** @param body one character for each byte @returns where it is, for {@link BodyRing.read} */
  readonly write: (body: string) => number;
  /** The bytes, which are overwritten later. Undefined where they are already. */
  readonly read: (at: number, byteLength: number) => Buffer | undefined;
}

/** @param capacity in bytes; no body may be longer */
export const createBodyRing = (capacity: number): BodyRing => {
  // The system gives it memory only as it is written.
  const bytes = Buffer.allocUnsafeSlow(capacity);
  /** Of all that was ever written. */
  let end = 0;
  return {
    write: (body) => {
      // In one piece.
      const left = capacity - (end % capacity);
      const at = body.length > left ? end + left : end;
      bytes.write(body, at % capacity, 'latin1');
      end = at + body.length;
      return at;
    },
    read: (at, byteLength) => {
      const start = at % capacity;
      return end <= at + capacity ? bytes.subarray(start, start + byteLength) : undefined;
    },
  };
};
