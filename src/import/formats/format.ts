import type { ReadOptions } from '../fields/values.ts';
import type { Key } from '../kind.ts';
import type { Place, SourceRecord, Value } from '../record.ts';

/** A way in which files name and nest the catalogue's rows. Each has a file in this folder and a line in formats.ts. */
export interface Format {
  /** The value of `--format`. */
  readonly name: string;
  /** For the help text. */
  readonly summary: string;
  /** The table of the kind whose rows the file holds. */
  readonly kind: string;
  /** Every column that is read, in any of its names. */
  readonly columns: readonly string[];
  /** Recognises a file by the columns of its first records. */
  readonly recognises: (columns: ReadonlySet<string>) => boolean;
  /** Starts to read one file. */
  readonly open: (options: FormatOptions) => FormatReader;
  /** The columns that may find a product. @default only that of its slug */
  readonly keys?: readonly Key[];
}

export interface FormatOptions extends ReadOptions {
  /** @default slug */
  readonly key?: Key | undefined;
}

export interface FormatReader {
  /** The rows that are complete with this record: none while the next record may belong to the same row. */
  readonly read: (record: SourceRecord) => readonly Draft[];
  /** Takes note of a broken record, which may belong to a row of several records. */
  readonly readBroken?: (record: SourceRecord) => void;
  /** The rows that were held back until the end of the file. */
  readonly end?: () => readonly Draft[];
  /** The file's name for a field. */
  readonly columnOf: (field: string) => string;
  /** Whether a column of the file is read; the operator gets a list of the others. */
  readonly uses: (column: string) => boolean;
}

/** A row of the catalogue as the file has it, with its values under the names of the kind's fields. A field that the file lacks is absent. */
export interface Draft extends Place {
  readonly values: Record<string, Value>;
  /** Values that only a new row takes: an existing one keeps its own, because the file does not say them. */
  readonly ifNew?: Readonly<Record<string, Value>> | undefined;
  /** The file's names for fields whose values come from another column than {@link FormatReader.columnOf} says. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
  /** The name from which `values.slug` was made, if the file has no slug: an existing row of this slug and another name is another row. */
  readonly slugSource?: string | undefined;
  /** Why the row is rejected, as the end of a sentence that begins with its key. */
  readonly rejection?: string | undefined;
  /**
   * Why the row may be incomplete. `continuation`: records that continue a row whose first record is missing. `unterminated`: the file ends in
   * this row without a line end, so its last record may be cut, or more may be missing. `together`: all records of the row's key stand together,
   * so another row of that key is a part of it.
   */
  readonly doubt?: 'continuation' | 'unterminated' | 'together' | undefined;
}
