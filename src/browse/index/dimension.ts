import { numberText } from '../../database/exact-json.ts';
import type { AttributeFilter } from '../browse-engine.ts';
import { Postings, RowSet } from './row-set.ts';
import { Column, countOne, type ProductRow, Slice, withRoom } from './rows.ts';
import { Texts } from './words.ts';

interface NamedValue {
  readonly name: string;
  readonly value: string;
  readonly isNumber: boolean;
}

/** A named set of values, such as all brands, all materials, all sizes. A value is known by its code, and is a set of rows. */
export interface Dimension {
  readonly name: string;
  readonly codes: number[];
  /** Codes of the values by their texts: those that are no numbers of JSON, and those that are. */
  readonly texts: Map<string, number>;
  readonly numbers: Map<string, number>;
}

/** How many rows have each value, by its code, and a value of each dimension, by its place. */
export interface Counts {
  readonly values: Int32Array;
  readonly dimensions: Int32Array;
}

/** How a product says what it has. */
interface Source {
  /** The traits of a product. */
  readonly read: (product: ProductRow) => readonly Slice[];
  /** The values of a trait. */
  readonly parse: (trait: string) => readonly NamedValue[];
  /** Whether a product has one trait of each dimension at most, several traits with a value each, or several that may have the same value. */
  readonly traits: 'oneOfEach' | 'apart' | 'overlapping';
  /** Whether a trait is that of a variant in stock. */
  readonly isInStock?: (trait: string) => boolean;
}

/** What an entry of a map and of a list takes, and texts of usual length. */
const BYTES_PER_VALUE = 120;

/**
 * The dimensions of one kind. A product has traits: its category, its brand, a tag, an attribute with its value or its list of values, the options of
 * a variant. All rows with the same text of a trait share its number; a trait has values, and so a row has the values of its traits.
 */
export class Dimensions {
  readonly all: Dimension[] = [];
  /** By trait, the rows that have it, dead ones among them. */
  readonly rows = new Postings();
  /** Of all live rows. */
  totals: Counts = { values: new Int32Array(0), dimensions: new Int32Array(0) };
  /** The traits of variants in stock, and the totals of these alone. */
  readonly inStock = new Set<number>();
  totalsInStock: Counts = this.totals;
  /** By trait, the codes of its values. */
  readonly codesOf: (readonly number[])[] = [];
  /** By code. */
  readonly values: string[] = [];
  /** By code, the number that it is, as near as JavaScript has it; NaN for a text. */
  readonly #numbers: number[] = [];
  /** By code, the place of its dimension in {@link all}. */
  readonly #dimensionOf: number[] = [];
  /** By code, the traits that have the value. */
  readonly #traitsOf: number[][] = [];
  readonly #traits = new Texts();
  readonly #byName = new Map<string, number>();
  readonly #source: Source;
  readonly ofRows: TraitsOfRows;

  constructor(source: Source) {
    this.#source = source;
    const placeOf = {
      oneOfEach: (trait: number): number => this.#dimensionOf[this.codesOf[trait]?.[0] as number] as number,
      apart: (_: number, at: number): number => at,
      overlapping: (): undefined => undefined,
    };
    this.ofRows = new TraitsOfRows(placeOf[source.traits]);
  }

  get bytes(): number {
    const parts = [this.rows, this.ofRows, this.#traits];
    const own = (this.values.length + this.codesOf.length) * BYTES_PER_VALUE;
    return parts.reduce((sum, { bytes }) => sum + bytes, own + this.totals.values.byteLength);
  }

  named(name: string): Dimension | undefined {
    return this.all[this.#byName.get(name) ?? -1];
  }

  /** The traits with one of the values that a filter wants, each once. */
  traitsWith({ name, values = [], min, max }: AttributeFilter): number[] {
    const dimension = this.named(name);
    if (!dimension) return [];
    const { texts, numbers } = dimension;
    const codes = values.flatMap((value) => [texts.get(value) ?? [], numbers.get(value) ?? []].flat());
    const isWithin = (code: number): boolean =>
      (min === undefined || this.#compareWith(code, min, Number(min)) >= 0) &&
      (max === undefined || this.#compareWith(code, max, Number(max)) <= 0);
    if (min !== undefined || max !== undefined)
      for (const code of numbers.values()) if (isWithin(code)) codes.push(code);
    return [...new Set(codes.flatMap((code) => this.#traitsOf[code] as number[]))];
  }

  /** The traits that have a value of each filter, and are in stock where that is wanted; undefined for all traits. */
  fitting(filters: readonly AttributeFilter[], isInStock: boolean): ReadonlySet<number> | undefined {
    const sets: ReadonlySet<number>[] = filters.map((filter) => new Set(this.traitsWith(filter)));
    if (isInStock) sets.push(this.inStock);
    return sets.length === 0 ? undefined : sets.reduce((all, some) => all.intersection(some));
  }

  isNumber(code: number): boolean {
    return !Number.isNaN(this.#numbers[code]);
  }

  /** Compares two values that are numbers. */
  compare(code: number, other: number): number {
    return this.#compareWith(code, this.values[other] as string, this.#numbers[other] as number);
  }

  #compareWith(code: number, other: string, number: number): number {
    const difference = (this.#numbers[code] as number) - number;
    // The difference of two numbers that JavaScript has alike, or that it does not have, is 0 or none.
    return difference || compareDigits(this.values[code] as string, other);
  }

  /** The rows that have one of some traits. @param count of all rows */
  rowsWith(traits: readonly number[], count: number): RowSet {
    return RowSet.ofLists(this.rows, traits, count);
  }

  /** Tells of a row whether it has one of some traits. */
  hasAny(traits: readonly number[]): (row: number) => boolean {
    return this.ofRows.hasAny(traits, this.codesOf.length);
  }

  /** The traits of a product, which become known. */
  learn(product: ProductRow): number[] {
    const traits: number[] = [];
    for (const text of this.#source.read(product)) {
      const trait = this.#know(text);
      if (!traits.includes(trait) && (this.codesOf[trait] as readonly number[]).length > 0) traits.push(trait);
    }
    return traits;
  }

  /** Whether a row has these traits, and no others. */
  has(row: number, traits: readonly number[]): boolean {
    const known = this.ofRows.of(row).sort();
    return known.length === traits.length && traits.toSorted().every((trait, at) => known[at] === trait);
  }

  /** Gives traits to the row after the last one. */
  append(row: number, traits: readonly number[]): void {
    this.ofRows.append(row, traits);
    for (let at = 0; at < traits.length; at += 1) this.rows.append(traits[at] as number, row);
  }

  /** A row has come. */
  enter(row: number, traits: readonly number[] = this.ofRows.of(row)): void {
    this.totals = this.#withRoomForAll(this.totals);
    this.totalsInStock = this.#withRoomForAll(this.totalsInStock);
    this.#change(traits, 1);
  }

  #withRoomForAll(counts: Counts): Counts {
    const { values, dimensions } = counts;
    if (values.length >= this.values.length && dimensions.length >= this.all.length) return counts;
    return { values: withRoom(values, this.values.length), dimensions: withRoom(dimensions, this.all.length) };
  }

  /** A row is about to go. */
  leave(row: number): void {
    this.#change(this.ofRows.of(row), -1);
  }

  /**
   * Counts how many of some rows have each value and each dimension.
   * @param isWanted whether the values of a dimension are counted; for those of others there may be any number
   * @param fitting the traits that count; by default all do
   */
  count(rows: Int32Array, isWanted: (dimension: Dimension) => boolean, fitting?: ReadonlySet<number>): Counts {
    const isWantedAt = this.all.map(isWanted);
    if (this.#source.traits === 'overlapping') return this.#countOnce(rows, isWantedAt, fitting);
    const counts = this.ofRows.count(this.codesOf.length, rows, isWantedAt);
    const values = new Int32Array(this.values.length);
    const dimensions = new Int32Array(this.all.length);
    for (let trait = 0; trait < counts.length; trait += 1) {
      const count = counts[trait] as number;
      if (count === 0) continue;
      const codes = this.codesOf[trait] as readonly number[];
      for (const code of codes) values[code] = (values[code] as number) + count;
      const place = this.#dimensionOf[codes[0] as number] as number;
      dimensions[place] = (dimensions[place] as number) + count;
    }
    return { values, dimensions };
  }

  /** Of each row each value once, whatever number of its traits has it. */
  #countOnce(rows: Int32Array, isWantedAt: readonly boolean[], fitting?: ReadonlySet<number>): Counts {
    const dimensions = [...this.all.keys()].filter((place) => isWantedAt[place]);
    const codes = dimensions.flatMap((place) => (this.all[place] as Dimension).codes);
    const thingOf = new Map(codes.map((code, thing) => [code, thing]));
    const countedOf = this.codesOf.map((all, trait) =>
      fitting?.has(trait) === false ? NOTHING : all.filter((code) => thingOf.has(code)),
    );
    // A dimension is counted as if it were a value, and those that the same traits have as one.
    const things = countedOf.map((own) => own.map((code) => thingOf.get(code) as number));
    const thingOfTraits = new Map<string, number>();
    const thingOfPlace = dimensions.map((place) => {
      const having = countedOf.map((own) => own.some((code) => this.#dimensionOf[code] === place));
      const known = thingOfTraits.get(String(having));
      if (known !== undefined) return known;
      const thing = codes.length + thingOfTraits.size;
      thingOfTraits.set(String(having), thing);
      for (const [trait, own] of things.entries()) if (having[trait]) own.push(thing);
      return thing;
    });
    const found = this.ofRows.countOnce(things, codes.length + thingOfTraits.size, rows);
    const counts = { values: new Int32Array(this.values.length), dimensions: new Int32Array(this.all.length) };
    for (const [thing, code] of codes.entries()) counts.values[code] = found[thing] as number;
    for (const [at, place] of dimensions.entries())
      counts.dimensions[place] = found[thingOfPlace[at] as number] as number;
    return counts;
  }

  renumber(newRows: Int32Array): void {
    this.rows.renumber(newRows);
    this.ofRows.renumber(newRows);
  }

  /** Gives memory back that only filling needs. @param count of rows */
  arrange(count: number): void {
    this.rows.arrange();
    this.ofRows.arrange(count);
  }

  #know(text: Slice): number {
    const trait = this.#traits.numberOf(text);
    if (trait < this.codesOf.length) return trait;
    const codes = [...new Set(this.#source.parse(String(text)).map((value) => this.#codeOf(value)))];
    this.codesOf.push(codes);
    if (this.#source.isInStock?.(String(text))) this.inStock.add(trait);
    for (const code of codes) this.#traitsOf[code]?.push(trait);
    return trait;
  }

  #change(traits: readonly number[], by: 1 | -1): void {
    this.#changeTotals(this.totals, traits, by);
    if (this.inStock.size === 0) return;
    const inStock = traits.filter((trait) => this.inStock.has(trait));
    this.#changeTotals(this.totalsInStock, inStock, by);
  }

  /** Counts each value and each dimension of a row once. */
  #changeTotals({ values, dimensions }: Counts, traits: readonly number[], by: 1 | -1): void {
    const codes: number[] = [];
    const places: number[] = [];
    const mayRepeat = this.#source.traits === 'overlapping';
    for (let at = 0; at < traits.length; at += 1)
      for (const code of this.codesOf[traits[at] as number] as readonly number[]) {
        if (mayRepeat && codes.includes(code)) continue;
        if (mayRepeat) codes.push(code);
        values[code] = (values[code] as number) + by;
        const place = this.#dimensionOf[code] as number;
        if (places.includes(place)) continue;
        places.push(place);
        dimensions[place] = (dimensions[place] as number) + by;
      }
  }

  #codeOf({ name, value, isNumber }: NamedValue): number {
    let place = this.#byName.get(name);
    if (place === undefined) {
      place = this.all.push({ name, codes: [], texts: new Map(), numbers: new Map() }) - 1;
      this.#byName.set(name, place);
    }
    const { codes, texts, numbers } = this.all[place] as Dimension;
    const byText = isNumber ? numbers : texts;
    const known = byText.get(value);
    if (known !== undefined) return known;
    const code = this.values.push(value) - 1;
    this.#numbers.push(isNumber ? Number(value) : Number.NaN);
    this.#dimensionOf.push(place);
    this.#traitsOf.push([]);
    byText.set(value, code);
    codes.push(code);
    return code;
  }
}

const one = (text: Slice | null): Slice[] => (text === null ? [] : [text]);
const parsePlain = (value: string): NamedValue[] => [{ name: '', value, isNumber: false }];

/** A kind of dimension that has one dimension alone, without a name. */
const plain = (read: Source['read']): Dimensions => new Dimensions({ read, parse: parsePlain, traits: 'apart' });

export const createCategories = (): Dimensions => plain(({ category }) => [category]);
export const createBrands = (): Dimensions => plain(({ brand }) => one(brand));
export const createTags = (): Dimensions => plain(({ tags }) => tags);
export const createAttributes = (): Dimensions =>
  new Dimensions({ read: ({ attributes }) => membersOf(attributes), parse: parseAttribute, traits: 'oneOfEach' });

/** The options of a variant are a trait, with whether it is in stock. */
export const createOptions = (): Dimensions =>
  new Dimensions({
    read: ({ variants }) => variants,
    parse: parseOptions,
    traits: 'overlapping',
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

/** Compares two numbers by all their digits. A number that is written with an exponent is one of JavaScript. */
const compareDigits = (one: string, other: string): number => {
  if (String(Number(one)) === one) return 0;
  const digits = Math.max(...[one, other].map((text) => text.split('.')[1]?.length ?? 0));
  const [left = 0n, right = 0n] = [one, other].map((text) => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(digits, '0'));
  });
  return left < right ? -1 : Number(left > right);
};

const [QUOTE, COMMA, SPACE, BACKSLASH, BEGIN_LIST, END_LIST] = [...Buffer.from('", \\[]')];

/** The members of an object of JSON whose values are no objects, each with its name. */
const membersOf = ({ memory, begin: beginOfObject, end: endOfObject }: Slice): Slice[] => {
  const members: Slice[] = [];
  const last = endOfObject - 1;
  for (let begin = beginOfObject + 1, end = begin; begin < last; begin = end + 1) {
    if (memory[begin] === SPACE) begin += 1;
    end = endOfMember(memory, begin, last);
    members.push(new Slice(memory, begin, end));
  }
  return members;
};

/** Where a member ends. @param end of the object's members */
const endOfMember = (memory: Uint8Array, begin: number, end: number): number => {
  let isInText = false;
  let isInList = false;
  for (let at = begin; at < end; at += 1) {
    const byte = memory[at];
    if (isInText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isInText = !isInText;
    else if (isInText) continue;
    else if (byte === BEGIN_LIST) isInList = true;
    else if (byte === END_LIST) isInList = false;
    else if (byte === COMMA && !isInList) return at;
  }
  return end;
};

type Codes = Uint16Array | Uint32Array;

const noCodes = (): Column<Codes> =>
  new Column<Codes>(new Uint16Array(0), { past: 0xffff, to: (codes) => Uint32Array.from(codes) });

const NOTHING: readonly number[] = [];

/** Where so many of all rows have a trait at a place, as some of them tell, the place has a column. */
const MIN_COLUMN_SHARE = 1 / 4;
const MAX_SAMPLES = 5000;

/** The place of a trait, by itself and by where it stands among those of its row; undefined where it is to be in a list. */
type PlaceOf = (trait: number, at: number) => number | undefined;

/**
 * The traits of each row, in no order. Where many rows have one at the same place, there is a column of that place, which is counted ten times as
 * fast as a list; what is left is in lists.
 */
export class TraitsOfRows {
  /** By place: 1 plus the trait of each row, 0 where it has none. */
  readonly #columns = new Map<number, Column<Codes>>();
  readonly #placeOf: PlaceOf;
  #rest = new RowLists();

  constructor(placeOf: PlaceOf) {
    this.#placeOf = placeOf;
  }

  get bytes(): number {
    return this.#columns.values().reduce((sum, { bytes }) => sum + bytes, this.#rest.bytes);
  }

  of(row: number): number[] {
    const traits = Array.from(this.#rest.of(row));
    for (const { values } of this.#columns.values()) if (values[row] !== 0) traits.push((values[row] as number) - 1);
    return traits;
  }

  /** @param count of all traits */
  hasAny(traits: readonly number[], count: number): (row: number) => boolean {
    const isWanted = new Uint8Array(count + 1);
    for (const trait of traits) isWanted[trait + 1] = 1;
    const columns = [...this.#columns.values()].map(({ values }) => values);
    const { codes, ends } = this.#rest;
    return (row) => {
      for (const values of columns) if (isWanted[values[row] as number]) return true;
      const end = ends[row] ?? 0;
      for (let at = this.#rest.beginOf(row); at < end; at += 1) if (isWanted[(codes[at] as number) + 1]) return true;
      return false;
    };
  }

  /** Gives traits to the row after the last one. */
  append(row: number, traits: readonly number[]): void {
    for (const column of this.#columns.values()) column.set(row, 0);
    if (this.#columns.size === 0) this.#rest.set(row, traits);
    else this.#put(row, traits, 0, traits.length);
  }

  #put(row: number, traits: ArrayLike<number>, begin: number, end: number): void {
    let rest: number[] | undefined;
    for (let at = begin; at < end; at += 1) {
      const trait = traits[at] as number;
      const place = this.#placeOf(trait, at - begin);
      const column = place === undefined ? undefined : this.#columns.get(place);
      if (column?.values[row] === 0) column.set(row, trait + 1);
      else {
        rest ??= [];
        rest.push(trait);
      }
    }
    this.#rest.set(row, rest ?? NOTHING);
  }

  /** How many of some rows have each trait. @param count of all traits @param isWantedAt of which of the places that have a column */
  count(count: number, rows: Int32Array, isWantedAt: readonly boolean[]): Int32Array {
    // By 1 plus the trait, as columns have it.
    const counts = new Int32Array(count + 1);
    // In a loop over columns instead, V8 compiles the loop over rows so that it takes three times as long.
    this.#columns.forEach(({ values }, place) => {
      if (isWantedAt[place] !== false) countAt(values, counts, rows);
    });
    this.#rest.count(counts.subarray(1), rows);
    return counts.subarray(1);
  }

  /** How many of some rows have each of some things in their lists. @param thingsOf by trait, from 0 to `count` */
  countOnce(thingsOf: readonly (readonly number[])[], count: number, rows: Int32Array): Int32Array {
    return this.#rest.countOnce(thingsOf, count, rows);
  }

  renumber(newRows: Int32Array): void {
    for (const column of this.#columns.values()) column.renumber(newRows);
    this.#rest.renumber(newRows);
  }

  /** Makes columns of the places where many of so many rows have a trait, which some rows tell. */
  arrange(count: number): void {
    const lists = this.#rest;
    const step = 1 + Math.floor(count / MAX_SAMPLES);
    const rowsAt = new Map<number, number>();
    for (let row = 0; row < count; row += step)
      for (const place of new Set(Array.from(lists.of(row), this.#placeOf)))
        if (place !== undefined) rowsAt.set(place, (rowsAt.get(place) ?? 0) + step);
    for (const [place, rows] of rowsAt) {
      if (rows < count * MIN_COLUMN_SHARE || this.#columns.has(place)) continue;
      const column = noCodes();
      column.reserve(count);
      this.#columns.set(place, column);
    }
    this.#rest = new RowLists();
    for (let row = 0; row < count; row += 1) this.#put(row, lists.codes, lists.beginOf(row), lists.beginOf(row + 1));
  }
}

/** @param counts by 1 plus the trait @param values as a column has them */
const countAt = (values: Codes, counts: Int32Array, rows: Int32Array): void => {
  for (let each = 0; each < rows.length; each += 1) {
    const value = values[rows[each] as number] as number;
    counts[value] = (counts[value] as number) + 1;
  }
};

/** Of more things than this it is quicker to mark each that a row has had. */
const MAX_BY_BITS = 128;

/** A list of numbers for each row, one list after another. */
class RowLists {
  readonly #codes = noCodes();
  /** Where the list of each row ends. */
  readonly #ends = new Column(new Uint32Array(0));

  get bytes(): number {
    return this.#codes.bytes + this.#ends.bytes;
  }

  get codes(): Codes {
    return this.#codes.values;
  }

  get ends(): Uint32Array {
    return this.#ends.values;
  }

  beginOf(row: number): number {
    return this.ends[row - 1] ?? 0;
  }

  of(row: number): Codes {
    return this.codes.subarray(this.beginOf(row), this.beginOf(row + 1));
  }

  /** Counts the numbers of some rows. */
  count(counts: Int32Array, rows: Int32Array): void {
    const { codes, ends } = this;
    if (codes.length === 0) return;
    for (let each = 0; each < rows.length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1) {
        const code = codes[at] as number;
        counts[code] = (counts[code] as number) + 1;
      }
    }
  }

  /** Counts how many of some rows have each of some things. @param thingsOf by number the things that it has, from 0 to `count` */
  countOnce(thingsOf: readonly (readonly number[])[], count: number, rows: Int32Array): Int32Array {
    const counts = new Int32Array(count);
    if (this.codes.length === 0) return counts;
    if (count > MAX_BY_BITS) this.#countByMarks(thingsOf, counts, rows);
    else for (let first = 0; first < count; first += 32) this.#countByBits(thingsOf, first, counts, rows);
    return counts;
  }

  /** Counts 32 things from a first one. A row is counted under each byte of its bits: a count bit by bit would be guessed wrong too often. */
  #countByBits(thingsOf: readonly (readonly number[])[], first: number, counts: Int32Array, rows: Int32Array): void {
    const bitsOf = Int32Array.from(thingsOf, (things) =>
      things.reduce((bits, thing) => (thing >>> 5 === first >>> 5 ? bits | (1 << (thing & 31)) : bits), 0),
    );
    const { codes, ends } = this;
    const { length } = rows;
    const bytes = new Int32Array(4 * 256);
    for (let each = 0; each < length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      let bits = 0;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1)
        bits |= bitsOf[codes[at] as number] as number;
      countOne(bytes, bits & 255);
      countOne(bytes, 256 + ((bits >>> 8) & 255));
      countOne(bytes, 512 + ((bits >>> 16) & 255));
      countOne(bytes, 768 + (bits >>> 24));
    }
    for (const [at, count] of bytes.entries())
      for (let bit = 0; count > 0 && bit < 8; bit += 1) {
        const thing = first + (at >>> 8) * 8 + bit;
        if ((at >>> bit) & 1) counts[thing] = (counts[thing] as number) + count;
      }
  }

  #countByMarks(thingsOf: readonly (readonly number[])[], counts: Int32Array, rows: Int32Array): void {
    const { codes, ends } = this;
    const { length } = rows;
    const lastRows = new Int32Array(counts.length).fill(-1);
    for (let each = 0; each < length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1) {
        const things = thingsOf[codes[at] as number] as readonly number[];
        for (let index = 0; index < things.length; index += 1) {
          const thing = things[index] as number;
          counts[thing] = (counts[thing] as number) + Number(lastRows[thing] !== row);
          lastRows[thing] = row;
        }
      }
    }
  }

  /** Writes the numbers of the row after the last one. */
  set(row: number, codes: readonly number[]): void {
    // Where all are empty, not even their ends are kept.
    if (this.codes.length + codes.length === 0) return;
    const begin = this.beginOf(row);
    for (let index = 0; index < codes.length; index += 1) this.#codes.set(begin + index, codes[index] as number);
    this.#ends.set(row, begin + codes.length);
  }

  renumber(newRows: Int32Array): void {
    const { codes, ends } = this;
    if (codes.length === 0) return;
    let count = 0;
    let begin = 0;
    // What moves, moves towards the beginning, and so never over what is still to be read.
    for (let row = 0; row < newRows.length; row += 1) {
      const end = ends[row] as number;
      const newRow = newRows[row] as number;
      if (newRow >= 0) {
        codes.copyWithin(count, begin, end);
        count += end - begin;
        ends[newRow] = count;
      }
      begin = end;
    }
  }
}
