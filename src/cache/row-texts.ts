import { heapBytesOf, inOnePiece } from '../fast-path/own-memory.ts';

/** Of a text that depends on the row alone. */
export const ROW_ALONE = -1;

/** The memory that rows and their texts share. */
export interface TextsMemory {
  /** Whether much of it is free. */
  readonly hasRoom: () => boolean;
  /** Told how many bytes more, or fewer, the texts of a row take than before. */
  readonly changed: (row: object, bytes: number) => void;
}

/**
 * The JSON of selections of one known row, as far as it depends on the row, or also on rows that it refers to: then on their tables too, and
 * each text has the number of the last change of these. A response is put together from them.
 */
export class RowTexts {
  readonly #row: object;
  readonly #maxBytes: number;
  readonly #memory: TextsMemory;
  // A chain, because most rows have one text: for the first element of an array V8 makes room for 17.
  #last: KeptText | undefined;
  #bytes = 0;
  // The key itself would keep as many characters as the selection has.
  #asked: number | undefined;

  constructor(row: object, maxBytes: number, memory: TextsMemory) {
    this.#row = row;
    this.#maxBytes = maxBytes;
    this.#memory = memory;
  }

  isOf(row: object): boolean {
    return this.#row === row;
  }

  /** @param lastChange of the tables that the row refers to, or {@link ROW_ALONE} */
  find(key: string, lastChange: number): string | undefined {
    const kept = this.#find(key);
    return kept?.lastChange === lastChange ? kept.text : undefined;
  }

  /**
   * Whether a text that is not found is to be kept: where memory is short, only once it is asked for again. Most are part of one response, which is
   * kept itself, and a product takes 1.4 kB without and 2.4 kB with it.
   * @param keyNumber the key as a number, which two keys may share: then a text is kept too early
   */
  isWanted(keyNumber: number): boolean {
    if (this.#asked === keyNumber || this.#memory.hasRoom()) return true;
    this.#asked = keyNumber;
    return false;
  }

  /** Those that were kept make room for a text that does not fit beside them. */
  keep(key: string, lastChange: number, written: string): void {
    const text = inOnePiece(written);
    const bytes = TEXT_OVERHEAD_BYTES + heapBytesOf(text);
    if (bytes > this.#maxBytes) return;
    const bytesBefore = this.#bytes;
    let kept = this.#find(key);
    this.#bytes += bytes - (kept?.bytes ?? 0);
    if (this.#bytes > this.#maxBytes) {
      this.#last = undefined;
      this.#bytes = bytes;
      kept = undefined;
    }
    if (kept) {
      kept.lastChange = lastChange;
      kept.text = text;
      kept.bytes = bytes;
    } else this.#last = { key, lastChange, text, bytes, before: this.#last };
    this.#memory.changed(this.#row, this.#bytes - bytesBefore);
  }

  #find(key: string): KeptText | undefined {
    let kept = this.#last;
    while (kept && kept.key !== key) kept = kept.before;
    return kept;
  }
}

/** Beside its characters. */
const TEXT_OVERHEAD_BYTES = 90;

interface KeptText {
  readonly key: string;
  lastChange: number;
  text: string;
  bytes: number;
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

/** @param maxBytes of all texts together */
export const giveTexts = (row: object, maxBytes: number, memory: TextsMemory): void => {
  (row as WithTexts)[TEXTS] = new RowTexts(row, maxBytes, memory);
};
