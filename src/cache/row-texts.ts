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
  // A chain, because most rows have one text: for the first element of an array V8 makes room for 17.
  #last: KeptText | undefined;
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
    const kept = this.#find(key);
    return kept?.lastChange === lastChange ? kept.text : undefined;
  }

  /** Those that were kept make room for a text that does not fit beside them. */
  keep(key: string, lastChange: number, text: string): void {
    if (text.length > this.#maxChars) return;
    const kept = this.#find(key);
    this.#chars += text.length - (kept?.text.length ?? 0);
    if (this.#chars > this.#maxChars) {
      this.#last = undefined;
      this.#chars = 0;
      this.keep(key, lastChange, text);
    } else if (kept) {
      kept.text = inOnePiece(text);
      kept.lastChange = lastChange;
    } else this.#last = { key, lastChange, text: inOnePiece(text), before: this.#last };
  }

  #find(key: string): KeptText | undefined {
    let kept = this.#last;
    while (kept && kept.key !== key) kept = kept.before;
    return kept;
  }
}

interface KeptText {
  readonly key: string;
  lastChange: number;
  text: string;
  readonly before: KeptText | undefined;
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
