import { numberText } from '../../database/exact-json.ts';
import type { AttributeFilter } from '../browse-engine.ts';
import { Postings } from './row-set.ts';
import { type ProductRow, type Slice, withRoom } from './rows.ts';
import { Texts } from './words.ts';

interface NamedValue {
  readonly name: string;
  readonly value: string;
  readonly isNumber: boolean;
}

/** A named set of values, such as all brands, all materials, all sizes. A value is known by its code, and is a set of rows. */
export interface Dimension {
  readonly name: string;
  /** The code of those that have any value. It is counted as a value is. */
  readonly any: number;
  readonly codes: number[];
  /** By their text, the codes of values: a number of JSON and a text that are written alike have two. */
  readonly byText: Map<string, number[]>;
}

/** How a product says what it has. */
interface Source {
  /** The traits of a product. */
  readonly read: (product: ProductRow) => readonly Slice[];
  /** The values of a trait. */
  readonly parse: (trait: string) => readonly NamedValue[];
  /** Whether two traits of a product may have the same value, which counts once. */
  readonly mayRepeat?: boolean;
  /** Whether a trait is that of a variant in stock. */
  readonly isInStock?: (trait: string) => boolean;
}

/** Of more codes than this it is quicker to mark each that a row has had than to keep a bit of each. */
const MAX_BY_BITS = 128;

/** So many traits of a row stand in columns. */
const MAX_COLUMNS = 8;

/** What an entry of a map and of a list takes, and texts of usual length. */
const BYTES_PER_VALUE = 120;

/**
 * The dimensions of one kind. A product has traits: its category, its brand, a tag, an attribute with its value or its list of values, the options of
 * a variant. All rows with the same text of a trait share its number; a trait has values, and so a row has the values of its traits.
 */
export class Dimensions {
  readonly #byName = new Map<string, Dimension>();
  /** By trait, the rows that have it, dead ones among them. */
  readonly rows = new Postings();
  #ofRows: TraitsOfRows;
  /** By code, how many live rows have it. */
  totals = new Int32Array(0);
  /** The traits of variants in stock, and the totals of these alone. */
  readonly inStock = new Set<number>();
  totalsInStock = this.totals;
  /** By column, the codes of the dimensions whose traits have stood there. */
  readonly #dimensionsAt = Array.from({ length: MAX_COLUMNS }, () => new Set<number>());
  /** By trait, the code of its dimension and those of its values, or of several of these. */
  readonly #codesOf: (readonly number[])[] = [];
  /** The value of each code, as text. */
  readonly values: string[] = [];
  /** The value of each code as a number; NaN where it is a text. */
  readonly #numbers: number[] = [];
  /** By code, the traits that have the value. */
  readonly #traitsOf: number[][] = [];
  readonly #traits = new Texts();
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
    this.#ofRows = this.#noTraits();
  }

  get bytes(): number {
    const parts = [this.rows, this.#ofRows, this.#traits];
    const own = (this.values.length + this.#codesOf.length) * BYTES_PER_VALUE;
    return parts.reduce((sum, { bytes }) => sum + bytes, own + this.totals.byteLength);
  }

  named(name: string): Dimension | undefined {
    return this.#byName.get(name);
  }

  get all(): readonly Dimension[] {
    return [...this.#byName.values()];
  }

  /** The traits with one of the values that a filter wants, each once. */
  traitsWith({ name, values = [], min, max }: AttributeFilter): number[] {
    const dimension = this.named(name);
    if (!dimension) return [];
    const codes = values.flatMap((value) => dimension.byText.get(value) ?? []);
    const [low, high] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY].map(Number);
    const isWithin = (code: number): boolean =>
      this.numberOf(code) >= (low as number) && this.numberOf(code) <= (high as number);
    if (min !== undefined || max !== undefined) codes.push(...dimension.codes.filter(isWithin));
    return [...new Set(codes.flatMap((code) => this.#traitsOf[code] as number[]))];
  }

  /** The traits that have a value of each filter, and are in stock where that is wanted; undefined for all traits. */
  fitting(filters: readonly AttributeFilter[], isInStock: boolean): ReadonlySet<number> | undefined {
    const sets: ReadonlySet<number>[] = filters.map((filter) => new Set(this.traitsWith(filter)));
    if (isInStock) sets.push(this.inStock);
    return sets.length === 0 ? undefined : sets.reduce((all, some) => all.intersection(some));
  }

  /** The number that a value is, as near as JavaScript has it; NaN for a text. */
  numberOf(code: number): number {
    return this.#numbers[code] as number;
  }

  /** The texts of all traits, by their numbers. */
  get traits(): readonly string[] {
    return this.#traits.values;
  }

  /** Tells of a row whether it has one of some traits. */
  hasAny(traits: readonly number[]): (row: number) => boolean {
    return this.#ofRows.hasAny(traits, this.#codesOf.length);
  }

  /** The traits of a product, which become known. */
  learn(product: ProductRow): number[] {
    const traits: number[] = [];
    for (const text of this.#source.read(product)) {
      const trait = this.#know(text);
      if (!traits.includes(trait) && (this.#codesOf[trait] as readonly number[]).length > 0) traits.push(trait);
    }
    return traits;
  }

  /** Gives traits to the row after the last one. */
  append(row: number, traits: readonly number[]): void {
    this.#ofRows.append(row, traits);
    for (let at = 0; at < traits.length; at += 1)
      this.#dimensionsAt[at]?.add(this.#codesOf[traits[at] as number]?.[0] as number);
    for (let at = 0; at < traits.length; at += 1) this.rows.append(traits[at] as number, row);
  }

  /** A row has come. */
  enter(traits: readonly number[]): void {
    this.totals = withRoom(this.totals, this.values.length);
    this.totalsInStock = withRoom(this.totalsInStock, this.values.length);
    this.#change(traits, 1);
  }

  /** A row is about to go. */
  leave(row: number): void {
    this.#change(this.#ofRows.of(row), -1);
  }

  #change(traits: readonly number[], by: 1 | -1): void {
    const codes = this.#codesOfTraits(traits);
    for (let at = 0; at < codes.length; at += 1) add(this.totals, codes[at] as number, by);
    if (this.inStock.size === 0) return;
    const inStock = traits.filter((trait) => this.inStock.has(trait));
    for (const code of this.#codesOfTraits(inStock)) add(this.totalsInStock, code, by);
  }

  /** The codes of some traits, each code once. */
  #codesOfTraits(traits: readonly number[]): readonly number[] {
    if (traits.length === 1 && !this.#source.mayRepeat) return this.#codesOf[traits[0] as number] as readonly number[];
    const codes: number[] = [];
    for (let at = 0; at < traits.length; at += 1)
      for (const code of this.#codesOf[traits[at] as number] as readonly number[])
        if (!codes.includes(code)) codes.push(code);
    return codes;
  }

  /**
   * Counts how many of some rows have each code.
   * @param wanted the dimensions whose codes are counted; for those of others there may be any number
   * @param fitting the traits that count; by default all do. Only of kinds that may repeat, whose traits stand in lists: those in columns all count
   */
  count(rows: Int32Array, wanted: readonly Dimension[], fitting?: ReadonlySet<number>): Int32Array {
    const counts = new Int32Array(this.values.length);
    const isWantedAt = (place: number): boolean => wanted.some(({ any }) => this.#dimensionsAt[place]?.has(any));
    const ofTraits = this.#ofRows.countColumns(this.#codesOf.length, rows, isWantedAt);
    for (let trait = 0; trait < ofTraits.length; trait += 1) {
      const count = ofTraits[trait] as number;
      const codes = this.#codesOf[trait] as readonly number[];
      for (let at = 0; count > 0 && at < codes.length; at += 1) add(counts, codes[at] as number, count);
    }
    const codesInLists = (): readonly number[][] => {
      const isWanted = new Set(wanted.flatMap(({ any, codes }) => [any, ...codes]));
      return this.#codesOf.map((codes, trait) =>
        fitting?.has(trait) === false ? [] : codes.filter((code) => isWanted.has(code)),
      );
    };
    this.#ofRows.countLists(codesInLists, rows, counts);
    return counts;
  }

  renumber(newRows: Int32Array): void {
    this.rows.renumber(newRows);
    const ofRows = this.#ofRows;
    this.#ofRows = this.#noTraits();
    for (let row = 0; row < newRows.length; row += 1)
      if ((newRows[row] as number) >= 0) this.#ofRows.append(newRows[row] as number, ofRows.of(row));
  }

  #noTraits(): TraitsOfRows {
    return new TraitsOfRows(this.#source.mayRepeat ? 0 : MAX_COLUMNS);
  }

  #know(text: Slice): number {
    const trait = this.#traits.numberOf(text);
    if (trait < this.#codesOf.length) return trait;
    const codes = new Set(this.#source.parse(String(text)).flatMap((value) => this.#codesOfValue(value)));
    this.#codesOf.push([...codes]);
    if (this.#source.isInStock?.(String(text))) this.inStock.add(trait);
    for (const code of codes) this.#traitsOf[code]?.push(trait);
    return trait;
  }

  /** The codes of the dimension of a value, and of the value itself. */
  #codesOfValue({ name, value, isNumber }: NamedValue): readonly number[] {
    let dimension = this.#byName.get(name);
    if (!dimension) {
      dimension = { name, any: this.#newCode(name, false), codes: [], byText: new Map() };
      this.#byName.set(name, dimension);
    }
    const { any, codes, byText } = dimension;
    const alike = byText.get(value) ?? [];
    const known = alike.find((code) => Number.isNaN(this.numberOf(code)) !== isNumber);
    if (known !== undefined) return [any, known];
    const code = this.#newCode(value, isNumber);
    byText.set(value, [...alike, code]);
    codes.push(code);
    return [any, code];
  }

  #newCode(value: string, isNumber: boolean): number {
    this.#numbers.push(isNumber ? Number(value) : Number.NaN);
    this.#traitsOf.push([]);
    return this.values.push(value) - 1;
  }
}

const add = (counts: Int32Array, code: number, count: number): void => {
  counts[code] = (counts[code] as number) + count;
};

/** A kind that has one dimension alone, without a name. */
export const values = (read: Source['read']): Dimensions =>
  new Dimensions({ read, parse: (value) => [{ name: '', value, isNumber: false }] });

export const attributes = (): Dimensions =>
  new Dimensions({ read: (product) => product.attributes, parse: parseAttribute });

/** The options of a variant are a trait, with whether it is in stock. */
export const options = (): Dimensions =>
  new Dimensions({
    read: ({ variants }) => variants,
    parse: parseOptions,
    mayRepeat: true,
    isInStock: (variant) => variant.endsWith('+'),
  });

const parseAttribute = (member: string): NamedValue[] =>
  Object.entries<unknown>(JSON.parse(`{${member}}`)).flatMap(([name, value]) => {
    const isNumber = typeof value === 'number';
    const texts = isNumber ? [numberText(member.slice(member.lastIndexOf(':') + 1).trim())] : [value].flat();
    return texts.map((each) => ({ name, value: String(each), isNumber }));
  });

const parseOptions = (text: string): NamedValue[] => {
  const [names, values]: (string | null)[][] = JSON.parse(`[${text.slice(0, -1)}]`);
  return (names ?? []).flatMap((name, place) => {
    const value = values?.[place];
    return name === null || value === null || value === undefined ? [] : [{ name, value, isNumber: false }];
  });
};

/** Numbers, in two bytes each while these are enough. */
class Codes {
  values: Uint16Array | Uint32Array = new Uint16Array(0);

  set(at: number, code: number): void {
    if (code > 0xffff && this.values instanceof Uint16Array) this.values = Uint32Array.from(this.values);
    this.values = withRoom(this.values, at + 1);
    this.values[at] = code;
  }
}

/** The traits of each row, in no order. The first ones stand in columns, which are sooner counted than lists; all others in a list for each row. */
class TraitsOfRows {
  /** 1 plus the trait of each row, 0 where it has none. */
  readonly #columns: Codes[] = [];
  readonly #maxColumns: number;
  /** One list after another, and where the list of each row ends; both are empty where all lists are. */
  readonly #rest = new Codes();
  #ends = new Uint32Array(0);
  #used = 0;

  constructor(maxColumns: number) {
    this.#maxColumns = maxColumns;
  }

  get bytes(): number {
    const columns = this.#columns.reduce((sum, { values }) => sum + values.byteLength, 0);
    return columns + this.#rest.values.byteLength + this.#ends.byteLength;
  }

  of(row: number): number[] {
    const traits: number[] = [];
    for (const { values } of this.#columns) if (values[row] !== 0) traits.push((values[row] as number) - 1);
    const end = this.#ends[row] ?? 0;
    for (let at = this.#ends[row - 1] ?? 0; at < end; at += 1) traits.push(this.#rest.values[at] as number);
    return traits;
  }

  /** Tells of a row whether it has one of some traits. @param count of all traits */
  hasAny(traits: readonly number[], count: number): (row: number) => boolean {
    const isWanted = new Uint8Array(count + 1);
    for (const trait of traits) isWanted[trait + 1] = 1;
    const columns = this.#columns.map(({ values }) => values);
    const { values: rest } = this.#rest;
    const ends = this.#ends;
    return (row) => {
      for (const values of columns) if (isWanted[values[row] as number]) return true;
      const end = ends[row] ?? 0;
      for (let at = ends[row - 1] ?? 0; at < end; at += 1) if (isWanted[(rest[at] as number) + 1]) return true;
      return false;
    };
  }

  /** Gives traits to the row after the last one. */
  append(row: number, traits: readonly number[]): void {
    const inColumns = Math.min(traits.length, this.#maxColumns);
    while (this.#columns.length < inColumns) this.#columns.push(new Codes());
    for (let place = 0; place < this.#columns.length; place += 1)
      this.#columns[place]?.set(row, place < inColumns ? (traits[place] as number) + 1 : 0);
    for (let at = inColumns; at < traits.length; at += 1) this.#rest.set(this.#used++, traits[at] as number);
    if (this.#used === 0) return;
    this.#ends = withRoom(this.#ends, row + 1);
    this.#ends[row] = this.#used;
  }

  /** How many of some rows have each trait in columns. @param count of all traits @param isWanted whether a column is counted */
  countColumns(count: number, rows: Int32Array, isWanted: (place: number) => boolean): Int32Array {
    // By 1 plus the trait, as columns have it.
    const counts = new Int32Array(count + 1);
    // In a loop over columns instead, V8 compiles the loop over rows so that it takes three times as long.
    this.#columns.forEach(({ values }, place) => {
      if (isWanted(place)) countAt(values, counts, rows);
    });
    return counts.subarray(1);
  }

  /** Counts for each code how many of some rows have a trait with it in their lists, however many of these have it. @param makeCodesOf by trait */
  countLists(makeCodesOf: () => readonly (readonly number[])[], rows: Int32Array, counts: Int32Array): void {
    if (this.#used === 0) return;
    const codesOf = makeCodesOf();
    const codes = [...new Set(codesOf.flat())];
    if (codes.length > MAX_BY_BITS) this.#countByMarks(codesOf, rows, counts);
    else
      for (let first = 0; first < codes.length; first += 32)
        this.#countByBits(codesOf, codes.slice(first, first + 32), rows, counts);
  }

  /** A row is counted under each byte of its bits, one for each code: a count bit by bit would be guessed wrong too often. @param codes 32 at most */
  #countByBits(
    codesOf: readonly (readonly number[])[],
    codes: readonly number[],
    rows: Int32Array,
    counts: Int32Array,
  ): void {
    const bitsOf = Int32Array.from(codesOf, (own) =>
      codes.reduce((bits, code, at) => (own.includes(code) ? bits | (1 << at) : bits), 0),
    );
    const { values: traits } = this.#rest;
    const ends = this.#ends;
    const ofBytes = new Int32Array(4 * 256);
    for (let each = 0; each < rows.length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      let bits = 0;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1)
        bits |= bitsOf[traits[at] as number] as number;
      add(ofBytes, bits & 255, 1);
      add(ofBytes, 256 + ((bits >>> 8) & 255), 1);
      add(ofBytes, 512 + ((bits >>> 16) & 255), 1);
      add(ofBytes, 768 + (bits >>> 24), 1);
    }
    for (const [at, count] of ofBytes.entries())
      for (let bit = 0; count > 0 && bit < 8; bit += 1)
        if ((at >>> bit) & 1) add(counts, codes[(at >>> 8) * 8 + bit] as number, count);
  }

  #countByMarks(codesOf: readonly (readonly number[])[], rows: Int32Array, counts: Int32Array): void {
    const { values: traits } = this.#rest;
    const ends = this.#ends;
    const lastRows = new Int32Array(counts.length).fill(-1);
    for (let each = 0; each < rows.length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1)
        for (const code of codesOf[traits[at] as number] as readonly number[]) {
          add(counts, code, Number(lastRows[code] !== row));
          lastRows[code] = row;
        }
    }
  }
}

/** @param counts by what the column has */
const countAt = (values: Codes['values'], counts: Int32Array, rows: Int32Array): void => {
  for (let each = 0; each < rows.length; each += 1) {
    const value = values[rows[each] as number] as number;
    counts[value] = (counts[value] as number) + 1;
  }
};
