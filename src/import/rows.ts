import { InvalidPartError, InvalidValueError } from './fields/parse.ts';
import { slugOfName } from './fields/values.ts';
import type { Draft, VariantDraft } from './formats/format.ts';
import { columnIn, type ImportContext, type ImportKind, type Reject, type StagedRow } from './kind.ts';
import type { ReadOptions } from './options.ts';
import { type Fault, isBlank, placeOf, showValue } from './record.ts';

/** What has values: a row, or one that it holds. */
type Valued = VariantDraft & Pick<Draft, 'ifNew'>;

/** Turns the drafts of a file into rows of its staging table, and reports everything that is wrong with them. */
export class RowReader {
  /** How many rows there are, those that were refused at the end left out. */
  stagedRows = 0;
  readonly #context: ImportContext;

  constructor(context: ImportContext) {
    this.#context = context;
  }

  read(drafts: readonly Draft[]): StagedRow[] {
    return drafts.flatMap((draft) => this.#check(draft, this.stagedRows + 1));
  }

  /** @returns none for a row that is rejected, unless its key counts */
  #check(draft: Draft, ordinal: number): StagedRow[] {
    const { kind, fileFormat, columnOf, onFault } = this.#context;
    const { inner } = kind;
    kind.complete?.(draft, this.#context);
    const { rejection, variants = [] } = draft;
    const faults: Fault[] = [];
    const rejecting =
      (row: Valued): Reject =>
      (name, reason, part) => {
        const place = placeOf(row);
        const column = columnOf(name, row);
        const value = showValue(part ?? row.values[name] ?? row.ifNew?.[name]);
        // Several fields may come from one cell.
        if (faults.some((fault) => fault.line === place.line && fault.column === column && fault.value === value))
          return;
        faults.push({ ...place, column, value, reason });
      };
    const reject = rejecting(draft);
    // First, because its key may be none of a product.
    if (rejection) reject(kind.key, rejection);
    const row = parseRow(draft, kind, reject, this.#context);
    kind.check?.(row, reject);
    proposeSlug(row, kind);
    const keyColumn = columnIn(kind, kind.key);
    const slugBase = kind.key === 'slug' ? row.slug_base : undefined;
    const key = row[keyColumn] || slugBase;
    if (faults.length === 0 && (!key || row.slug_base === ''))
      reject(row.slug_base === '' ? 'slug' : kind.key, 'is missing');
    const earlier = new Set<string>();
    const innerRows = inner
      ? variants.map((variant, at): StagedRow => {
          const rejectInner = rejecting(variant);
          const parsed = parseRow(variant, inner, rejectInner, this.#context);
          inner.checkInner?.(parsed, row, earlier, (name, reason) => {
            // The first of the rows that share a sku keeps it.
            if (!(fileFormat.mayShareSkus && name === 'sku')) rejectInner(name, reason);
          });
          return { ...parsed, ordinal, place: at + 1, present: [...parsed.present, inner.key] };
        })
      : [];
    for (const fault of faults) onFault(fault);

    if (faults.length === 0) {
      this.stagedRows = ordinal;
      return [{ ...row, ordinal, has_inner: draft.variants !== undefined }, ...innerRows];
    }
    if (!kind.keepsRejected || !key) return [];
    this.stagedRows = ordinal;
    const { line, record, present, name } = row;
    const found = { [keyColumn]: row[keyColumn], slug_base: slugBase };
    return [{ line, record, ordinal, present, if_new: [], is_rejected: true, name, ...found }];
  }
}

const parseRow = (
  { values, ifNew = {}, ...place }: Valued,
  kind: ImportKind,
  reject: Reject,
  options: ReadOptions,
): StagedRow => {
  const row: StagedRow = { ...placeOf(place), present: [], if_new: [], is_rejected: false };
  for (const [name, field] of Object.entries(kind.fields)) {
    const isForNew = values[name] === undefined && ifNew[name] !== undefined;
    const value = isForNew ? ifNew[name] : values[name];
    if (value === undefined) continue;
    // An empty list is a value of a list.
    const isEmpty = isBlank(value) || (Array.isArray(value) && value.length === 0 && !field.type.endsWith('[]'));
    try {
      if (!isEmpty) row[field.column] = field.parse(value, options);
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

const proposeSlug = (row: StagedRow, { fields }: ImportKind): void => {
  if (!fields.slug || row.slug) return;
  if (typeof row.name === 'string') row.slug_base ??= slugOfName(row.name);
  if (row.slug_base !== undefined) row.if_new.push('slug');
};
