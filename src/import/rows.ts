import { AmbiguousNumberError, DecimalPoints } from './fields/number.ts';
import { InvalidPartError, InvalidValueError } from './fields/parse.ts';
import { isKnownCurrency } from './fields/price.ts';
import { slugify } from './fields/slug.ts';
import type { Draft, Format, VariantDraft } from './formats/format.ts';
import { columnIn, type Field, type ImportKind, type Reject, type StagedRow } from './kind.ts';
import type { ReadOptions } from './options.ts';
import { type Fault, isBlank, placeOf, showValue, type Value } from './record.ts';
import { MAY_BE_CUT } from './source/text.ts';

interface RowOptions extends ReadOptions {
  readonly kind: ImportKind;
  /** The kind of the rows that rows of this kind hold. */
  readonly innerKind: ImportKind | undefined;
  readonly fileFormat: Format;
  /** The file's name for a field. */
  readonly columnOf: (field: string, draft?: Pick<Draft, 'columns'>) => string;
  readonly onFault: (fault: Fault) => void;
}

/** What has values: a row, or one that it holds. */
type Valued = VariantDraft & Pick<Draft, 'ifNew'>;

/** Drafts with numbers that can be read in two ways wait for what the rest of the file says, in memory. */
const MAX_WAITING = 5000;

/** Currencies that are named in a warning. */
const MAX_UNKNOWN = 10;

/** Turns the drafts of a file into rows of its staging table, and reports everything that is wrong with them. */
export class RowReader {
  /** How many rows there are, those that wait and those that were refused then included. */
  stagedRows = 0;
  /** Codes that are in no list of currencies. */
  readonly unknownCurrencies = new Set<string>();
  readonly #options: RowOptions;
  readonly #points = new DecimalPoints();
  #waiting: { readonly draft: Draft; readonly ordinal: number }[] = [];
  #isAtEnd = false;

  constructor(options: RowOptions) {
    this.#options = options;
  }

  read(drafts: readonly Draft[]): StagedRow[] {
    return drafts.flatMap((draft) => this.#check(completed(draft, this.#options), this.stagedRows + 1));
  }

  /** The rows that waited for the end of the file. */
  end(): StagedRow[] {
    this.#isAtEnd = true;
    return this.#waiting.flatMap(({ draft, ordinal }) => this.#check(draft, ordinal));
  }

  /** @returns none for a row that waits, or that is rejected, unless its key counts */
  #check(draft: Draft, ordinal: number): StagedRow[] {
    // Numbers are read by what the file has said so far.
    const isDecided = this.#isAtEnd || this.#waiting.length >= MAX_WAITING;
    const { kind, innerKind, fileFormat, columnOf, onFault, ...options } = this.#options;
    const { rejection, mark, variants = [] } = draft;
    const faults: Fault[] = [];
    let isAmbiguous = false;
    const rejecting =
      (row: Valued): Reject =>
      (name, reason, part) => {
        const place = placeOf(row);
        const column = columnOf(name, row);
        const value = showValue(part ?? row.values[name] ?? row.ifNew?.[name]);
        // Several fields may come from one cell.
        if (faults.some((fault) => fault.line === place.line && fault.column === column && fault.value === value))
          return;
        faults.push({ ...place, column, value, reason: mark === 'unterminated' ? reason + MAY_BE_CUT : reason });
      };
    const parse = (row: Valued, of: ImportKind, reject: Reject): StagedRow =>
      parseRow(row, of, reject, (field, name, value) => {
        const column = columnOf(name, row);
        try {
          if (isNumber(field)) this.#points.learn(column, value);
          return field.parse(value, options);
        } catch (error) {
          if (!(error instanceof AmbiguousNumberError)) throw error;
          isAmbiguous = true;
          if (!isDecided || !this.#points.has(column)) throw error;
          return field.parse(value, { ...options, decimal: '.' });
        }
      });
    const reject = rejecting(draft);
    // First, because its key may be none of a product.
    if (rejection) reject(kind.key, rejection);
    const row = parse(draft, kind, reject);
    const missing = draft.slugSource !== undefined && !row.slug ? 'slug' : kind.key;
    if (faults.length === 0 && !row[columnIn(kind, missing)]) reject(missing, 'is missing');
    const conflict = kind.check?.(row);
    if (conflict) reject(conflict.field, conflict.reason);
    const earlier = new Set<string>();
    const innerRows =
      innerKind &&
      variants.map((variant, at): StagedRow => {
        const rejectInner = rejecting(variant);
        const parsed = parse(variant, innerKind, rejectInner);
        innerKind.inner?.check(parsed, row, earlier, (name, reason) => {
          // The first of the rows that share a sku keeps it.
          if (!(fileFormat.mayShareSkus && name === 'sku')) rejectInner(name, reason);
        });
        return { ...parsed, ordinal, place: at + 1, present: [...parsed.present, innerKind.key] };
      });
    const { maxRows = 0 } = innerKind?.inner ?? {};
    if (variants.length > maxRows) reject('variants', `has ${variants.length} variants, and may have ${maxRows}`);
    if (isAmbiguous && !isDecided) {
      this.#waiting.push({ draft, ordinal });
      this.stagedRows = ordinal;
      return [];
    }
    for (const fault of faults) onFault(fault);

    // A name that cannot be stored is rejected as a field; here it only tells rows apart.
    const slug_source = draft.slugSource?.replaceAll('\0', '').toWellFormed().trim();
    const slug_end = kind.key === 'sku' ? slugify(String(row.sku ?? '')) || undefined : undefined;
    const known = { ordinal, slug_source, slug_end };
    if (faults.length === 0) {
      this.#noteCurrency(row.currency);
      this.stagedRows = Math.max(this.stagedRows, ordinal);
      return [{ ...row, ...known, mark, inner_rows: draft.variants && innerRows }];
    }
    const { [kind.key]: key, line, record, present, name } = row;
    if (!kind.keepsRejected || !key) return [];
    this.stagedRows = Math.max(this.stagedRows, ordinal);
    return [{ line, record, present, if_new: [], ...known, mark: 'rejected', [kind.key]: key, name }];
  }

  #noteCurrency(code: unknown): void {
    if (typeof code !== 'string' || isKnownCurrency(code) || this.unknownCurrencies.size >= MAX_UNKNOWN) return;
    this.unknownCurrencies.add(code);
  }
}

const isNumber = ({ type }: Field): boolean => /^(?:int|bigint|numeric)/.test(type);

/** @param parse reads a value that is not blank */
const parseRow = (
  { values, ifNew = {}, ...place }: Valued,
  kind: ImportKind,
  reject: Reject,
  parse: (field: Field, name: string, value: Value) => unknown,
): StagedRow => {
  const row: StagedRow = { ...placeOf(place), present: [], if_new: [] };
  for (const [name, field] of Object.entries(kind.fields)) {
    const isForNew = values[name] === undefined && ifNew[name] !== undefined;
    const value = isForNew ? ifNew[name] : values[name];
    if (value === undefined) continue;
    // An empty list is a value of a list.
    const isEmpty = isBlank(value) || (Array.isArray(value) && value.length === 0 && !field.type.endsWith('[]'));
    try {
      if (!isEmpty) row[field.column] = parse(field, name, value);
      if (isForNew) row.if_new.push(name);
      else if (!isEmpty || !(field.isRequired || field.keepsIfBlank)) row.present.push(name);
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      if (error instanceof InvalidPartError) reject(error.part, error.message, error.value);
      else reject(name, error.message);
    }
  }
  return row;
};

const completed = (draft: Draft, { kind, fileFormat, ...options }: RowOptions): Draft => {
  const row = { ...draft, values: { ...draft.values }, ifNew: { ...draft.ifNew } };
  kind.complete?.(row, options, fileFormat);
  return row;
};
