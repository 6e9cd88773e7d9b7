import { CODE_SCORE, FIELD_WEIGHTS, type SearchTerm } from '../browse-engine.ts';
import { piecesOfTerm } from '../words.ts';
import { Postings } from './row-set.ts';
import { countBefore, Slice, withRoom } from './rows.ts';

/** Of the fields that words are in, the best first. */
const WEIGHTS: readonly number[] = Object.values(FIELD_WEIGHTS);

/** The rows that have all terms, dead ones among them. */
interface Matches {
  /** Ascending. */
  readonly rows: Int32Array;
  /** By row, the sum over the terms of what the best field is worth that has the term; 0 where one of them is in no field. */
  readonly scores: Uint8Array;
}

/** Names alone are for the beginnings of what somebody types. */
type SearchedFields = 'all' | 'names';

interface TermPostings {
  readonly postings: readonly number[];
  /** How many rows have them, those that have several of them several times. */
  readonly count: number;
  /** What such a row must have in one piece, too. */
  readonly run?: string;
}

/** The words of products: a word of a field is a set of rows, as a trait is. */
export class Words {
  /** Every word that any product ever had. */
  readonly dictionary = new Texts();
  /** By posting, the products of which that is the best field that has the word. */
  readonly rows = new Postings();
  /** By row, its longer runs of Chinese, Japanese and Korean: pieces say which characters follow each other in pairs alone. */
  #runs = new Map<number, string>();
  #runBytes = 0;
  /** The postings of the product that was read last; of each of its words, where it ends, and its hash. */
  #postings = new Int32Array(64);
  #ends = new Int32Array(64);
  #hashes = new Int32Array(64);

  get bytes(): number {
    return this.dictionary.bytes + this.rows.bytes + this.#runBytes;
  }

  /** Gives words to a row that has none; into one row after another. */
  append(row: number, { postings, runs }: WordsOfProduct): void {
    for (let at = 0; at < postings.length; at += 1) this.rows.append(postings[at] as number, row);
    if (runs !== '') this.#addRuns(row, runs);
  }

  renumber(newRows: Int32Array): void {
    this.rows.renumber(newRows);
    const runs = this.#runs;
    this.#runs = new Map();
    this.#runBytes = 0;
    for (const [row, text] of runs) if ((newRows[row] as number) >= 0) this.#addRuns(newRows[row] as number, text);
  }

  #addRuns(row: number, runs: string): void {
    this.#runs.set(row, runs);
    this.#runBytes += runs.length * 2 + BYTES_PER_TEXT;
  }

  /** What the best field of the row is worth that has a part of a run in one piece; 0 where none has. */
  #weightOfRun(row: number, part: string, fields: SearchedFields): number {
    const runs = this.#runs.get(row) ?? '';
    const at = runs.indexOf(part);
    // The first place is in the best field.
    const field = runs.slice(0, at).split(END_OF_FIELD).length - 1;
    return at >= 0 && (fields === 'all' || field === 0) ? (WEIGHTS[field] as number) : 0;
  }

  /** How many rows the rarest term has: no more have all terms. */
  countAtMost(terms: readonly SearchTerm[], fields: SearchedFields): number {
    return Math.min(...terms.map((term) => this.#postingsOf(term, fields).count));
  }

  /** How many of some rows have a word. */
  countOf(word: string, isWanted: (row: number) => boolean): number {
    let count = 0;
    for (const posting of this.#postingsOf({ text: word, isPrefix: false }, 'all').postings)
      for (const row of this.rows.read(posting)) count += Number(isWanted(row));
    return count;
  }

  /**
   * @param count of all rows
   * @param codeRows rows that are found whether they have the terms or not, with the highest score
   */
  match(
    terms: readonly SearchTerm[],
    fields: SearchedFields,
    count: number,
    codeRows: readonly number[] = [],
  ): Matches {
    const all = terms.map((term) => this.#postingsOf(term, fields));
    const scores = new Uint8Array(count);
    let rows: Int32Array | undefined;
    for (const { postings, run, count: most } of all.sort(rarestFirst)) {
      // No row has all terms: those of the others may be very many.
      if (most === 0 || rows?.length === 0) break;
      const best = bytesOf(count);
      for (const posting of postings) raise(best, this.rows.read(posting), WEIGHTS[fieldOf(posting)] as number);
      const candidates = rows ?? rowsWith(best, Math.min(most, count));
      let kept = 0;
      for (let at = 0; at < candidates.length; at += 1) {
        const row = candidates[at] as number;
        const ofWord = best[row] as number;
        const score = run === undefined || ofWord === 0 ? ofWord : this.#weightOfRun(row, run, fields);
        candidates[kept] = row;
        kept += Number(score > 0);
        scores[row] = score === 0 ? 0 : (scores[row] as number) + score;
      }
      rows = candidates.subarray(0, kept);
    }
    const others = codeRows.filter((row) => scores[row] === 0);
    for (const row of codeRows) scores[row] = CODE_SCORE;
    if (rows && others.length === 0) return { rows, scores };
    return { rows: Int32Array.from([...(rows ?? []), ...new Set(others)]).sort(), scores };
  }

  #postingsOf(term: SearchTerm, fields: SearchedFields): TermPostings {
    const fieldCount = fields === 'all' ? WEIGHTS.length : 1;
    const counted = (words: readonly number[]): TermPostings => {
      const postings: number[] = [];
      let count = 0;
      for (const word of words)
        for (let field = 0; field < fieldCount; field += 1) {
          const posting = (word << FIELD_BITS) | field;
          const rows = this.rows.countOf(posting);
          if (rows > 0) postings.push(posting);
          count += rows;
        }
      return { postings, count };
    };
    const exactly = (text: string): TermPostings => {
      const word = this.dictionary.find(text);
      return counted(word === undefined ? [] : [word]);
    };
    if (term.isPrefix) return counted(this.dictionary.beginningWith(term.text));
    const [rarest = counted([]), ...others] = piecesOfTerm(term).map(exactly).sort(rarestFirst);
    return others.length === 0 ? rarest : { ...rarest, run: term.text };
  }

  /** The postings are those of this product until the next one is read. New words become known. */
  read(words: Slice | null): WordsOfProduct {
    if (!words) return { postings: this.#postings.subarray(0, 0), runs: '' };
    const { memory, begin } = words;
    const count = (uint16(memory, begin) << 16) | uint16(memory, begin + 2);
    this.#postings = withRoom(this.#postings, count);
    this.#ends = withRoom(this.#ends, count);
    this.#hashes = withRoom(this.#hashes, count);
    const postings = this.#postings;
    const ends = this.#ends;
    const hashes = this.#hashes;
    // https://github.com/postgres/postgres/blob/master/src/backend/utils/adt/tsvector.c (tsvectorsend): text, zero, number of places, places in their
    // order.
    for (let index = 0, at = begin + 4; index < count; index += 1) {
      let hash = HASH_OF_NOTHING;
      for (let byte = memory[at] as number; byte !== 0; byte = memory[at] as number) {
        hash = hashWith(hash, byte);
        at += 1;
      }
      ends[index] = at;
      hashes[index] = hash;
      at += 3 + uint16(memory, at + 1) * 2;
    }
    this.dictionary.readAhead(hashes, count, postings);
    const pieces: Piece[] = [];
    let length = 0;
    for (let index = 0, at = begin + 4; index < count; index += 1) {
      const first = memory[at] as number;
      const end = ends[index] as number;
      const places = uint16(memory, end + 1);
      if (first !== MARK) {
        const word = this.dictionary.numberOfHashed(memory, at, end, hashes[index] as number);
        // The first place is that of the best field.
        const field = places === 0 ? WEIGHTS.length - 1 : fieldOfPlace(uint16(memory, end + 3));
        postings[length] = (word << FIELD_BITS) | field;
        length += 1;
        if (first >= FIRST_BYTE_OF_RUNS)
          for (let place = 0; place < places; place += 1)
            pieces.push({
              text: this.dictionary.values[word] as string,
              place: uint16(memory, end + 3 + place * 2),
            });
      }
      at = end + 3 + places * 2;
    }
    return { postings: this.#postings.subarray(0, length), runs: pieces.length === 0 ? '' : runsOf(pieces) };
  }
}

const rarestFirst = (one: TermPostings, other: TermPostings): number => one.count - other.count;

/** Raises the scores of some rows to a weight, where they are less. */
const raise = (scores: Uint8Array, rows: Int32Array, weight: number): void => {
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number;
    if ((scores[row] as number) < weight) scores[row] = weight;
  }
};

/** Four of them can be read at once. */
const bytesOf = (count: number): Uint8Array => new Uint8Array(new ArrayBuffer((count + 3) & ~3), 0, count);

/** The rows whose bytes are not 0, in their order. @param most no more there are */
const rowsWith = (bytes: Uint8Array, most: number): Int32Array => {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, Math.ceil(bytes.length / 4));
  // One more is written, and not counted.
  const rows = new Int32Array(most + 1);
  let length = 0;
  for (let word = 0; word < words.length; word += 1) {
    if (words[word] === 0) continue;
    for (let at = word * 4; at < word * 4 + 4; at += 1) {
      rows[length] = at;
      length += Number((bytes[at] ?? 0) !== 0);
    }
  }
  return rows.subarray(0, length);
};

/** `=`: what begins so is no word, but says the language of the others. */
const MARK = 0x3d;

/** The first byte of each Chinese, Japanese or Korean character in UTF-8 is not below. */
const FIRST_BYTE_OF_RUNS = 0xe1;

const FIELD_BITS = 2;

/** A posting is the number of a word and the best field that has the word. */
const fieldOf = (posting: number): number => posting & (2 ** FIELD_BITS - 1);

interface WordsOfProduct {
  readonly postings: Int32Array;
  /** The longer runs of Chinese, Japanese and Korean of each field, the best first; empty where there are none. */
  readonly runs: string;
}

const uint16 = (memory: Uint8Array, at: number): number => ((memory[at] as number) << 8) | (memory[at + 1] as number);

/** The two highest bits of a place in a `tsvector` are its weight: 3 for A, the name. */
const fieldOfPlace = (place: number): number => WEIGHTS.length - 1 - (place >>> 14);

const END_OF_FIELD = '\n';

/** A word in a script of high code points, or a piece of a run: two characters, and the last one alone. */
interface Piece {
  readonly text: string;
  readonly place: number;
}

/** The runs of three and more characters. Each piece of a run stands at the place after the one before, and begins with its second character. */
const runsOf = (pieces: Piece[]): string => {
  const fields = WEIGHTS.map((): string[] => []);
  let [next, nextPlace] = ['', 0];
  for (const { text, place } of pieces.sort((one, other) => one.place - other.place)) {
    const [first, second = ''] = text;
    const runs = fields[fieldOfPlace(place)] as string[];
    runs.push(place === nextPlace && first === next ? `${runs.pop()}${second}` : text);
    [next, nextPlace] = [second, place + 1];
  }
  const longer = fields.map((runs) => runs.filter((text) => piecesOfTerm({ text }).length > 1).join(' '));
  return longer.some((runs) => runs !== '') ? longer.join(END_OF_FIELD) : '';
};

/**
 * Of what a product says in each language, and of its traits: two hashes of 26 bits (FNV-1a with different beginnings), so that 52 bits fit exactly
 * into a number.
 */
export const hashOfProduct = (
  inLanguages: readonly WordsOfProduct[],
  traits: readonly (readonly number[])[],
): number => {
  // Traits come in no order.
  const sorted = traits.map((each) => each.toSorted((one, other) => one - other));
  const runs = Buffer.from(inLanguages.map((words) => words.runs).join());
  const lists = [...inLanguages.map(({ postings }) => postings), runs, ...sorted];
  let low = HASH_OF_NOTHING;
  let high = 0x050c5d1f;
  const add = (value: number): void => {
    low = hashWith(low, value);
    high = Math.imul(high ^ value, 0x01000197) ^ (high >>> 15);
  };
  for (const list of lists) {
    add(list.length);
    for (let at = 0; at < list.length; at += 1) add(list[at] as number);
  }
  return (low >>> 6) * 2 ** 26 + (high >>> 6);
};

/** FNV-1a, a byte or another number at a time. */
const HASH_OF_NOTHING = 0x811c9dc5 | 0;
const hashWith = (hash: number, value: number): number => Math.imul(hash ^ value, 0x01000193);

/** What a text takes as a string. */
const BYTES_PER_TEXT = 40;

/** The places of a slot: the number of a text plus one, 0 where there is none; where it begins and ends in the bytes; its hash. */
const [NUMBER, BEGIN, END, HASH, SLOT_SIZE] = [0, 1, 2, 3, 4] as const;
const MAX_SLOTS_USED = 0.7;

/** Up to this many new texts are searched one by one; then they are sorted in. */
const MAX_UNSORTED = 500;

/** Texts, each under a number from 0. One that is known is found by its bytes: no string is made of it. */
export class Texts {
  readonly values: string[] = [];
  /** In UTF-8, one after another. */
  #bytes = new Uint8Array(0);
  #bytesUsed = 0;
  /** By a hash. */
  #slots = new Int32Array(64 * SLOT_SIZE);
  /** Numbers in the order of their texts, but for the latest. */
  #sorted = new Int32Array(0);

  get bytes(): number {
    const ofNumbers = this.#slots.byteLength + this.#sorted.byteLength;
    return this.values.length * BYTES_PER_TEXT + this.#bytes.byteLength + ofNumbers;
  }

  find(text: string): number | undefined {
    const slice = Slice.of(text);
    const slot = this.#slotOf(slice.memory, slice.begin, slice.end, hashOf(slice));
    const number = (this.#slots[slot + NUMBER] as number) - 1;
    // Text that is no Unicode has the bytes of another one.
    return this.values[number] === text ? number : undefined;
  }

  beginningWith(prefix: string): number[] {
    const { values } = this;
    const known = this.#sorted.length;
    let latest = Array.from({ length: values.length - known }, (_, at) => known + at);
    if (latest.length > MAX_UNSORTED) {
      // Node merges what is in order already.
      const byText = (a: number, b: number): number => ((values[a] as string) < (values[b] as string) ? -1 : 1);
      this.#sorted = Int32Array.from([...this.#sorted, ...latest].sort(byText));
      latest = [];
    }
    const sorted = this.#sorted;
    const numbers = latest.filter((number) => values[number]?.startsWith(prefix));
    let at = countBefore(sorted.length, (place) => (values[sorted[place] as number] as string) < prefix);
    for (; values[sorted[at] as number]?.startsWith(prefix); at += 1) numbers.push(sorted[at] as number);
    return numbers;
  }

  /** The text becomes known. */
  numberOf(text: Slice): number {
    return this.numberOfHashed(text.memory, text.begin, text.end, hashOf(text));
  }

  /**
   * Reads for some hashes what is known of them, so that the processor has it near, and does not wait for one before it reads the next: rows are put
   * in three quarters of the time. A `Map` of strings in the place of all this takes 1.6 of it (2026-11-29).
   */
  readAhead(hashes: Int32Array, count: number, into: Int32Array): void {
    const slots = this.#slots;
    const bytes = this.#bytes;
    const mask = slots.length - 1;
    for (let at = 0; at < count; at += 1) into[at] = slots[homeOf(hashes[at] as number, mask) + BEGIN] as number;
    for (let at = 0; at < count; at += 1) into[at] = bytes[into[at] as number] as number;
  }

  numberOfHashed(memory: Uint8Array, begin: number, end: number, hash: number): number {
    const slot = this.#slotOf(memory, begin, end, hash);
    const known = this.#slots[slot + NUMBER] as number;
    if (known !== 0) return known - 1;
    const from = this.#bytesUsed;
    this.#bytesUsed = from + end - begin;
    this.#bytes = withRoom(this.#bytes, this.#bytesUsed);
    this.#bytes.set(memory.subarray(begin, end), from);
    this.#slots.set([this.values.push(String(new Slice(memory, begin, end))), from, this.#bytesUsed, hash], slot);
    if (this.values.length * SLOT_SIZE > this.#slots.length * MAX_SLOTS_USED) this.#grow();
    return this.values.length - 1;
  }

  /** Where a text is, or has its place. */
  #slotOf(memory: Uint8Array, begin: number, end: number, hash: number): number {
    const slots = this.#slots;
    const own = this.#bytes;
    const mask = slots.length - 1;
    for (let slot = homeOf(hash, mask); ; slot = (slot + SLOT_SIZE) & mask) {
      if (slots[slot + NUMBER] === 0) return slot;
      let at = slots[slot + BEGIN] as number;
      if (slots[slot + HASH] !== hash || (slots[slot + END] as number) - at !== end - begin) continue;
      let index = begin;
      while (index < end && own[at] === memory[index]) {
        index += 1;
        at += 1;
      }
      if (index === end) return slot;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    for (let at = 0; at < old.length; at += SLOT_SIZE) {
      if (old[at + NUMBER] === 0) continue;
      const [begin, end] = [old[at + BEGIN] as number, old[at + END] as number];
      const slot = this.#slotOf(this.#bytes, begin, end, old[at + HASH] as number);
      this.#slots.set(old.subarray(at, at + SLOT_SIZE), slot);
    }
  }
}

const homeOf = (hash: number, mask: number): number => ((hash ^ (hash >>> 15)) << 2) & mask;

export const hashOf = ({ memory, begin, end }: Slice): number => {
  let hash = HASH_OF_NOTHING;
  for (let at = begin; at < end; at += 1) hash = hashWith(hash, memory[at] as number);
  return hash;
};
