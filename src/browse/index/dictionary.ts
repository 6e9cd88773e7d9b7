import { changesAllowed, changesBetween } from '../correction.ts';
import { countBefore } from './columns.ts';
import { Texts } from './texts.ts';

/** Up to this many new words are searched one by one; then they are sorted in. */
const MAX_UNSORTED = 500;

/** Every word that any product ever had, under a number. */
export class Dictionary extends Texts {
  /** Numbers in the order of their words, but for the latest. */
  #sorted = new Int32Array(0);

  override get bytes(): number {
    return super.bytes + this.#sorted.byteLength;
  }

  beginningWith(prefix: string): number[] {
    this.#sortIn();
    const sorted = this.#sorted;
    const numbers: number[] = [];
    for (let at = this.#lowerBound(prefix); at < sorted.length; at += 1) {
      const number = sorted[at] as number;
      if (!this.values[number]?.startsWith(prefix)) break;
      numbers.push(number);
    }
    for (let number = sorted.length; number < this.values.length; number += 1)
      if (this.values[number]?.startsWith(prefix)) numbers.push(number);
    return numbers;
  }

  /** The numbers of words that are as near to one as a correction may be, with how many letters are changed. */
  *near(word: string): Generator<{ readonly word: number; readonly changes: number }> {
    if (changesAllowed(word) === 0) return;
    for (const [number, candidate] of this.values.entries()) {
      const changes = changesBetween(word, candidate);
      if (changes !== undefined) yield { word: number, changes };
    }
  }

  #lowerBound(word: string): number {
    return countBefore(this.#sorted.length, (at) => (this.values[this.#sorted[at] as number] as string) < word);
  }

  #sortIn(): void {
    const { values: words } = this;
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
