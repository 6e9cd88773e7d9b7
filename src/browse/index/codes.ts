import { TopSales } from './top-sales.ts';

/** Values that many products share, each under a small number. */
export class Codes<Value extends string | number> {
  readonly values: Value[] = [];
  /** By code, the words of the text with a space before and after each. */
  readonly folded: string[] = [];
  /** By code. */
  readonly topSales = new TopSales();
  /** All of {@link folded}; undefined where it lacks the latest. */
  #allFolded: string | undefined;
  readonly #codes = new Map<Value, number>();
  readonly #fold: ((value: Value) => string) | undefined;

  /** @param fold for texts that suggestions look for words in */
  constructor(fold?: (value: Value) => string) {
    this.#fold = fold;
  }

  /** Undefined: no product ever had the value. */
  find(value: Value): number | undefined {
    return this.#codes.get(value);
  }

  codeOf(value: Value): number {
    let code = this.#codes.get(value);
    if (code === undefined) {
      code = this.values.length;
      this.values.push(value);
      this.#codes.set(value, code);
      if (this.#fold) {
        this.folded.push(this.#fold(value));
        this.#allFolded = undefined;
      }
    }
    return code;
  }

  /** Whether any of {@link folded} has a text: one look through one long text, where most of what is typed is in none. */
  isFolded(text: string): boolean {
    this.#allFolded ??= this.folded.join('\n');
    return this.#allFolded.includes(text);
  }

  /** Estimated: an entry of a map and of a list, and texts of usual length. */
  get bytes(): number {
    return this.values.length * (this.#fold ? 170 : 60) + this.topSales.bytes;
  }
}
