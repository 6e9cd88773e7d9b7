import { changesAllowed, changesBetween } from '../correction.ts';
import { countBefore, withRoom } from './columns.ts';

/** Up to this many new words are searched one by one; then they are sorted in. */
const MAX_UNSORTED = 500;

/** What a word takes beside its postings: its text as a string and in bytes, and its places in the sorted list and in that of hashes. */
const BYTES_PER_WORD = 72;

/** Every word that any product ever had, under a number. */
export class Dictionary {
  readonly words: string[] = [];
  /** In UTF-8, one after another, and where each ends. */
  #bytes = new Uint8Array(0);
  #ends = new Uint32Array(0);
  /** Numbers plus one by a hash of the word; 0 is empty. */
  #slots = new Int32Array(1024);
  /** Numbers in the order of their words, but for the latest. */
  #sorted = new Int32Array(0);

  get bytes(): number {
    return this.words.length * BYTES_PER_WORD + this.#sorted.byteLength;
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
    const number = this.words.length;
    const from = number === 0 ? 0 : (this.#ends[number - 1] as number);
    this.#bytes = withRoom(this.#bytes, from + end - begin);
    this.#bytes.set(bytes.subarray(begin, end), from);
    this.#ends = withRoom(this.#ends, number + 1);
    this.#ends[number] = from + end - begin;
    this.#slots[slot] = this.words.push(bytes.toString('utf8', begin, end));
    if (this.words.length * 2 > this.#slots.length) this.#rehash();
    return number;
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
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const number = (this.#slots[slot] as number) - 1;
      if (number < 0 || this.#isWord(number, bytes, begin, end)) return slot;
    }
  }

  #isWord(number: number, bytes: Uint8Array, begin: number, end: number): boolean {
    const own = this.#bytes;
    let from = number === 0 ? 0 : (this.#ends[number - 1] as number);
    if ((this.#ends[number] as number) - from !== end - begin) return false;
    for (let at = begin; at < end; at += 1) if (own[from++] !== bytes[at]) return false;
    return true;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (const number of this.words.keys()) {
      const begin = number === 0 ? 0 : (this.#ends[number - 1] as number);
      this.#slots[this.#slotOf(this.#bytes, begin, this.#ends[number] as number)] = number + 1;
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
