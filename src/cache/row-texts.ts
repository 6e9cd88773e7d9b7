import { inOnePiece } from '../fast-path/own-memory.ts';

/** Of a text that depends on the row alone. */
export const ROW_ALONE = -1;

/**
 * The JSON of selections of one known row, as far as it depends on the row, or also on rows that it refers to: then on their tables too, and
 * each text has the number of the last change of these. A response is put together from them.
 */
export class RowTexts {
  readonly #row: object;
  readonly #maxChars: number;
  readonly #keys: string[] = [];
  readonly #texts: string[] = [];
  readonly #changes: number[] = [];
  #chars = 0;

  constructor(row: object, maxChars: number) {
    this.#row = row;
    this.#maxChars = maxChars;
  }

  isOf(row: object): boolean {
    return this.#row === row;
  }

  /** @param lastChange of the tables that the row refers to, or {@link ROW_ALONE} */
  find(key: string, lastChange: number): string | undefined {
    // Few: a loop is quicker than a map, and takes less memory.
    for (let index = 0; index < this.#keys.length; index += 1) {
      if (this.#keys[index] === key && this.#changes[index] === lastChange) return this.#texts[index];
    }
    return undefined;
  }

  /** Those that were kept make room for a text that does not fit beside them. */
  keep(key: string, lastChange: number, text: string): void {
    if (text.length > this.#maxChars) return;
    const old = this.#keys.indexOf(key);
    const index = old < 0 ? this.#keys.length : old;
    this.#chars += text.length - (this.#texts[index]?.length ?? 0);
    if (this.#chars > this.#maxChars) {
      this.#keys.length = 0;
      this.#texts.length = 0;
      this.#changes.length = 0;
      this.#chars = 0;
      this.keep(key, lastChange, text);
      return;
    }
    this.#keys[index] = key;
    this.#texts[index] = inOnePiece(text);
    this.#changes[index] = lastChange;
  }
}

const TEXTS = Symbol('texts');

interface WithTexts {
  [TEXTS]?: RowTexts;
}

/** Those of a row that is known: of any other object there are none. */
export const textsOf = (row: object): RowTexts | undefined => {
  const texts = (row as WithTexts)[TEXTS];
  // A copy of a row has other values.
  return texts?.isOf(row) ? texts : undefined;
};

/** @param maxChars of all texts together */
export const giveTexts = (row: object, maxChars: number): void => {
  (row as WithTexts)[TEXTS] = new RowTexts(row, maxChars);
};
