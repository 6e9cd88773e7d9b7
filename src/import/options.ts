import type { Languages } from '../language/languages.ts';

/** Which column of the file finds an existing product: `sku` is the shop's own number. */
export type Key = 'slug' | 'sku';

/** Which column of the file stands for which column of a format: `{ target: 'name', source: 'title' }`. */
export interface MappedColumn {
  readonly target: string;
  /** Empty: none, also not one that is named like the target. */
  readonly source: string;
}

/** What stands before the decimals of a number. */
export type DecimalMark = '.' | ',';

/** How the operator wants a file to be read. */
export interface ReadOptions {
  /** The name of a format. @default the one that recognises the columns */
  readonly format?: string | undefined;
  /** Columns that the file names in another way than the named format or, by default, than a native one. */
  readonly map?: readonly MappedColumn[] | undefined;
  /** @default slug */
  readonly key?: Key | undefined;
  /** The line of a CSV that names the columns, from 1: the lines before it are not read. @default the first that is not blank */
  readonly headerLine?: number | undefined;
  /** The element of an XML file that is a record. @default item, entry or product */
  readonly record?: string | undefined;
  /** The currency of prices without one. @default the database's */
  readonly currency?: string | undefined;
  /** What stands before the decimals of a number. @default a point, with no separators of thousands */
  readonly decimal?: DecimalMark | undefined;
  /** What becomes of HTML in descriptions. @default text */
  readonly html?: 'text' | 'keep' | undefined;
  /** The category of new products whose file names none. */
  readonly category?: string | undefined;
  /** What stands between the items of a list in a text. @default by kind: bars, and for tags and pictures also commas and semicolons */
  readonly listSeparator?: string | undefined;
  /** What stands between the names of a way to a category. @default > */
  readonly pathSeparator?: string | undefined;
  /** The pieces of a product that is in stock in an unknown number. @default 1 */
  readonly stock?: number | undefined;
  /** Those of the catalogue. @default none but that of the tables' own columns */
  readonly languages?: Languages | undefined;
}
