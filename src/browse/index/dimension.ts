/*
 * A *dimension* is a named set of values, such as all materials. The *kinds* of dimensions are attributes and options, which have many, and
 * categories, brands and tags, which have one, without a name. A *trait* is what a product has of a kind, as it is read: a tag, an attribute with its
 * value or its list of values, the options of a variant with whether it is in stock. Equal traits are one, with a number. A *code* is the number of a
 * value, or of a dimension: a trait has the codes of its values and of their dimensions, and for each code rows are counted, a row with it by several
 * traits once.
 */

import { numberText } from '../../database/exact-json.ts';
import type { AttributeFilter } from '../browse-engine.ts';
import { Postings } from './row-set.ts';
import { type ProductRow, type Slice, withRoom } from './rows.ts';
import { add, TraitsOfRows } from './traits.ts';
import { Texts } from './words.ts';

export interface Dimension {
  readonly name: string;
  /** Of the dimension: its count is that of the rows with any of its values, where a row has one trait of it, or traits that may repeat. */
  readonly code: number;
  /** Of its values. */
  readonly codes: number[];
  /** By the text of a value. A number of JSON and a text that are written alike have a code each. */
  readonly byText: Map<string, number[]>;
}

/** The traits that count: those that filters of the same kind leave. */
export type Traits = ReadonlySet<number> | 'all';

/** A value, by the name of its dimension. */
interface NamedValue {
  readonly name: string;
  readonly value: string;
  readonly isNumber: boolean;
}

/** How the traits of a kind are read. */
interface Reader {
  /** The texts of a product's traits. */
  readonly read: (product: ProductRow) => readonly Slice[];
  /** The values of a trait. */
  readonly parse: (trait: string) => readonly NamedValue[];
  /** Whether two traits of a product may have the same value. */
  readonly mayRepeat?: boolean;
  /** Whether a trait is that of a variant in stock. */
  readonly isInStock?: (trait: string) => boolean;
}

/** So many traits of a row stand in columns. */
const MAX_COLUMNS = 8;

/** What the entries of a trait and of a code take in maps and lists, with texts of usual length. */
const BYTES_PER_ENTRY = 120;

/** The dimensions of a kind, and what rows have of them. */
export class Kind {
  readonly byName = new Map<string, Dimension>();
  /** By trait, the rows that have it, dead ones among them. */
  readonly rows = new Postings();
  #traitsOfRows: TraitsOfRows;
  /** The traits of variants in stock. */
  readonly #inStock = new Set<number>();
  /** By code, how many live rows have it, and how many by the traits in stock alone. */
  #totals = new Int32Array(0);
  #totalsInStock = new Int32Array(0);
  /** By the column that they stand in, the codes of the dimensions of traits. */
  readonly #dimensionsAt = Array.from({ length: MAX_COLUMNS }, () => new Set<number>());
  /** By trait, its codes: first that of a dimension. */
  readonly #codesOf: (readonly number[])[] = [];
  /** By code, the text of the value, or the name of the dimension. */
  readonly texts: string[] = [];
  /** By code, the number that the value is, as near as JavaScript has it; NaN where it is a text. */
  readonly numbers: number[] = [];
  /** By code, the traits that have it. */
  readonly #traitsOf: number[][] = [];
  /** The texts of traits. */
  readonly traits = new Texts();
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
    this.#traitsOfRows = new TraitsOfRows(reader.mayRepeat ? 0 : MAX_COLUMNS);
  }

  get dimensions(): readonly Dimension[] {
    return [...this.byName.values()];
  }

  get bytes(): number {
    const parts = [this.rows, this.#traitsOfRows, this.traits];
    const ofEntries = (this.texts.length + this.#codesOf.length) * BYTES_PER_ENTRY;
    const ofTotals = this.#totals.byteLength + this.#totalsInStock.byteLength;
    return parts.reduce((sum, { bytes }) => sum + bytes, ofEntries + ofTotals);
  }

  /** The traits with one of the values that a filter wants, each once. */
  traitsWith({ name, values = [], min, max }: AttributeFilter): number[] {
    const dimension = this.byName.get(name);
    if (!dimension) return [];
    const codes = values.flatMap((value) => dimension.byText.get(value) ?? []);
    const [low, high] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY].map(Number);
    const isWithin = (code: number): boolean =>
      (this.numbers[code] as number) >= (low as number) && (this.numbers[code] as number) <= (high as number);
    if (min !== undefined || max !== undefined) codes.push(...dimension.codes.filter(isWithin));
    return [...new Set(codes.flatMap((code) => this.#traitsOf[code] as number[]))];
  }

  /** The traits with one of the values of each filter, and in stock where that is wanted. */
  traitsWithAll(filters: readonly AttributeFilter[], isInStock: boolean): Traits {
    const sets: ReadonlySet<number>[] = filters.map((filter) => new Set(this.traitsWith(filter)));
    if (isInStock) sets.push(this.#inStock);
    return sets.length === 0 ? 'all' : sets.reduce((some, others) => some.intersection(others));
  }

  /** By code, how many live rows have it by some traits; undefined where it is not kept. */
  totalsOf(traits: Traits): Int32Array | undefined {
    return traits === 'all' ? this.#totals : traits === this.#inStock ? this.#totalsInStock : undefined;
  }

  /** Tells of a row whether it has one of some traits. */
  hasAny(traits: readonly number[]): (row: number) => boolean {
    return this.#traitsOfRows.hasAny(traits, this.#codesOf.length);
  }

  /** The traits of a product. New ones become known. */
  learn(product: ProductRow): number[] {
    const traits: number[] = [];
    for (const text of this.#reader.read(product)) {
      const trait = this.#know(text);
      if (!traits.includes(trait) && (this.#codesOf[trait] as readonly number[]).length > 0) traits.push(trait);
    }
    return traits;
  }

  /** @param row the one after the last */
  append(row: number, traits: readonly number[]): void {
    this.#traitsOfRows.append(row, traits);
    for (let at = 0; at < traits.length; at += 1) {
      const trait = traits[at] as number;
      this.#dimensionsAt[at]?.add(this.#codesOf[trait]?.[0] as number);
      this.rows.append(trait, row);
    }
  }

  /** A row has come. */
  enter(traits: readonly number[]): void {
    this.#totals = withRoom(this.#totals, this.texts.length);
    this.#totalsInStock = withRoom(this.#totalsInStock, this.texts.length);
    this.#change(traits, 1);
  }

  /** A row is about to go. */
  leave(row: number): void {
    this.#change(this.#traitsOfRows.of(row), -1);
  }

  #change(traits: readonly number[], by: 1 | -1): void {
    const codes = this.#codesOfTraits(traits);
    for (let at = 0; at < codes.length; at += 1) add(this.#totals, codes[at] as number, by);
    if (this.#inStock.size === 0) return;
    const inStock = traits.filter((trait) => this.#inStock.has(trait));
    for (const code of this.#codesOfTraits(inStock)) add(this.#totalsInStock, code, by);
  }

  /** The codes of some traits, each code once. */
  #codesOfTraits(traits: readonly number[]): readonly number[] {
    if (traits.length === 1 && !this.#reader.mayRepeat) return this.#codesOf[traits[0] as number] as readonly number[];
    const codes: number[] = [];
    for (let at = 0; at < traits.length; at += 1)
      for (const code of this.#codesOf[traits[at] as number] as readonly number[])
        if (!codes.includes(code)) codes.push(code);
    return codes;
  }

  /**
   * By code, how many of some rows have it.
   * @param wanted the dimensions whose codes are counted; for those of others there may be any number
   * @param traits those that count. Of kinds whose traits stand in columns, all do
   */
  count(rows: Int32Array, wanted: readonly Dimension[], traits: Traits): Int32Array {
    const counts = new Int32Array(this.texts.length);
    const isWantedAt = (place: number): boolean => wanted.some(({ code }) => this.#dimensionsAt[place]?.has(code));
    const ofTraits = this.#traitsOfRows.countColumns(this.#codesOf.length, rows, isWantedAt);
    for (let trait = 0; trait < ofTraits.length; trait += 1) {
      const count = ofTraits[trait] as number;
      const codes = this.#codesOf[trait] as readonly number[];
      for (let at = 0; count > 0 && at < codes.length; at += 1) add(counts, codes[at] as number, count);
    }
    const codesInLists = (): readonly number[][] => {
      const isWanted = new Set(wanted.flatMap(({ code, codes }) => [code, ...codes]));
      return this.#codesOf.map((codes, trait) =>
        traits === 'all' || traits.has(trait) ? codes.filter((code) => isWanted.has(code)) : [],
      );
    };
    this.#traitsOfRows.countLists(codesInLists, rows, counts);
    return counts;
  }

  renumber(newRows: Int32Array): void {
    this.rows.renumber(newRows);
    this.#traitsOfRows = this.#traitsOfRows.renumbered(newRows);
  }

  #know(text: Slice): number {
    const trait = this.traits.numberOf(text);
    if (trait < this.#codesOf.length) return trait;
    const codes = new Set(this.#reader.parse(String(text)).flatMap((value) => this.#codesOfValue(value)));
    this.#codesOf.push([...codes]);
    if (this.#reader.isInStock?.(String(text))) this.#inStock.add(trait);
    for (const code of codes) this.#traitsOf[code]?.push(trait);
    return trait;
  }

  /** The codes of the dimension of a value, and of the value itself. */
  #codesOfValue({ name, value, isNumber }: NamedValue): readonly number[] {
    let dimension = this.byName.get(name);
    if (!dimension) {
      dimension = { name, code: this.#newCode(name, false), codes: [], byText: new Map() };
      this.byName.set(name, dimension);
    }
    const { codes, byText } = dimension;
    const alike = byText.get(value) ?? [];
    let code = alike.find((each) => Number.isNaN(this.numbers[each]) !== isNumber);
    if (code === undefined) {
      code = this.#newCode(value, isNumber);
      byText.set(value, [...alike, code]);
      codes.push(code);
    }
    return [dimension.code, code];
  }

  #newCode(text: string, isNumber: boolean): number {
    this.numbers.push(isNumber ? Number(text) : Number.NaN);
    this.#traitsOf.push([]);
    return this.texts.push(text) - 1;
  }
}

/** A kind with one dimension. */
export const plainKind = (read: Reader['read']): Kind =>
  new Kind({ read, parse: (value) => [{ name: '', value, isNumber: false }] });

export const kindOfAttributes = (): Kind => new Kind({ read: (product) => product.attributes, parse: parseAttribute });

export const kindOfOptions = (): Kind =>
  new Kind({
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
