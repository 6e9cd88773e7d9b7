import { runsOf, SEARCHED_DESCRIPTION, SEARCHED_FIELD, searchedDescription } from '../words.ts';
import { withRoom } from './columns.ts';
import type { Dictionary } from './dictionary.ts';
import type { ProductRow } from './product-index.ts';
import { FIELDS } from './term-matches.ts';

/** The first byte of each Chinese, Japanese or Korean character in UTF-8 is not below. */
const FIRST_BYTE_OF_RUNS = 0xe1;

/** The two highest bits of a place in a `tsvector` are its weight: 3 for A, the name. */
const WEIGHT_SHIFT = 14;
const BEST_WEIGHT = 3;

const FIELD_BITS = 2;

/** A posting is the number of a word and the best field that has the word. */
export const fieldOf = (posting: number): number => posting & (2 ** FIELD_BITS - 1);
export const wordOf = (posting: number): number => posting >>> FIELD_BITS;

/** A long run of Chinese, Japanese or Korean in a field. */
export interface Run {
  readonly field: number;
  readonly text: string;
}

/** The words of one product after another. */
export class ProductWords {
  readonly #dictionary: Dictionary;
  #postings = new Int32Array(64);

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
  }

  /** The postings are those of this product until the next one is read. New words become known. */
  read(product: ProductRow): { readonly postings: Int32Array; readonly runs: readonly Run[] } {
    const { words: bytes } = product;
    if (!bytes) return { postings: this.#postings.subarray(0, 0), runs: [] };
    const count = bytes.readInt32BE(0);
    const postings = withRoom(this.#postings, count);
    this.#postings = postings;
    let mayHaveRuns = false;
    let at = 4;
    // https://github.com/postgres/postgres/blob/master/src/backend/utils/adt/tsvector.c (tsvectorsend): text, zero, number of places, places in their order.
    for (let index = 0; index < count; index += 1) {
      const end = bytes.indexOf(0, at);
      mayHaveRuns ||= (bytes[at] as number) >= FIRST_BYTE_OF_RUNS;
      const places = bytes.readUInt16BE(end + 1);
      // The first place is that of the best field.
      const weight = places === 0 ? 0 : bytes.readUInt16BE(end + 3) >>> WEIGHT_SHIFT;
      postings[index] = (this.#dictionary.numberOf(bytes, at, end) << FIELD_BITS) | (BEST_WEIGHT - weight);
      at = end + 3 + places * 2;
    }
    return { postings: postings.subarray(0, count), runs: mayHaveRuns ? runsOfProduct(product) : [] };
  }
}

const runsOfProduct = ({ name, brand, tags, subtitle, description }: ProductRow): Run[] => {
  const of = (field: (typeof FIELDS)[number], text: string | null, maxCharacters = SEARCHED_FIELD): Run[] =>
    runsOf(text ?? '', maxCharacters).map((run) => ({ field: FIELDS.indexOf(field), text: run }));
  return [
    ...of('name', name),
    ...of('brand', brand),
    ...of('brand', tags.join(' ')),
    ...of('subtitle', subtitle),
    ...of('description', searchedDescription(description ?? ''), SEARCHED_DESCRIPTION),
  ];
};

/** Two hashes of 26 bits (FNV-1a with different beginnings), so that 52 bits fit exactly into a number. */
export const hashOf = (postings: Int32Array, runs: readonly Run[]): number => {
  let low = 0x811c9dc5;
  let high = 0x050c5d1f;
  const add = (value: number): void => {
    low = Math.imul(low ^ value, 0x01000193);
    high = Math.imul(high ^ value, 0x01000197) ^ (high >>> 15);
  };
  for (const posting of postings) add(posting);
  for (const { field, text } of runs) {
    add(field);
    for (let index = 0; index < text.length; index += 1) add(text.charCodeAt(index));
  }
  return (low >>> 6) * 2 ** 26 + (high >>> 6);
};
