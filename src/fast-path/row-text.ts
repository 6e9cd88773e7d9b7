import { heapBytesOf } from './own-memory.ts';

/** One column as PostgreSQL wrote it. */
export type Text = string | null;

/**
 * The columns of a row, one after another in one string: as strings of their own they would be copied one by one by the collections of garbage that they
 * outlive, while they wait for the rest of their response.
 */
export class RowText {
  readonly #text: string;
  /** Where each column ends, or for a null the complement of where its text would. The text of the next one begins {@link GAP} characters later. */
  readonly #ends: readonly number[];

  constructor(text: string, ends: readonly number[]) {
    this.#text = text;
    this.#ends = ends;
  }

  /** Of its characters. */
  get heapBytes(): number {
    return heapBytesOf(this.#text);
  }

  column(index: number): Text {
    const end = this.#ends[index];
    if (end === undefined || end < 0) return null;
    const last = index > 0 ? (this.#ends[index - 1] as number) : 0;
    return this.#text.slice((last < 0 ? ~last : last) + GAP, end);
  }

  /** The same row with other texts in some columns. */
  with(texts: ReadonlyMap<number | undefined, Text>): RowText {
    return joinColumns(
      this.#ends.map((_, index) => texts.get(index) ?? (texts.has(index) ? null : this.column(index))),
    );
  }
}

/** Before each column, as in a message of PostgreSQL, where its length stands there. */
export const GAP = 4;

const FILLED_GAP = '\0'.repeat(GAP);

export const joinColumns = (columns: readonly Text[]): RowText => {
  let end = 0;
  const ends = columns.map((column) => {
    end += GAP + (column?.length ?? 0);
    return column === null ? ~end : end;
  });
  return new RowText(['', ...columns].join(FILLED_GAP), ends);
};
