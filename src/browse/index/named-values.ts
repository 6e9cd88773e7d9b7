import type { AttributeFilter, OptionFilter, ValueCount, ValueFacets } from '../browse-engine.ts';
import { IN_STOCK, ON_SALE, type ProductColumns, withRoom } from './columns.ts';
import { mostFrequent, Tally } from './facet-values.ts';
import { Postings } from './postings.ts';
import type { ProductRow } from './product-index.ts';
import { RowLists } from './row-lists.ts';
import { Slice, Texts } from './texts.ts';

/** Values of a product that belong together: its attributes, or the options of a variant. Numbers of texts, each of which stands for some values. */
export interface ValueGroup {
  readonly texts: readonly number[];
  readonly isInStock: boolean;
}

/** @param texts that are known */
type GroupsOf = (product: ProductRow, texts: Texts) => readonly ValueGroup[];

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
}

/** Of each entry of a row: the code; whether the group is in stock, and ends with it; and whether the row has the value, and the name, for the first time. */
const CODE_SHIFT = 4;
const IS_IN_STOCK = 1;
const IS_LAST = 2;
const FIRST_SHIFT = 2;
const FIRST_OF_NAME_SHIFT = 3;

/** Of what a group has, beside a bit for each filter that it meets: there are 20 at most (search-arguments.ts). */
const STOCK_SHIFT = 30;
const STOCK_BIT = 1 << STOCK_SHIFT;
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

/** Attributes, or the options of variants: each name and value under a code, and which products have it in which group. */
export class NamedValues {
  readonly #groupsOf: GroupsOf;
  readonly #parse: (text: string) => readonly NamedValue[];
  readonly #names: Name[] = [];
  readonly #byName = new Map<string, number>();
  /** By code. */
  readonly #nameOf: number[] = [];
  readonly #values: string[] = [];
  #texts = new Texts();
  /** By the number of a text. */
  #codesOfTexts: (readonly number[])[] = [];
  /** By code, the rows that have it, dead ones among them. */
  readonly rows = new Postings();
  /** A product counts as in stock where a group with the value is. */
  readonly #tally = new Tally();
  readonly #nameTally = new Tally();
  readonly #lists = new RowLists();
  /** By code and by name: the last time that it was met. */
  #met = new Float64Array(0);
  #metNames = new Float64Array(0);
  #time = 0;

  constructor(groupsOf: GroupsOf, parse: (text: string) => readonly NamedValue[]) {
    this.#groupsOf = groupsOf;
    this.#parse = parse;
  }

  get bytes(): number {
    const parts = [this.rows, this.#tally, this.#nameTally, this.#lists, this.#texts];
    const own = (this.count + this.#codesOfTexts.length) * BYTES_PER_VALUE + this.#met.byteLength;
    return parts.reduce((sum, { bytes }) => sum + bytes, own);
  }

  /** How many codes there are. */
  get count(): number {
    return this.#nameOf.length;
  }

  /** The entries of a product, whose values become known. */
  learn(product: ProductRow): number[] {
    const entries: number[] = [];
    this.#time += 1;
    if (this.#codesOfTexts.length >= MAX_KNOWN_TEXTS) {
      this.#texts = new Texts();
      this.#codesOfTexts = [];
    }
    for (const { texts, isInStock } of this.#groupsOf(product, this.#texts)) {
      const begin = entries.length;
      for (const text of texts)
        for (const code of this.#codesOfText(text)) {
          const first = Number(this.#meets(code)) << FIRST_SHIFT;
          const firstOfName = Number(this.#meetsName(code)) << FIRST_OF_NAME_SHIFT;
          entries.push((code << CODE_SHIFT) | Number(isInStock) | first | firstOfName);
        }
      if (entries.length > begin) entries.push((entries.pop() as number) | IS_LAST);
    }
    return entries;
  }

  /** Whether a row has these entries, apart from what is in stock. */
  has(row: number, entries: readonly number[]): boolean {
    const known = this.#lists.of(row);
    return (
      known.length === entries.length &&
      entries.every((entry, at) => ((known[at] as number) | IS_IN_STOCK) === (entry | IS_IN_STOCK))
    );
  }

  append(row: number, entries: readonly number[]): void {
    this.#lists.set(row, entries);
    for (const entry of entries) if ((entry >>> FIRST_SHIFT) & 1) this.rows.append(entry >>> CODE_SHIFT, row);
  }

  /** Says what is in stock of a row that has these entries. */
  restock(row: number, entries: readonly number[]): void {
    this.#lists.set(row, entries);
  }

  enter(row: number, columns: ProductColumns): void {
    this.#changeTallies(row, columns, 1);
  }

  leave(row: number, columns: ProductColumns): void {
    this.#changeTallies(row, columns, -1);
  }

  renumber(newRows: Int32Array): void {
    this.rows.renumber(newRows);
    this.#lists.renumber(newRows);
  }

  /** The codes that a filter wants. */
  find({ name, values = [], min, max }: AttributeFilter | (OptionFilter & { min?: never; max?: never })): number[] {
    const known = this.#names[this.#byName.get(name) ?? -1];
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

  noCounts(): NamedCounts {
    return { values: new Int32Array(this.count), names: new Int32Array(this.#names.length) };
  }

  addTallies(counts: NamedCounts, states: readonly number[]): void {
    this.#tally.addTo(counts.values, states);
    this.#nameTally.addTo(counts.names, states);
  }

  /** Counts the values of groups that fit, of each product each value once. @param only values of this name, where there is one */
  addRows(counts: NamedCounts, test: GroupTest | undefined, rows: Int32Array, length: number, only?: string): void {
    const wanted = only === undefined ? undefined : (this.#byName.get(only) ?? -1);
    const { codes: entries } = this.#lists;
    const ends = this.#lists.ends as Uint32Array;
    const nameOf = this.#nameOf;
    const { values, names } = counts;
    if (!test) {
      for (let each = 0; each < length; each += 1) {
        const row = rows[each] as number;
        const end = ends[row] as number;
        for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1) {
          const entry = entries[at] as number;
          const code = entry >>> CODE_SHIFT;
          const name = nameOf[code] as number;
          if (wanted !== undefined && name !== wanted) continue;
          values[code] = (values[code] as number) + ((entry >>> FIRST_SHIFT) & 1);
          names[name] = (names[name] as number) + ((entry >>> FIRST_OF_NAME_SHIFT) & 1);
        }
      }
      return;
    }
    const { bits, all } = test;
    const met = this.#met;
    const metNames = this.#metNames;
    let time = this.#time;
    for (let each = 0; each < length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      time += 1;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number), next = at; at < end; at = next) {
        let has = 0;
        let entry: number;
        do {
          entry = entries[next++] as number;
          has |= (bits[entry >>> CODE_SHIFT] as number) | ((entry & IS_IN_STOCK) << STOCK_SHIFT);
        } while ((entry & IS_LAST) === 0);
        if ((has & all) !== all) continue;
        for (; at < next; at += 1) {
          const code = (entries[at] as number) >>> CODE_SHIFT;
          const name = nameOf[code] as number;
          if (met[code] === time || (wanted !== undefined && name !== wanted)) continue;
          met[code] = time;
          values[code] = (values[code] as number) + 1;
          names[name] = (names[name] as number) + Number(metNames[name] !== time);
          metNames[name] = time;
        }
      }
    }
    this.#time = time;
  }

  /**
   * Keeps the rows of which a group fits, in place.
   * @param lacks what a group may lack, and the bits of the row that stay then
   */
  keep(
    { bits: meets, all }: GroupTest,
    lacks: readonly { readonly mask: number; readonly own: number }[],
    found: { readonly rows: Int32Array; readonly bits: Uint8Array; length: number },
  ): void {
    const { rows, bits, length } = found;
    const { codes: entries } = this.#lists;
    const ends = this.#lists.ends as Uint32Array;
    const masks = Int32Array.from(lacks, ({ mask }) => ~mask);
    const owns = Int32Array.from(lacks, ({ own }) => own);
    let kept = 0;
    for (let each = 0; each < length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      let has = 0;
      let left = 0;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1) {
        const entry = entries[at] as number;
        has |= (meets[entry >>> CODE_SHIFT] as number) | ((entry & IS_IN_STOCK) << STOCK_SHIFT);
        if ((entry & IS_LAST) === 0) continue;
        const missing = all & ~has;
        left |= -Number(missing === 0);
        for (let lack = 0; lack < masks.length; lack += 1)
          left |= (owns[lack] as number) & -Number((missing & (masks[lack] as number)) === 0);
        has = 0;
      }
      left &= bits[each] as number;
      // A branch would be guessed wrong too often.
      rows[kept] = row;
      bits[kept] = left;
      kept += Number(left !== 0);
    }
    found.length = kept;
  }

  /** Of the names that are wanted those which most products have. */
  facetsOf({ values, names }: NamedCounts, isWanted: (name: string) => boolean): CountedName[] {
    const counted = [...this.#names.keys()].filter((name) => isWanted((this.#names[name] as Name).name));
    return mostFrequent(counted, names, (name) => (this.#names[name] as Name).name).map(
      ({ code: name, value, count }) => {
        const { codes, texts, numbers } = this.#names[name] as Name;
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
    return this.#names[this.#nameOf[code] as number]?.numbers.get(this.#values[code] as string) === code;
  }

  #codesOfText(text: number): readonly number[] {
    const known = this.#codesOfTexts[text];
    if (known) return known;
    const codes = [...new Set(this.#parse(this.#texts.values[text] as string).map((value) => this.#codeOf(value)))];
    this.#codesOfTexts[text] = codes;
    return codes;
  }

  #codeOf({ name, value, isNumber }: NamedValue): number {
    let number = this.#byName.get(name);
    if (number === undefined) {
      number = this.#names.push({ name, codes: [], texts: new Map(), numbers: new Map() }) - 1;
      this.#byName.set(name, number);
    }
    const { codes, texts, numbers } = this.#names[number] as Name;
    const known = (isNumber ? numbers : texts).get(value);
    if (known !== undefined) return known;
    const code = this.#nameOf.push(number) - 1;
    (isNumber ? numbers : texts).set(value, code);
    this.#values.push(value);
    codes.push(code);
    this.#met = withRoom(this.#met, this.count);
    this.#metNames = withRoom(this.#metNames, this.#names.length);
    return code;
  }

  /** A product is in one state for each value: values that are in stock in one group come first. */
  #changeTallies(row: number, { state }: ProductColumns, by: 1 | -1): void {
    const bits = state.values[row] as number;
    const entries = this.#lists.of(row);
    this.#time += 1;
    for (const inStock of [IS_IN_STOCK, 0]) {
      const ofState = bits & (inStock ? IN_STOCK | ON_SALE : ON_SALE);
      for (const entry of entries) {
        const code = entry >>> CODE_SHIFT;
        if ((entry & IS_IN_STOCK) !== inStock || !this.#meets(code)) continue;
        this.#tally.change(code, ofState, by);
        if (this.#meetsName(code)) this.#nameTally.change(this.#nameOf[code] as number, ofState, by);
      }
    }
  }

  /** Whether it is the first time now. */
  #meets(code: number): boolean {
    const isFirst = this.#met[code] !== this.#time;
    this.#met[code] = this.#time;
    return isFirst;
  }

  #meetsName(code: number): boolean {
    const name = this.#nameOf[code] as number;
    const isFirst = this.#metNames[name] !== this.#time;
    this.#metNames[name] = this.#time;
    return isFirst;
  }
}

/** What a group must have. */
export interface GroupTest {
  /** By code, the filters that it meets. */
  readonly bits: Int32Array;
  readonly all: number;
}

/** Filters of options, which one variant must meet together: all but those of one name where a facet counts that one. */
export class GroupFilter {
  readonly #of: NamedValues;
  readonly #wanted: readonly { readonly name: string; readonly codes: readonly number[] }[];
  readonly #bits: Int32Array;
  readonly #stock: number;

  constructor(of: NamedValues, filters: readonly OptionFilter[] = [], wantsStock: boolean) {
    this.#of = of;
    this.#wanted = filters.map((filter) => ({ name: filter.name, codes: of.find(filter) }));
    this.#stock = wantsStock ? STOCK_BIT : 0;
    this.#bits = new Int32Array(of.count);
    for (const [place, { codes }] of this.#wanted.entries())
      for (const code of codes) this.#bits[code] = (this.#bits[code] as number) | (1 << place);
  }

  /** Whether it filters, also without the filters of a name. */
  filters(without?: string): boolean {
    return this.#wanted.some(({ name }) => name !== without);
  }

  /** For each filter the rows that have one of its values, in whatever variant. */
  lists() {
    const { rows: postings } = this.#of;
    return this.#wanted.map(({ name, codes }) => ({
      name,
      list: { postings, codes, length: codes.reduce((sum, code) => sum + postings.countOf(code), 0) },
    }));
  }

  /** The bits of the filters of a name. */
  maskOf(name: string): number {
    return this.#wanted.reduce((mask, each, place) => mask | (Number(each.name === name) << place), 0);
  }

  /** Undefined where every variant fits. */
  test(without: string | undefined): GroupTest | undefined {
    let all = this.#stock;
    for (const [place, { name }] of this.#wanted.entries()) if (name !== without) all |= 1 << place;
    return all === 0 ? undefined : { bits: this.#bits, all };
  }

  /** Of some rows those of which a variant that fits is in stock. */
  countInStock(rows: Int32Array, length: number): number {
    const found = { rows: rows.slice(0, length), bits: new Uint8Array(length).fill(1), length };
    this.#of.keep({ bits: this.#bits, all: (this.test(undefined)?.all ?? 0) | STOCK_BIT }, [], found);
    return found.length;
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
  if (String(Number(one)) === one || (difference !== 0 && !Number.isNaN(difference))) return difference;
  const digits = Math.max(...[one, other].map((text) => text.split('.')[1]?.length ?? 0));
  const [left = 0n, right = 0n] = [one, other].map((text) => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(digits, '0'));
  });
  return left < right ? -1 : Number(left > right);
};

const [QUOTE, COMMA, SPACE, BACKSLASH, BEGIN_LIST, END_LIST, PLUS] = [...Buffer.from('", \\[]+')];

/** The members of an object of JSON, whose values are no objects. */
const membersOf = ({ memory, begin, end }: Slice): Slice[] => {
  const members: Slice[] = [];
  let from = begin + 1;
  let isInText = false;
  let isInList = false;
  for (let at = from; at < end; at += 1) {
    const byte = memory[at];
    if (isInText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isInText = !isInText;
    else if (isInText) continue;
    else if (byte === BEGIN_LIST) isInList = true;
    else if (byte === END_LIST) isInList = false;
    else if (at === end - 1 || (byte === COMMA && !isInList)) {
      if (at > from) members.push(new Slice(memory, from, at));
      from = memory[at + 1] === SPACE ? at + 2 : at + 1;
    }
  }
  return members;
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

export const attributes = (): NamedValues =>
  new NamedValues(
    ({ attributes, isInStock }, texts) => [
      { texts: membersOf(attributes).map((member) => texts.numberOf(member)), isInStock },
    ],
    (member) =>
      Object.entries<unknown>(JSON.parse(`{${member}}`)).flatMap(([name, value]) => {
        const isNumber = typeof value === 'number';
        const texts = isNumber ? [numberText(value, member.slice(member.lastIndexOf(':') + 1).trim())] : [value].flat();
        return texts.map((each) => ({ name, value: String(each), isNumber }));
      }),
  );

/** As facets.sql.ts writes a number: as JavaScript does, and one beyond its range with all its digits. */
const numberText = (number: number, digits: string): string => {
  const size = Math.abs(number);
  if (size === 0 || (size >= 1e-300 && size <= 1e300)) return String(number);
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
};

export const options = (): NamedValues =>
  new NamedValues(
    ({ optionNames, variants, isInStock }, texts) =>
      variants
        .map(({ memory, begin, end }) => {
          const text = texts.numberOf(joinedOf(optionNames, new Slice(memory, begin, end - 1)));
          return text * 2 + Number(memory[end - 1] === PLUS);
        })
        .sort((a, b) => a - b)
        // Programs that write past the triggers may leave a product out of stock that has such a variant.
        .map((each) => ({ texts: [each >>> 1], isInStock: isInStock && (each & 1) === 1 })),
    (text) => {
      const [names, values]: (string | null)[][] = JSON.parse(`[${text}]`);
      return (names ?? []).flatMap((name, place) => {
        const value = values?.[place];
        return name === null || value === null || value === undefined ? [] : [{ name, value, isNumber: false }];
      });
    },
  );
