import { changesAllowed, changesBetween } from '../correction.ts';
import { countBefore, withRoom } from './columns.ts';

/** Up to this many new words are searched one by one; then they are sorted in. */
const MAX_UNSORTED = 500;

/** What the text of a word takes as a string. */
const BYTES_PER_WORD = 40;

/** Every word that any product ever had, under a number. */
export class Dictionary {
  readonly words: string[] = [];
  /** In UTF-8, one after another, each with its length in two bytes before it. */
  #bytes = new Uint8Array(0);
  #bytesUsed = 0;
  /** By a hash of the word, in pairs: its number plus one, 0 where there is none, and where it is in the bytes. */
  #slots = new Int32Array(2048);
  /** Numbers in the order of their words, but for the latest. */
  #sorted = new Int32Array(0);

  get bytes(): number {
    return (
      this.words.length * BYTES_PER_WORD + this.#bytes.byteLength + this.#slots.byteLength + this.#sorted.byteLength
    );
  }

  find(word: string): number | undefined {
    const bytes = Buffer.from(word);
    const number = this.#slots[this.#slotOf(bytes, 0, bytes.length)] as number;
    return number === 0 ? undefined : number - 1;
  }

  /** Of the word that is between two places of some bytes, and becomes known. */
  numberOf(bytes: Buffer, begin: number, end: number): number {
    const slot = this.#slotOf(bytes, begin, end);
    const known = this.#slots[slot] as number;
    if (known !== 0) return known - 1;
    const length = end - begin;
    const at = this.#bytesUsed;
    this.#bytesUsed = at + 2 + length;
    this.#bytes = withRoom(this.#bytes, this.#bytesUsed);
    this.#bytes[at] = length >>> 8;
    this.#bytes[at + 1] = length;
    this.#bytes.set(bytes.subarray(begin, end), at + 2);
    this.#slots[slot] = this.words.push(bytes.toString('utf8', begin, end));
    this.#slots[slot + 1] = at;
    if (this.words.length * 4 > this.#slots.length) this.#rehash();
    return this.words.length - 1;
  }

  beginningWith(prefix: string): number[] {
    this.#sortIn();
    const sorted = this.#sorted;
    const numbers: number[] = [];
    for (let at = this.#lowerBound(prefix); at < sorted.length; at += 1) {
      const number = sorted[at] as number;
      if (!this.words[number]?.startsWith(prefix)) break;
      numbers.push(number);
    }
    for (let number = sorted.length; number < this.words.length; number += 1)
      if (this.words[number]?.startsWith(prefix)) numbers.push(number);
    return numbers;
  }

  /** The numbers of words that are as near to one as a correction may be, with how many letters are changed. */
  *near(word: string): Generator<{ readonly word: number; readonly changes: number }> {
    if (changesAllowed(word) === 0) return;
    for (const [number, candidate] of this.words.entries()) {
      const changes = changesBetween(word, candidate);
      if (changes !== undefined) yield { word: number, changes };
    }
  }

  /** Where a word is, or has its place. */
  #slotOf(bytes: Uint8Array, begin: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let at = begin; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    const mask = this.#slots.length - 1;
    for (let slot = (hash ^ (hash >>> 15)) << 1; ; slot += 2) {
      slot &= mask;
      if (this.#slots[slot] === 0 || this.#isWordAt(this.#slots[slot + 1] as number, bytes, begin, end)) return slot;
    }
  }

  #isWordAt(at: number, bytes: Uint8Array, begin: number, end: number): boolean {
    const own = this.#bytes;
    if ((((own[at] as number) << 8) | (own[at + 1] as number)) !== end - begin) return false;
    for (let index = begin, other = at + 2; index < end; index += 1, other += 1)
      if (own[other] !== bytes[index]) return false;
    return true;
  }

  #rehash(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    for (let index = 0; index < old.length; index += 2) {
      if (old[index] === 0) continue;
      const at = old[index + 1] as number;
      const length = ((this.#bytes[at] as number) << 8) | (this.#bytes[at + 1] as number);
      const slot = this.#slotOf(this.#bytes, at + 2, at + 2 + length);
      this.#slots.set(old.subarray(index, index + 2), slot);
    }
  }

  #lowerBound(word: string): number {
    return countBefore(this.#sorted.length, (at) => (this.words[this.#sorted[at] as number] as string) < word);
  }

  #sortIn(): void {
    const { words } = this;
    const sortedCount = this.#sorted.length;
    if (words.length - sortedCount <= MAX_UNSORTED) return;
    const byWord = (a: number, b: number): number => ((words[a] as string) < (words[b] as string) ? -1 : 1);
    const latest = Int32Array.from({ length: words.length - sortedCount }, (_, index) => sortedCount + index).sort(
      byWord,
    );
    const merged = new Int32Array(words.length);
    let left = 0;
    let right = 0;
    for (let at = 0; at < merged.length; at += 1) {
      const takesLeft =
        right === latest.length ||
        (left < sortedCount && byWord(this.#sorted[left] as number, latest[right] as number) < 0);
      merged[at] = (takesLeft ? this.#sorted[left++] : latest[right++]) as number;
    }
    this.#sorted = merged;
  }
}
