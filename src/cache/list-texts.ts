import { inOnePiece } from '../fast-path/own-memory.ts';

/** The JSON of the items of one list of known rows, for several selections. That of fewer items is a part of it. */
export class ListTexts {
  readonly #maxChars: number;
  readonly #texts: ListText[] = [];

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** That of the first items, with commas in between. @param lastChange of the tables that the rows refer to */
  find(key: string, lastChange: number, count: number): string | undefined {
    const known = this.#texts.find((each) => each.key === key);
    if (!known || known.lastChange !== lastChange || known.ends.length < count) return undefined;
    return count === 0 ? '' : known.text.slice(0, known.ends[count - 1]);
  }

  /** @param ends where the text of each item ends */
  keep(key: string, lastChange: number, text: string, ends: readonly number[]): void {
    const others = this.#texts.filter((each) => each.key !== key);
    const chars = others.reduce((sum, each) => sum + each.text.length, text.length);
    this.#texts.length = 0;
    if (chars <= this.#maxChars) this.#texts.push(...others);
    if (text.length <= this.#maxChars) this.#texts.push({ key, lastChange, text: inOnePiece(text), ends });
  }
}

interface ListText {
  readonly key: string;
  readonly lastChange: number;
  readonly text: string;
  readonly ends: readonly number[];
}

const TEXTS = Symbol('texts');

interface WithTexts {
  [TEXTS]?: ListTexts;
}

/** Those of a list of known rows: of any other array there are none. */
export const listTextsOf = (items: readonly unknown[]): ListTexts | undefined => (items as WithTexts)[TEXTS];

export const withListTexts = <Item>(items: Item[], texts: ListTexts): Item[] => {
  (items as WithTexts)[TEXTS] = texts;
  return items;
};
