import type { Draft } from '../formats/format.ts';
import { type ImportKind, isStagedIfRejected, type ParsedRow, presentBit } from '../kind.ts';
import { type Fault, isBlank, type Place, placeOf, showValue, type Value } from '../record.ts';
import { MAY_BE_CUT } from '../source/text.ts';
import { otherSlugsOfName } from './slug.ts';
import { InvalidValueError, type ReadOptions } from './values.ts';

/** A row as the staging table stores it. */
export interface CheckedRow extends Place {
  /** The sum of {@link presentBit} over the fields that the file has a value for. */
  readonly presentFields: number;
  /** The same of {@link Draft.ifNew}. */
  readonly newFields: number;
  /** `rejected`: the row is staged only because its slug is not free for others, and its product is in the file. */
  readonly mark: Draft['doubt'] | 'rejected';
  readonly slugSource: string | undefined;
  /** The slugs under which a row whose slug is made from its name may be stored, too. */
  readonly otherSlugs: readonly string[];
  readonly values: ParsedRow;
}

export interface CheckOptions extends ReadOptions {
  readonly kind: ImportKind;
  /** The file's name for a field. */
  readonly columnOf: (field: string, draft?: Draft) => string;
  readonly onFault: (fault: Fault) => void;
}

/** Parses the values of drafts, and reports everything that is wrong with them. A row that is rejected is undefined, unless its key counts. */
export const createCheck = (options: CheckOptions): ((draft: Draft) => CheckedRow | undefined) => {
  const { kind, columnOf, onFault } = options;
  const fields = Object.entries(kind.fields).map(([name, field]) => ({ ...field, name, bit: presentBit(kind, name) }));
  return (draft) => {
    const { values, ifNew = {}, rejection, doubt } = draft;
    const place = placeOf(draft);
    kind.complete?.(values, options);
    const faults: Fault[] = [];
    const parsed: Record<string, string | null> = {};
    let presentFields = 0;
    let newFields = 0;
    const reject = (name: string, reason: string): void => {
      const column = columnOf(name, draft);
      const value = showValue(values[name] ?? ifNew[name]);
      // Several fields may come from one cell.
      if (faults.some((fault) => fault.column === column && fault.value === value)) return;
      faults.push({ ...place, column, value, reason: doubt === 'unterminated' ? reason + MAY_BE_CUT : reason });
    };

    for (const { name, bit, isNullable, parse } of fields) {
      const isForNew = values[name] === undefined && ifNew[name] !== undefined;
      const value = isForNew ? ifNew[name] : values[name];
      try {
        parsed[name] = isBlank(value) ? null : parse(value as Value, options);
        if (isForNew) newFields += bit;
        else if (!isBlank(value) || (isNullable && value !== undefined)) presentFields += bit;
      } catch (error) {
        if (!(error instanceof InvalidValueError)) throw error;
        reject(name, error.message);
      }
    }
    if (faults.length === 0 && !parsed[kind.key]) reject(kind.key, 'is missing');
    const conflict = kind.check?.(parsed);
    if (conflict) reject(conflict.field, conflict.reason);
    if (rejection && faults.length === 0) reject(kind.key, rejection);
    for (const fault of faults) onFault(fault);

    // A name that cannot be stored is rejected as a field; here it only tells rows apart.
    const slugSource = draft.slugSource?.replaceAll('\0', '').toWellFormed().trim();
    const otherSlugs = slugSource === undefined ? [] : otherSlugsOfName(slugSource, parsed.slug ?? '');
    const row = { ...place, presentFields, newFields, slugSource, otherSlugs };
    if (faults.length === 0) return { ...row, mark: doubt, values: parsed };
    const { [kind.key]: key = null, name = null } = parsed;
    if (!isStagedIfRejected(kind) || !key) return undefined;
    return { ...row, newFields: 0, mark: 'rejected', values: { [kind.key]: key, name } };
  };
};
