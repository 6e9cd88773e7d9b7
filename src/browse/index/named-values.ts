import { numberText } from '../../database/exact-json.ts';
import type { AttributeFilter, OptionFilter, ValueCount, ValueFacets } from '../browse-engine.ts';
import { IN_STOCK, ON_SALE, type ProductColumns, withRoom } from './columns.ts';
import { mostFrequent, Tally } from './facet-values.ts';
import { Postings } from './postings.ts';
import type { ProductRow } from './product-index.ts';
import { type Codes, RowLists, RowNumbers } from './row-lists.ts';
import { Slice, Texts } from './texts.ts';

interface NamedValue {
  readonly name: string;
  readonly value: string;
  readonly isNumber: boolean;
}

interface Name {
  readonly name: string;
  readonly codes: number[];
  /** Codes of the values by their texts: those that are no numbers of JSON, and those that are. */
  readonly texts: Map<string, number>;
  readonly numbers: Map<string, number>;
  /** The code of what a product has too often for it to count once under the name: see {@link AttributeValues}. */
  surplus?: number;
}

/** How many texts are known by heart, so that they need not be parsed again. */
const MAX_KNOWN_TEXTS = 50_000;

/** An entry of a map and of a list, and texts of usual length. */
const BYTES_PER_VALUE = 120;

/** How many products have each value and each name, as far as they are counted. */
export interface NamedCounts {
  readonly values: Int32Array;
  readonly names: Int32Array;
}

/** A name under which so many products have a value. */
export interface CountedName extends ValueCount<string> {
  readonly facet: ValueFacets;
}

/** Each name and value under a code, and which products have it. */
abstract class NamedValues {
  /** By code, the rows that have it, dead ones among them. */
  readonly rows = new Postings();
  protected readonly tally = new Tally();
  protected abstract readonly ofRows: RowLists | RowNumbers;
  protected texts = new Texts();
  /** By the number of a text. */
  protected codesOfTexts: (readonly number[])[] = [];
  /** By code. */
  protected nameOf = new Int32Array(0);
  protected readonly names: Name[] = [];
  readonly #byName = new Map<string, number>();
  /** By code. */
  readonly #values: string[] = [];

  get bytes(): number {
    const parts = [this.rows, this.tally, this.ofRows, this.texts];
    const own = (this.count + this.codesOfTexts.length) * BYTES_PER_VALUE + this.nameOf.byteLength;
    return parts.reduce((sum, { bytes }) => sum + bytes, own);
  }

  /** How many codes there are. */
  get count(): number {
    return this.#values.length;
  }

  enter(row: number, { state }: ProductColumns, numbers: Iterable<number> = this.ofRows.of(row)): void {
    this.changeTallies(numbers, state.values[row] as number, 1);
  }

  leave(row: number, { state }: ProductColumns): void {
    this.changeTallies(this.ofRows.of(row), state.values[row] as number, -1);
  }

  /** @param numbers of a row */
  protected abstract changeTallies(numbers: Iterable<number>, bits: number, by: 1 | -1): void;

  renumber(newRows: Int32Array): void {
    this.rows.renumber(newRows);
    this.ofRows.renumber(newRows);
  }

  /** The codes that a filter wants. */
  find({ name, values = [], min, max }: AttributeFilter | (OptionFilter & { min?: never; max?: never })): number[] {
    const known = this.names[this.numberOf(name)];
    if (!known) return [];
    const codes = values.flatMap((value) => [known.texts.get(value) ?? [], known.numbers.get(value) ?? []].flat());
    if (min !== undefined || max !== undefined)
      for (const [number, code] of known.numbers)
        if (
          (min === undefined || compareNumbers(number, min) >= 0) &&
          (max === undefined || compareNumbers(number, max) <= 0)
        )
          codes.push(code);
    return [...new Set(codes)];
  }

  /** -1 for a name that no product ever had. */
  protected numberOf(name: string): number {
    return this.#byName.get(name) ?? -1;
  }

  noCounts(): NamedCounts {
    return { values: new Int32Array(this.count), names: new Int32Array(this.names.length) };
  }

  addTallies(counts: NamedCounts, states: readonly number[]): void {
    this.tally.addTo(counts.values, states);
  }

  /** Of the names that are wanted those which most products have. */
  facetsOf({ values, names }: NamedCounts, isWanted: (name: string) => boolean): CountedName[] {
    const counted = [...this.names.keys()].filter((name) => isWanted((this.names[name] as Name).name));
    return mostFrequent(counted, names, (name) => (this.names[name] as Name).name).map(
      ({ code: name, value, count }) => {
        const { codes, texts, numbers } = this.names[name] as Name;
        const found = codes.filter((code) => (values[code] as number) > 0);
        const isOfNumbers = found.every((code) => this.#isNumber(code));
        // A number and a text that are written alike are one value.
        for (const code of isOfNumbers || numbers.size === 0 ? [] : found) {
          const other = texts.get(this.#values[code] as string);
          if (other === undefined || other === code) continue;
          values[other] = (values[other] as number) + (values[code] as number);
          values[code] = 0;
          if (!found.includes(other)) found.push(other);
        }
        const facet = {
          name: value,
          values: mostFrequent(found, values, (code) => this.#values[code] as string).map((each) => ({
            value: each.value,
            count: each.count,
          })),
          ...(isOfNumbers && extremesOf(found.map((code) => this.#values[code] as string))),
        };
        return { value, count, facet };
      },
    );
  }

  #isNumber(code: number): boolean {
    return this.names[this.nameOf[code] as number]?.numbers.get(this.#values[code] as string) === code;
  }

  protected abstract parse(text: string): readonly NamedValue[];

  protected codesOfText(text: number): readonly number[] {
    const known = this.codesOfTexts[text];
    if (known) return known;
    const codes = [...new Set(this.parse(this.texts.values[text] as string).map((value) => this.#codeOf(value)))];
    this.codesOfTexts[text] = codes;
    return codes;
  }

  #codeOf({ name, value, isNumber }: NamedValue): number {
    let number = this.#byName.get(name);
    if (number === undefined) {
      number = this.names.push({ name, codes: [], texts: new Map(), numbers: new Map() }) - 1;
      this.#byName.set(name, number);
    }
    const { codes, texts, numbers } = this.names[number] as Name;
    const known = (isNumber ? numbers : texts).get(value);
    if (known !== undefined) return known;
    const code = this.newCode(number, value);
    (isNumber ? numbers : texts).set(value, code);
    codes.push(code);
    return code;
  }

  protected newCode(name: number, value: string): number {
    const code = this.#values.push(value) - 1;
    this.nameOf = withRoom(this.nameOf, code + 1);
    this.nameOf[code] = name;
    return code;
  }
}

/**
 * The attributes of products: of each row the codes of its values, each once. For each value after the first of a name it has that name's surplus, too: so a name
 * is counted by its values, less its surplus.
 */
export class AttributeValues extends NamedValues {
  /** A place is a name. */
  readonly ofRows = new RowNumbers(this.rows, (code) => this.nameOf[code] as number);

  /** The codes of a product, whose values become known. */
  learn({ attributes }: ProductRow): number[] {
    if (this.codesOfTexts.length >= MAX_KNOWN_TEXTS) {
      this.texts = new Texts();
      this.codesOfTexts = [];
    }
    const codes: number[] = [];
    const { memory } = attributes;
    const last = attributes.end - 1;
    for (let begin = attributes.begin + 1, end = begin; begin < last; begin = end + 1) {
      if (memory[begin] === SPACE) begin += 1;
      end = endOfMember(memory, begin, last);
      const own = this.codesOfText(this.texts.numberOfBytes(memory, begin, end));
      for (let at = 0; at < own.length; at += 1) codes.push(own[at] as number);
      if (own.length < 2) continue;
      const number = this.nameOf[own[0] as number] as number;
      const name = this.names[number] as Name;
      name.surplus ??= this.newCode(number, '');
      for (let at = 1; at < own.length; at += 1) codes.push(name.surplus);
    }
    return codes;
  }

  has(row: number, codes: readonly number[]): boolean {
    return this.ofRows.has(row, codes);
  }

  append(row: number, codes: readonly number[]): void {
    this.ofRows.append(row, codes);
  }

  /** See {@link RowNumbers.columnAt}. */
  columnOf(name: string): Codes | undefined {
    return this.ofRows.columnAt(this.numberOf(name));
  }

  /** Counts the values of some names. */
  addRows({ values }: NamedCounts, rows: Int32Array, isWanted: (name: string) => boolean): void {
    this.ofRows.count(values, rows, rows.length, (name) => isWanted((this.names[name] as Name).name));
  }

  override facetsOf(counts: NamedCounts, isWanted: (name: string) => boolean): CountedName[] {
    for (const [number, { name, codes, surplus }] of this.names.entries()) {
      if (!isWanted(name)) continue;
      const sum = codes.reduce((all, code) => all + (counts.values[code] as number), 0);
      counts.names[number] = sum - (surplus === undefined ? 0 : (counts.values[surplus] as number));
    }
    return super.facetsOf(counts, isWanted);
  }

  protected override changeTallies(codes: Iterable<number>, bits: number, by: 1 | -1): void {
    for (const code of codes) this.tally.change(code, bits, by);
  }

  protected override parse(member: string): readonly NamedValue[] {
    return Object.entries<unknown>(JSON.parse(`{${member}}`)).flatMap(([name, value]) => {
      const isNumber = typeof value === 'number';
      const texts = isNumber ? [numberText(member.slice(member.lastIndexOf(':') + 1).trim())] : [value].flat();
      return texts.map((each) => ({ name, value: String(each), isNumber }));
    });
  }
}

/** Small numbers, each new once: without a set for each row. */
class Distinct {
  /** By number, the last round in which it was new. */
  #rounds = new Float64Array(0);
  #round = 0;

  begin(): void {
    this.#round += 1;
  }

  isNew(number: number): boolean {
    if (number >= this.#rounds.length) this.#rounds = withRoom(this.#rounds, number + 1);
    if (this.#rounds[number] === this.#round) return false;
    this.#rounds[number] = this.#round;
    return true;
  }
}

/** By variant: 1 where it fits. */
export type Fitting = Uint8Array;

/** The options of variants. All variants with the same options are one number; of each row they are twice that, and one more where the variant is in stock. */
export class OptionValues extends NamedValues {
  protected readonly ofRows = new RowLists();
  /** By the text of a variant, the rows that have it, in stock or not, dead ones among them. */
  readonly rowsOfTexts = new Postings();
  readonly #nameTally = new Tally();
  readonly #distinct = new Distinct();
  readonly #distinctNames = new Distinct();

  /** The variants of a product, whose values become known. */
  learn({ optionNames, variants, isInStock }: ProductRow): number[] {
    const learnt = new Array<number>(variants.length);
    for (let count = 0; count < learnt.length; count += 1) {
      const { memory, begin, end } = variants[count] as Slice;
      const text = this.texts.numberOf(joinedOf(optionNames, new Slice(memory, begin, end - 1)));
      this.codesOfText(text);
      // Programs that write past the triggers may leave a product out of stock that has such a variant.
      const variant = text * 2 + Number(isInStock && memory[end - 1] === PLUS);
      // They are few, and `sort` is slow with so few.
      let at = count;
      for (; at > 0 && (learnt[at - 1] as number) > variant; at -= 1) learnt[at] = learnt[at - 1] as number;
      learnt[at] = variant;
    }
    return learnt;
  }

  /** Whether a row has these variants, apart from what is in stock. */
  has(row: number, variants: readonly number[]): boolean {
    const known = this.ofRows.of(row);
    return known.length === variants.length && variants.every((each, at) => (known[at] as number) >>> 1 === each >>> 1);
  }

  append(row: number, variants: readonly number[]): void {
    this.ofRows.set(row, variants);
    this.#distinct.begin();
    for (const [at, variant] of variants.entries()) {
      const text = variant >>> 1;
      if (at > 0 && (variants[at - 1] as number) >>> 1 === text) continue;
      this.rowsOfTexts.append(text, row);
      for (const code of this.codesOfText(text)) if (this.#distinct.isNew(code)) this.rows.append(code, row);
    }
  }

  /** Says what is in stock of a row that has these variants. */
  restock(row: number, variants: readonly number[]): void {
    this.ofRows.set(row, variants);
  }

  /** The variants that meet all filters but those of a name. */
  fitting(filters: readonly OptionFilter[], wantsStock: boolean, without?: string): Fitting {
    const fits = new Uint8Array(this.codesOfTexts.length * 2).fill(1);
    if (wantsStock) for (let variant = 0; variant < fits.length; variant += 2) fits[variant] = 0;
    for (const filter of filters.filter(({ name }) => name !== without)) {
      const wanted = new Set(this.find(filter));
      for (const [text, codes] of this.codesOfTexts.entries())
        if (!codes.some((code) => wanted.has(code))) fits.fill(0, text * 2, text * 2 + 2);
    }
    return fits;
  }

  /** The texts of some variants. */
  textsOf(fits: Fitting): number[] {
    return [...this.codesOfTexts.keys()].filter((text) => fits[text * 2 + 1]);
  }

  /** Keeps the rows of which a variant fits, in place. @returns how many they are */
  keep(fits: Fitting, rows: Int32Array, length: number): number {
    const { codes: variants, ends } = this.ofRows;
    let kept = 0;
    for (let each = 0; each < length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      let fit = 0;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1)
        fit |= fits[variants[at] as number] as number;
      // A branch would be guessed wrong too often.
      rows[kept] = row;
      kept += fit;
    }
    return kept;
  }

  override get bytes(): number {
    return super.bytes + this.rowsOfTexts.bytes;
  }

  override renumber(newRows: Int32Array): void {
    super.renumber(newRows);
    this.rowsOfTexts.renumber(newRows);
  }

  override addTallies(counts: NamedCounts, states: readonly number[]): void {
    super.addTallies(counts, states);
    this.#nameTally.addTo(counts.names, states);
  }

  /** Counts the values of variants that fit and their names, of each product each once. @param isWanted whether the values of a name are */
  addRows({ values, names }: NamedCounts, fits: Fitting, rows: Int32Array, isWanted: (name: string) => boolean): void {
    const wanted = [...this.names.keys()].filter((number) => isWanted((this.names[number] as Name).name));
    if (wanted.length === 0) return;
    /** Of values, and of names by numbers after those of all values. Names that each variant has are counted as one. */
    const places = new Int32Array(this.count + this.names.length).fill(-1);
    let count = 1;
    const texts = this.textsOf(fits);
    for (const number of wanted) {
      for (const code of (this.names[number] as Name).codes) places[code] = count++;
      const isOfEach = texts.every((text) => this.codesOfText(text).some((code) => this.nameOf[code] === number));
      places[this.count + number] = isOfEach ? 0 : count++;
    }
    const placesOf = this.codesOfTexts.map((codes) =>
      codes
        .flatMap((code) => [places[code] as number, places[this.count + (this.nameOf[code] as number)] as number])
        .filter((place) => place >= 0),
    );
    const placesOfVariants = Array.from(fits, (fit, variant) => (fit ? (placesOf[variant >>> 1] as number[]) : []));
    const counts = this.ofRows.countOnce(placesOfVariants, count, rows);
    for (const [number, place] of places.entries())
      if (place < 0) continue;
      else if (number < this.count) values[number] = (values[number] as number) + (counts[place] as number);
      else names[number - this.count] = (names[number - this.count] as number) + (counts[place] as number);
  }

  /** A product is in one state for each value: values that are in stock in one variant come first. */
  protected override changeTallies(variants: Iterable<number>, bits: number, by: 1 | -1): void {
    this.#distinct.begin();
    this.#distinctNames.begin();
    for (const inStock of [1, 0]) {
      const ofState = bits & (inStock ? IN_STOCK | ON_SALE : ON_SALE);
      for (const variant of variants) {
        if ((variant & 1) !== inStock) continue;
        for (const code of this.codesOfText(variant >>> 1)) {
          if (!this.#distinct.isNew(code)) continue;
          this.tally.change(code, ofState, by);
          const name = this.nameOf[code] as number;
          if (this.#distinctNames.isNew(name)) this.#nameTally.change(name, ofState, by);
        }
      }
    }
  }

  protected override parse(text: string): readonly NamedValue[] {
    const [names, values]: (string | null)[][] = JSON.parse(`[${text}]`);
    return (names ?? []).flatMap((name, place) => {
      const value = values?.[place];
      return name === null || value === null || value === undefined ? [] : [{ name, value, isNumber: false }];
    });
  }
}

const extremesOf = (numbers: readonly string[]): { min?: string; max?: string } => {
  let [min, max] = [numbers[0], numbers[0]];
  for (const number of numbers) {
    if (min === undefined || compareNumbers(number, min) < 0) min = number;
    if (max === undefined || compareNumbers(number, max) > 0) max = number;
  }
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
};

/** As products show them; beyond the numbers of JavaScript with all their digits. @param one an attribute's */
const compareNumbers = (one: string, other: string): number => {
  const difference = Number(one) - Number(other);
  if ((difference !== 0 && !Number.isNaN(difference)) || String(Number(one)) === one) return difference;
  const digits = Math.max(...[one, other].map((text) => text.split('.')[1]?.length ?? 0));
  const [left = 0n, right = 0n] = [one, other].map((text) => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(digits, '0'));
  });
  return left < right ? -1 : Number(left > right);
};

const [QUOTE, COMMA, SPACE, BACKSLASH, BEGIN_LIST, END_LIST, PLUS] = [...Buffer.from('", \\[]+')];

/** Where a member of an object of JSON ends, whose value is no object. @param end of the object's members */
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

/** Two texts with a comma between them, in memory that the next ones take. */
let joined = Buffer.alloc(0);
const joinedOf = (one: Slice, { memory, begin, end }: Slice): Slice => {
  const middle = one.end - one.begin;
  const length = middle + 1 + end - begin;
  if (joined.length < length) joined = Buffer.alloc(length * 2);
  for (let at = 0; at < middle; at += 1) joined[at] = one.memory[one.begin + at] as number;
  joined[middle] = COMMA as number;
  for (let at = begin; at < end; at += 1) joined[middle + 1 + at - begin] = memory[at] as number;
  return new Slice(joined, 0, length);
};
