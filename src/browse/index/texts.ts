import { withRoom } from './columns.ts';

/** A piece of memory that may change after the call: mostly a text in UTF-8. */
export class Slice {
  readonly memory: Uint8Array;
  readonly begin: number;
  readonly end: number;

  constructor(memory: Uint8Array, begin = 0, end = memory.length) {
    this.memory = memory;
    this.begin = begin;
    this.end = end;
  }

  static of(text: string): Slice {
    return new Slice(Buffer.from(text));
  }

  toString(): string {
    const { buffer, byteOffset } = this.memory;
    return Buffer.from(buffer, byteOffset + this.begin, this.end - this.begin).toString();
  }
}

/** FNV-1a, a byte or another number at a time. */
export const HASH_OF_NOTHING = 0x811c9dc5 | 0;
export const hashWith = (hash: number, value: number): number => Math.imul(hash ^ value, 0x01000193);

/** What a text takes as a string. */
const BYTES_PER_TEXT = 40;

/** The places of a slot: the number of a text plus one, 0 where there is none; where it begins and ends in the bytes; its hash. */
const [NUMBER, BEGIN, END, HASH, SLOT_SIZE] = [0, 1, 2, 3, 4] as const;
const MAX_SLOTS_USED = 0.7;

/** Texts, each under a number from 0. One that is known is found by its bytes: no string is made of it. */
export class Texts {
  readonly values: string[] = [];
  /** In UTF-8, one after another. */
  #bytes = new Uint8Array(0);
  #bytesUsed = 0;
  /** By a hash. */
  #slots = new Int32Array(64 * SLOT_SIZE);

  get bytes(): number {
    return this.values.length * BYTES_PER_TEXT + this.#bytes.byteLength + this.#slots.byteLength;
  }

  find(text: string): number | undefined {
    const bytes = Buffer.from(text);
    const number = this.#slots[this.#slotOf(bytes, 0, bytes.length, hashOf(bytes, 0, bytes.length)) + NUMBER] as number;
    // Text that is no Unicode has the bytes of another one.
    return this.values[number - 1] === text ? number - 1 : undefined;
  }

  /** The text becomes known. */
  numberOf({ memory, begin, end }: Slice): number {
    return this.numberOfBytes(memory, begin, end);
  }

  numberOfBytes(memory: Uint8Array, begin: number, end: number): number {
    return this.numberOfHashed(memory, begin, end, hashOf(memory, begin, end));
  }

  /** Reads for some hashes what is known of them, so that the processor has it near: it does not wait for one before it reads the next. */
  readAhead(hashes: Int32Array, count: number, into: Int32Array): void {
    const slots = this.#slots;
    const bytes = this.#bytes;
    const mask = slots.length - 1;
    for (let at = 0; at < count; at += 1) into[at] = slots[placeOf(hashes[at] as number, mask) + BEGIN] as number;
    for (let at = 0; at < count; at += 1) into[at] = bytes[into[at] as number] as number;
  }

  numberOfHashed(memory: Uint8Array, begin: number, end: number, hash: number): number {
    const slot = this.#slotOf(memory, begin, end, hash);
    const known = this.#slots[slot + NUMBER] as number;
    if (known !== 0) return known - 1;
    const from = this.#bytesUsed;
    this.#bytesUsed = from + end - begin;
    this.#bytes = withRoom(this.#bytes, this.#bytesUsed);
    this.#bytes.set(memory.subarray(begin, end), from);
    this.#slots.set([this.values.push(String(new Slice(memory, begin, end))), from, this.#bytesUsed, hash], slot);
    if (this.values.length * SLOT_SIZE > this.#slots.length * MAX_SLOTS_USED) this.#rehash();
    return this.values.length - 1;
  }

  /** Where a text is, or has its place. */
  #slotOf(memory: Uint8Array, begin: number, end: number, hash: number): number {
    const slots = this.#slots;
    const own = this.#bytes;
    const mask = slots.length - 1;
    for (let slot = placeOf(hash, mask); ; slot = (slot + SLOT_SIZE) & mask) {
      if (slots[slot + NUMBER] === 0) return slot;
      let at = slots[slot + BEGIN] as number;
      if (slots[slot + HASH] !== hash || (slots[slot + END] as number) - at !== end - begin) continue;
      let index = begin;
      while (index < end && own[at] === memory[index]) {
        index += 1;
        at += 1;
      }
      if (index === end) return slot;
    }
  }

  #rehash(): void {
    const old = this.#slots;
    const slots = new Int32Array(old.length * 2);
    const mask = slots.length - 1;
    for (let index = 0; index < old.length; index += SLOT_SIZE) {
      if (old[index + NUMBER] === 0) continue;
      let slot = placeOf(old[index + HASH] as number, mask);
      while (slots[slot + NUMBER] !== 0) slot = (slot + SLOT_SIZE) & mask;
      slots.set(old.subarray(index, index + SLOT_SIZE), slot);
    }
    this.#slots = slots;
  }
}

const placeOf = (hash: number, mask: number): number => ((hash ^ (hash >>> 15)) << 2) & mask;

const hashOf = (memory: Uint8Array, begin: number, end: number): number => {
  let hash = HASH_OF_NOTHING;
  for (let at = begin; at < end; at += 1) hash = hashWith(hash, memory[at] as number);
  return hash;
};

/** Numbers, each under another from 0. */
export class Numbers {
  readonly values: number[] = [];
  readonly #numbers = new Map<number, number>();

  get bytes(): number {
    return this.values.length * BYTES_PER_TEXT;
  }

  find(value: number): number | undefined {
    return this.#numbers.get(value);
  }

  numberOf(value: number): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.values.push(value) - 1;
      this.#numbers.set(value, number);
    }
    return number;
  }
}
