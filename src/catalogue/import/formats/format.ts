import type { Kind } from '../fields/kinds.ts';
import type { SourceRecord, Value } from '../value.ts';

/** A way that files name and nest what the catalogue holds. One file in this folder, and a row in formats.ts. */
export interface Format {
  /** For `--format`. */
  readonly name: string;
  /** For people who look for theirs. */
  readonly summary: string;
  readonly kind: Kind;
  /** Whether a file is in this format, by the columns of its first record. */
  readonly recognises: (columns: ReadonlySet<string>) => boolean;
  /** Begins to read one file. */
  readonly open: () => FormatReader;
}

/** What a record says of one thing, by the names in `fields/kinds.ts`. A field that it does not speak of is absent. */
export interface Draft {
  readonly line: number;
  readonly values: Record<string, Value>;
}

export interface FormatReader {
  /** What can be told once this record is known: none, while the next may belong to the same thing. */
  readonly read: (record: SourceRecord) => readonly Draft[];
  /** What was still held back. */
  readonly end?: () => readonly Draft[];
  /** Under which name the file has a field. */
  readonly columnOf: (field: string) => string;
  /** Whether a column of the file is read at all; the others are told to the operator. */
  readonly uses: (column: string) => boolean;
}

/** A column's name without what people write differently: `List Price`, `list_price` and `listPrice` are one. */
export const plainName = (column: string): string => column.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
