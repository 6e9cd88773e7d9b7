import type { SourceRecord, Value } from '../record.ts';

/** A way that files name and nest what the catalogue holds. One file in this folder, and a row in formats.ts. */
export interface Format {
  /** For `--format`. */
  readonly name: string;
  /** For people who look for theirs. */
  readonly summary: string;
  /** The table of the kind of things that it holds. */
  readonly kind: string;
  /** Whether a file is in this format, by the columns of its first record. */
  readonly recognises: (columns: ReadonlySet<string>) => boolean;
  /** Begins to read one file. */
  readonly open: () => FormatReader;
}

/** What a record says of one thing, by the names of its kind's fields. A field that it does not speak of is absent. */
export interface Draft {
  readonly line: number;
  readonly values: Record<string, Value>;
  /** The name that `values.slug` was made from, where the file has no slug: another thing of that slug is not this one. */
  readonly slugFrom?: string | undefined;
  /** Why nothing of it is taken, as the end of a sentence that begins with what identifies it. */
  readonly refusal?: string | undefined;
  /**
   * `headless`: rows of one thing without the row that begins it. `unterminated`: the file ends without a line end, and the last row of the
   * thing may be cut, or others may be missing.
   */
  readonly doubt?: 'headless' | 'unterminated' | undefined;
}

export interface FormatReader {
  /** What can be told once this record is known: none, while the next may belong to the same thing. */
  readonly read: (record: SourceRecord) => readonly Draft[];
  /** Learns of a record that is broken, and is not taken: it may belong to a thing of several records. */
  readonly readBroken?: (record: SourceRecord) => void;
  /** What was still held back. */
  readonly end?: () => readonly Draft[];
  /** Under which name the file has a field. */
  readonly columnOf: (field: string) => string;
  /** Whether a column of the file is read at all; the others are told to the operator. */
  readonly uses: (column: string) => boolean;
}

/** A column's name without what people write differently: `List Price`, `list_price` and `listPrice` are one. */
export const plainName = (column: string): string => column.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** The columns of a file that are known under several names, and which of them it has. */
export interface Columns<Name extends string> {
  /** The first of the names that the record has. */
  readonly get: (fields: Readonly<Record<string, Value>>, name: Name) => Value | undefined;
  /** Whether the file has it, by what was seen so far. */
  readonly has: (name: Name) => boolean;
  /** As the file calls it, once seen; else the first of its names. */
  readonly columnOf: (name: Name) => string;
  readonly uses: (column: string) => boolean;
}

/** @param names for each column of ours, those that files have for it */
export const createColumns = <Name extends string>(names: Readonly<Record<Name, readonly string[]>>): Columns<Name> => {
  const nameOf = new Map<string, Name>();
  for (const name of Object.keys(names) as Name[]) {
    for (const column of names[name]) nameOf.set(plainName(column), name);
  }
  const columnsOf = new Map<Name, Set<string>>();
  const known = new Map<string, boolean>();

  /** A file has few columns, each in many records. */
  const uses = (column: string): boolean => {
    const isKnown = known.get(column);
    if (isKnown !== undefined) return isKnown;
    const name = nameOf.get(plainName(column));
    if (name !== undefined) columnsOf.set(name, (columnsOf.get(name) ?? new Set()).add(column));
    if (known.size < MAX_COLUMNS) known.set(column, name !== undefined);
    return name !== undefined;
  };

  return {
    uses,
    get: (fields, name) => {
      for (const column of columnsOf.get(name) ?? []) if (fields[column] !== undefined) return fields[column];
      return undefined;
    },
    has: (name) => columnsOf.has(name),
    columnOf: (name) => columnsOf.get(name)?.values().next().value ?? names[name][0] ?? name,
  };
};

/** A file whose records have names of their own making cannot fill the memory with them. */
export const MAX_COLUMNS = 1000;
