import type { ClientBase } from 'pg';
import { commonCurrency } from './fields/price.ts';
import { slugify } from './fields/slug.ts';
import { InvalidValueError, type ReadOptions } from './fields/values.ts';
import { type Draft, type Format, MAX_COLUMNS, type VariantDraft } from './formats/format.ts';
import { chooseFormat } from './formats/formats.ts';
import { columnIn, type ImportKind, isProductKind, isVariantKind, withKey } from './kind.ts';
import { type Fault, isBlank, placeOf, type SourceRecord, showValue, type Value } from './record.ts';
import type { ProgressState } from './report.ts';
import { peek, readRecords, type Source } from './source/source.ts';
import { MAY_BE_CUT } from './source/text.ts';
import { type Counts, mergeStage } from './write/merge.ts';
import { createStage, indexStage, insertIntoStage, STAGE, type StagedRow, VARIANT_STAGE } from './write/stage.ts';

export interface ImportOptions extends ReadOptions {
  readonly client: ClientBase;
  readonly source: Source;
  /** What the file may hold. */
  readonly kinds: readonly ImportKind[];
  /** Whether the caller has a transaction open, which it ends. */
  readonly isInTransaction: boolean;
  /** Whether the rows that no file has are withdrawn after all files. */
  readonly isPruning?: boolean | undefined;
  readonly onFault: (fault: Fault) => void;
  /** Called with what is being done, and how far it is. */
  readonly onProgress?: (state: ProgressState) => void;
  readonly signal?: AbortSignal;
}

export interface Imported extends Counts {
  readonly kind: ImportKind;
  readonly format: Format;
  readonly container: string;
  /** Columns of the file that are not read. */
  readonly unusedColumns: readonly string[];
}

/**
 * Imports one file: source → format → fields → staging table → catalogue. It is staged to its end, in constant memory, before the catalogue is
 * changed. A failure at any time leaves the catalogue as it was.
 * @throws OperatorError if the file as a whole cannot be imported
 */
export const importFile = async (options: ImportOptions): Promise<Imported> => {
  const { client, source, key, onFault, onProgress } = options;
  const { signal = new AbortController().signal } = options;
  const { container, batches } = await readRecords(source, signal, options);
  const {
    first: [head = []],
    all: records,
  } = await peek(batches, 1);
  const kinds = options.kinds.map((each) => withKey(each, key));
  const { format, namesOf } = chooseFormat(options, kinds, source.name, head);
  const ofTable = kinds.find(({ table }) => table === format.kind);
  if (!ofTable) throw new Error(`There is no import kind for the table ${format.kind} of the format ${format.name}.`);
  // A format can have fewer keys than its table.
  const kind: ImportKind = { ...ofTable, keys: format.keys ?? [] };
  const reader = format.open(options, namesOf);
  const columnOf: ColumnOf = (field, draft) => draft?.columns?.[field] ?? reader.columnOf(field);
  const variantKind = isProductKind(kind) ? kinds.find(isVariantKind) : undefined;
  const checking: CheckOptions = { ...options, kind, variantKind, columnOf };
  const unusedColumns = new Set<string>();
  let rowCount = 0;

  const learn = (columns: readonly string[]): void => {
    for (const column of columns)
      if (!reader.uses(column) && unusedColumns.size < MAX_COLUMNS) unusedColumns.add(column);
  };
  // What one record lacks, as in XML, another may have: then the file has the column.
  for (const { fields } of head) learn(Object.keys(fields));

  const draftsOf = (record: SourceRecord): readonly Draft[] => {
    learn(Object.keys(record.fields));
    if (!record.fault) return reader.read(record);
    onFault(record.fault);
    reader.readBroken?.(record);
    return [];
  };
  const stage = async (drafts: readonly Draft[]): Promise<void> => {
    let rows: StagedRow[] = [];
    for (const draft of drafts) {
      const row = check(completed(draft, kind, format, options), rowCount + 1, checking);
      if (!row) continue;
      rowCount += 1;
      rows.push(row);
      if (rows.length < MAX_STAGED_ROWS) continue;
      await insertIntoStage(client, rows);
      rows = [];
    }
    await insertIntoStage(client, rows);
  };

  await createStage(client, kind);
  for await (const batch of records) {
    await stage(batch.flatMap(draftsOf));
    const done = source.readBytes();
    onProgress?.({ step: `reading ${source.name}`, done, total: source.sizeBytes, rows: rowCount });
    signal.throwIfAborted();
  }
  await stage(reader.end?.() ?? []);
  await indexStage(client, kind);
  const counts = await mergeStage({
    ...options,
    kind,
    variantKind,
    rowCount,
    columnOf,
    onProgress: (step, done) => {
      signal.throwIfAborted();
      onProgress?.({ step, done, total: rowCount, rows: done });
    },
  });
  await client.query(`drop table ${STAGE}; drop table if exists ${VARIANT_STAGE}`);
  return { ...counts, kind, format, container, unusedColumns: [...unusedColumns] };
};

/** In one statement: a format may hold all its rows back until the end. */
const MAX_STAGED_ROWS = 1000;

/** Adds what the operator, or the format, says about rows that do not say it. */
const completed = (draft: Draft, { fields, key }: ImportKind, format: Format, options: ReadOptions): Draft => {
  const { values, slugSource, variants = [] } = draft;
  const { currency, category = format.category } = options;
  const ifNew = { ...draft.ifNew };
  const takeIfNew = (name: string, value: Value): void => {
    delete values[name];
    ifNew[name] = value;
  };
  if (variants.length > 0) {
    for (const name of Object.keys(values)) if (fields[name]?.isOfVariants) delete values[name];
    ifNew.price = '0';
  }
  values.currency = commonCurrency(values.currency, ...variants.map((each) => each.values.currency));
  if (key === 'sku' && slugSource !== undefined) takeIfNew('slug', values.slug ?? '');
  if (currency && (variants.length > 0 || !isBlank(values.price)) && isBlank(values.currency))
    values.currency = currency;
  if (category && fields.category && isBlank(values.category)) {
    if (format.category !== undefined && values.category !== undefined) values.category = category;
    else takeIfNew('category', category);
  }
  return { ...draft, ifNew };
};

/** The file's name for a field. */
type ColumnOf = (field: string, draft?: Pick<Draft, 'columns'>) => string;

interface CheckOptions extends ReadOptions, Pick<ImportOptions, 'onFault'> {
  readonly kind: ImportKind;
  /** Where the kind is that of products, the kind of their variants. */
  readonly variantKind: ImportKind | undefined;
  readonly columnOf: ColumnOf;
}

const MAX_VARIANTS = 250;

/** What has values, of a product or of a variant. */
type Valued = VariantDraft & Pick<Draft, 'ifNew'>;

type Reject = (name: string, reason: string) => void;

/** Parses the values of a draft, and reports everything that is wrong with them. A row that is rejected is undefined, unless its key counts. */
const check = (draft: Draft, ordinal: number, options: CheckOptions): StagedRow | undefined => {
  const { kind, variantKind, columnOf, onFault } = options;
  const { values, rejection, doubt, variants = [] } = draft;
  kind.complete?.(values, options);
  const faults: Fault[] = [];
  const rejecting =
    (row: Valued): Reject =>
    (name, reason) => {
      const place = placeOf(row);
      const column = columnOf(name, row);
      const value = showValue(row.values[name] ?? row.ifNew?.[name]);
      // Several fields may come from one cell.
      if (faults.some((fault) => fault.line === place.line && fault.column === column && fault.value === value)) return;
      faults.push({ ...place, column, value, reason: doubt === 'unterminated' ? reason + MAY_BE_CUT : reason });
    };
  const reject = rejecting(draft);
  // First, because its key may be none of a product.
  if (rejection) reject(kind.key, rejection);
  const row = parse(draft, kind, options, reject);
  const missing = draft.slugSource !== undefined && !row.slug ? 'slug' : kind.key;
  if (faults.length === 0 && !row[columnIn(kind, missing)]) reject(missing, 'is missing');
  const conflict = kind.check?.(row);
  if (conflict) reject(conflict.field, conflict.reason);
  const seen = new Set<string>();
  const stagedVariants = variants.map((variant, at) => {
    const rejectVariant = rejecting(variant);
    const parsed = parse(variant, variantKind ?? kind, options, rejectVariant);
    checkVariant(parsed, row, seen, rejectVariant);
    return { ...parsed, ordinal, place: at + 1, present: [...parsed.present, 'product'] };
  });
  if (variants.length > MAX_VARIANTS)
    reject('variants', `has ${variants.length} variants, and may have ${MAX_VARIANTS}`);
  for (const fault of faults) onFault(fault);

  // A name that cannot be stored is rejected as a field; here it only tells rows apart.
  const slug_source = draft.slugSource?.replaceAll('\0', '').toWellFormed().trim();
  const slug_end = kind.key === 'sku' ? slugify(String(row.sku ?? '')) || undefined : undefined;
  const known = { ordinal, slug_source, slug_end };
  if (faults.length === 0) return { ...row, ...known, mark: doubt, variants: draft.variants && stagedVariants };
  const { [kind.key]: key, line, record, present, name } = row;
  if (!isProductKind(kind) || !key) return undefined;
  return { line, record, present, if_new: [], ...known, mark: 'rejected', [kind.key]: key, name };
};

/** @param seen the option values and skus of the variants before this one */
const checkVariant = (variant: StagedRow, product: StagedRow, seen: Set<string>, reject: Reject): void => {
  const { sku, option_values } = variant;
  const { option_names: names } = product;
  // What says no values is found by its sku.
  const values = option_values ?? (sku ? undefined : []);
  const key = JSON.stringify(values);
  if (values && names && values.length !== names.length)
    reject('optionValues', `has ${values.length} values, but the product has ${names.length} options`);
  else if (values && seen.has(key)) reject('optionValues', 'is the same as of another variant of this product');
  if (sku && seen.has(`sku ${sku}`)) reject('sku', 'is that of another variant of this product');
  seen.add(key).add(`sku ${sku}`);
};

const parse = ({ values, ifNew = {}, ...place }: Valued, kind: ImportKind, options: ReadOptions, reject: Reject) => {
  const row: StagedRow = { ...placeOf(place), present: [], if_new: [] };
  for (const [name, { column, isNullable, parse }] of Object.entries(kind.fields)) {
    const isForNew = values[name] === undefined && ifNew[name] !== undefined;
    const value = isForNew ? ifNew[name] : values[name];
    try {
      if (!isBlank(value)) row[column] = parse(value as Value, options);
      if (isForNew) row.if_new.push(name);
      else if (!isBlank(value) || (isNullable && value !== undefined)) row.present.push(name);
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error;
      reject(name, error.message);
    }
  }
  return row;
};
