import { FIELD_WEIGHTS } from '../browse-engine.ts';
import { withRoom } from './columns.ts';

/** Fields, as bits. Before each run stands its field: no character of a run has such a number. */
export const NAME = 1;
export const BRAND_OR_TAG = 2;
export const SUBTITLE = 4;
export const DESCRIPTION = 8;

/** By field. */
const WEIGHTS: number[] = [];
WEIGHTS[NAME] = FIELD_WEIGHTS.name;
WEIGHTS[BRAND_OR_TAG] = FIELD_WEIGHTS.brand;
WEIGHTS[SUBTITLE] = FIELD_WEIGHTS.subtitle;
WEIGHTS[DESCRIPTION] = FIELD_WEIGHTS.description;
const END = 0;

/**
 * The runs of Chinese, Japanese and Korean of each row that are longer than a piece: pieces say which characters follow each other in pairs, and not which
 * pairs do. Empty where no product has any.
 */
export class RunTexts {
  /** Of all rows, in their order: field, run, field, run, …, {@link END}. UTF-16 units. */
  #units = new Uint16Array(0);
  #length = 0;
  /** By row, where its runs begin; 0 where it has none. */
  #begins = new Uint32Array(0);

  get bytes(): number {
    return this.#units.byteLength + this.#begins.byteLength;
  }

  /** Adds the runs of a row that has none yet; rows come in their order. */
  append(row: number, runs: readonly { readonly field: number; readonly text: string }[]): void {
    if (runs.length === 0) return;
    this.#begins = withRoom(this.#begins, row + 1);
    this.#units = withRoom(this.#units, this.#length + runs.reduce((sum, { text }) => sum + text.length + 1, 2));
    const units = this.#units;
    let at = this.#length === 0 ? 1 : this.#length;
    this.#begins[row] = at;
    for (const { field, text } of runs) {
      units[at++] = field;
      for (let index = 0; index < text.length; index += 1) units[at++] = text.charCodeAt(index);
    }
    units[at++] = END;
    this.#length = at;
  }

  /** What the best field of the row is worth that has a part of a run in one piece; 0 where none has. */
  weightOf(row: number, part: string, fields: 'all' | 'names'): number {
    const units = this.#units;
    let at = this.#begins[row] ?? 0;
    let best = 0;
    if (at === 0) return best;
    let weight = 0;
    const first = part.charCodeAt(0);
    for (let unit = units[at] as number; unit !== END; unit = units[++at] as number) {
      if (unit < WEIGHTS.length) weight = fields === 'all' || unit === NAME ? (WEIGHTS[unit] as number) : 0;
      else if (unit === first && weight > best && this.#isAt(at, part)) best = weight;
    }
    return best;
  }

  /** @param newRows by the old number; ascending, and -1 for rows that are gone */
  renumber(newRows: Int32Array): void {
    const units = this.#units;
    const begins = this.#begins;
    let length = this.#length === 0 ? 0 : 1;
    for (let row = 0; row < begins.length; row += 1) {
      const begin = begins[row] as number;
      begins[row] = 0;
      const newRow = newRows[row] ?? -1;
      if (begin === 0 || newRow < 0) continue;
      const end = units.indexOf(END, begin) + 1;
      units.copyWithin(length, begin, end);
      begins[newRow] = length;
      length += end - begin;
    }
    this.#length = length;
  }

  #isAt(at: number, part: string): boolean {
    for (let index = 1; index < part.length; index += 1)
      if (this.#units[at + index] !== part.charCodeAt(index)) return false;
    return true;
  }
}
