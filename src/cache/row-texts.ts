/** The JSON of selections of one known row, as far as it depends on the row alone. A response is put together from them. */
export class RowTexts {
  readonly #row: object;
  readonly #maxChars: number;
  readonly #keys: string[] = [];
  readonly #texts: string[] = [];
  #chars = 0;

  constructor(row: object, maxChars: number) {
    this.#row = row;
    this.#maxChars = maxChars;
  }

  isOf(row: object): boolean {
    return this.#row === row;
  }

  find(key: string): string | undefined {
    // Few: a loop is quicker than a map, and takes less memory.
    for (let index = 0; index < this.#keys.length; index += 1) if (this.#keys[index] === key) return this.#texts[index];
    return undefined;
  }

  /** Those that were kept make room for a text that does not fit beside them. */
  keep(key: string, text: string): void {
    if (text.length > this.#maxChars) return;
    if (this.#chars + text.length > this.#maxChars) {
      this.#keys.length = 0;
      this.#texts.length = 0;
      this.#chars = 0;
    }
    // V8 keeps a text that was put together as a tree of its parts; reading a character makes it one.
    text.charCodeAt(0);
    this.#keys.push(key);
    this.#texts.push(text);
    this.#chars += text.length;
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
