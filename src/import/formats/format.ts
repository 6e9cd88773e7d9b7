import type { ReadOptions } from '../options.ts';
import type { Place, SourceRecord, Value } from '../record.ts';

/** A way in which files name and nest the catalogue's rows. */
export interface Format<Name extends string = string> {
  /** The value of `--format`. */
  readonly name: string;
  /** For the help text. */
  readonly summary: string;
  /** The table of the kind whose rows the file holds. */
  readonly kind: string;
  /** The names that files use for each column. One that becomes a field has the name of that. */
  readonly names: Readonly<Record<Name, readonly string[]>>;
  /** The name of a column that has none of these, by its name in lower case without separators. */
  readonly otherName?: (plain: string) => string | undefined;
  /** The columns that a field comes from, where the file has none of its name. */
  readonly sources?: Readonly<Record<string, readonly Name[]>>;
  /** The fields that may have a column for each language. */
  readonly texts?: readonly string[] | undefined;
  /** The column, beside that of its slug, that may find a product. */
  readonly otherKey?: string | undefined;
  /** The category of products that have none, unless the operator names one. A file without that column says it of new products alone. */
  readonly category?: string | undefined;
  /** Whether the shop lets several variants have one sku, which identifies none of them then. */
  readonly mayShareSkus?: boolean | undefined;
  /** Whether rows of one key are parts of one row that stand apart, of which none is imported. @default the last one is */
  readonly standTogether?: boolean | undefined;
  /** By the columns of its first records. */
  readonly recognises: Recognises;
  /** Starts to read one file. */
  open(file: FormatFile<Name>): FormatReader<Name>;
}

/** What differs between the formats of shops, which are all of products. */
export type ShopFormat<Name extends string> = Omit<Format<Name>, 'kind' | 'category' | 'texts'>;

/**
 * Recognises a file. Columns are in lower case without separators.
 * @param hasAny tells whether the file has one of some columns
 * @param hasNoOther tells whether the file has no column beside the format's own and some others
 */
export type Recognises = (hasAny: HasColumns, hasNoOther: HasColumns) => boolean;

type HasColumns = (...columns: string[]) => boolean;

/** A record with its fields under the format's names, and its texts in further languages as the field `translations` has them. */
export interface Row<Name extends string = string> extends Place {
  readonly fields: Readonly<Partial<Record<Name | 'translations', Value>>>;
}

/** What a file says beside its records. */
export interface FormatFile<Name extends string = string> {
  readonly options: ReadOptions;
  /** Whether a column of this name was seen. What a file lacks stays as it is in the catalogue. */
  has(name: Name): boolean;
  /** The file's name for a field or a column, once seen; else the first of ours. */
  columnOf(field: string): string;
  /** The fields of a record, or of an object in one, under the format's names. */
  rename(fields: SourceRecord['fields']): Row<Name>['fields'];
}

export interface FormatReader<Name extends string = string> {
  /** The rows that are complete with this record: none while the next record may belong to the same row. */
  read(record: Row<Name>): readonly Draft[];
  /** Takes note of a broken record, which may belong to a row of several records. */
  readBroken?(record: Row<Name>): void;
  /** The rows that were held back until the end of the file. */
  end?(): readonly Draft[];
}

/** A row of the catalogue as the file has it, with its values under the names of the kind's fields. A field that the file lacks is absent. */
export interface Draft extends Place {
  readonly values: Record<string, Value>;
  /** Values that only a new row takes: an existing one keeps its own, because the file does not say them. */
  ifNew?: Readonly<Record<string, Value>> | undefined;
  /** The file's names for fields whose values come from another column than {@link FormatFile.columnOf} says. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
  /** Why the row is rejected, as the end of a sentence that begins with its key. */
  readonly rejection?: string | undefined;
  /**
   * All variants of the product, in their order: others are deleted, and none means that it has none. The database keeps the price, the list
   * price and the stock of a product with variants, so its own values of these are not read. @default those of the catalogue stay
   */
  readonly variants?: readonly VariantDraft[] | undefined;
}

/**
 * A variant, with its values under the names of the kind's fields: `sku`, `barcode`, `optionValues` (a list, by place as the product's
 * `optionNames`), `price`, `listPrice`, `stock`, `imageUrl` and `position`. If one of its values is refused, so is its product.
 */
export interface VariantDraft extends Place, Pick<Draft, 'values' | 'columns'> {}

/** The values of those columns that the file has. */
export const pick = <Name extends string>(
  names: readonly Name[],
  file: Pick<FormatFile<Name>, 'has'>,
  read: (name: Name) => Value,
): Record<string, Value> =>
  Object.fromEntries(names.filter((name) => file.has(name)).map((name) => [name, read(name)]));
