import { runsOf, SEARCHED_DESCRIPTION, SEARCHED_FIELD, searchedDescription } from '../words.ts';
import { withRoom } from './columns.ts';
import type { Dictionary } from './dictionary.ts';
import type { SearchedTexts } from './product-index.ts';
import { FIELDS } from './term-matches.ts';
import { HASH_OF_NOTHING, hashWith, type Slice } from './texts.ts';

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

export interface Words {
  readonly postings: Int32Array;
  readonly runs: readonly Run[];
}

/** The words of one product after another. */
export class ProductWords {
  readonly #dictionary: Dictionary;
  #postings = new Int32Array(64);
  /** Of each word, where it ends, and its hash. */
  #ends = new Int32Array(64);
  #hashes = new Int32Array(64);

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
  }

  /** The postings are those of this product until the next one is read. New words become known. @returns undefined where it lacks the texts that its runs are in */
  read(product: SearchedTexts): Words | undefined {
    if (!product.words) return { postings: this.#postings.subarray(0, 0), runs: [] };
    const { memory, begin } = product.words;
    const dictionary = this.#dictionary;
    const count = (uint16(memory, begin) << 16) | uint16(memory, begin + 2);
    this.#postings = withRoom(this.#postings, count);
    this.#ends = withRoom(this.#ends, count);
    this.#hashes = withRoom(this.#hashes, count);
    const postings = this.#postings;
    const ends = this.#ends;
    const hashes = this.#hashes;
    let at = begin + 4;
    // https://github.com/postgres/postgres/blob/master/src/backend/utils/adt/tsvector.c (tsvectorsend): text, zero, number of places, places in their order.
    for (let index = 0; index < count; index += 1) {
      let hash = HASH_OF_NOTHING;
      for (let byte = memory[at] as number; byte !== 0; byte = memory[at] as number) {
        hash = hashWith(hash, byte);
        at += 1;
      }
      ends[index] = at;
      hashes[index] = hash;
      at += 3 + uint16(memory, at + 1) * 2;
    }
    dictionary.readAhead(hashes, count, postings);
    let mayHaveRuns = false;
    at = begin + 4;
    for (let index = 0; index < count; index += 1) {
      mayHaveRuns ||= (memory[at] as number) >= FIRST_BYTE_OF_RUNS;
      const end = ends[index] as number;
      const places = uint16(memory, end + 1);
      // The first place is that of the best field.
      const weight = places === 0 ? 0 : uint16(memory, end + 3) >>> WEIGHT_SHIFT;
      const word = dictionary.numberOfHashed(memory, at, end, hashes[index] as number);
      postings[index] = (word << FIELD_BITS) | (BEST_WEIGHT - weight);
      at = end + 3 + places * 2;
    }
    if (mayHaveRuns && product.name === null) return undefined;
    return { postings: postings.subarray(0, count), runs: mayHaveRuns ? runsOfProduct(product) : [] };
  }
}

const uint16 = (memory: Uint8Array, at: number): number => ((memory[at] as number) << 8) | (memory[at + 1] as number);

const runsOfProduct = ({ name, brand, tags, subtitle, description }: SearchedTexts): Run[] => {
  const of = (field: (typeof FIELDS)[number], text: Slice | string | null, maxCharacters = SEARCHED_FIELD): Run[] =>
    runsOf(String(text ?? ''), maxCharacters).map((run) => ({ field: FIELDS.indexOf(field), text: run }));
  return [
    ...of('name', name),
    ...of('brand', brand),
    ...of('brand', tags.join(' ')),
    ...of('subtitle', subtitle),
    ...of('description', searchedDescription(String(description ?? '')), SEARCHED_DESCRIPTION),
  ];
};

/** Two hashes of 26 bits (FNV-1a with different beginnings), so that 52 bits fit exactly into a number. */
export const hashOf = ({ postings, runs }: Words): number => {
  let low = HASH_OF_NOTHING;
  let high = 0x050c5d1f;
  const add = (value: number): void => {
    low = hashWith(low, value);
    high = Math.imul(high ^ value, 0x01000197) ^ (high >>> 15);
  };
  for (const posting of postings) add(posting);
  for (const { field, text } of runs) {
    add(field);
    for (let index = 0; index < text.length; index += 1) add(text.charCodeAt(index));
  }
  return (low >>> 6) * 2 ** 26 + (high >>> 6);
};
