import type { Value } from '../record.ts';

/** The columns of one file, found under any of the names that files use for them. */
export interface Columns<Name extends string> {
  /** Learns a column of the file. @returns whether it is one of ours */
  readonly uses: (column: string) => boolean;
  /** The first of the columns of this name that the record has. */
  readonly get: (fields: Readonly<Record<string, Value>>, name: Name) => Value | undefined;
  /** Whether a column of this name was seen. */
  readonly has: (name: Name) => boolean;
  /** The file's name for the column, once seen; else the first of our names. */
  readonly columnOf: (name: Name) => string;
}

/** Bounds the memory that a file can take whose every record has other columns. */
export const MAX_COLUMNS = 1000;

/** @param names the names that files use for each column */
export const createColumns = <Name extends string>(names: Readonly<Record<Name, readonly string[]>>): Columns<Name> => {
  const nameOf = new Map<string, Name>();
  for (const name of Object.keys(names) as Name[]) {
    for (const column of names[name]) nameOf.set(plainName(column), name);
  }
  const columnsOf = new Map<Name, string[]>();
  // A file has few columns, each in many records.
  const isOurs = new Map<string, boolean>();

  return {
    uses: (column) => {
      const known = isOurs.get(column);
      if (known !== undefined) return known;
      const name = nameOf.get(plainName(column));
      if (isOurs.size < MAX_COLUMNS) {
        isOurs.set(column, name !== undefined);
        if (name !== undefined) columnsOf.set(name, [...(columnsOf.get(name) ?? []), column]);
      }
      return name !== undefined;
    },
    get: (fields, name) => {
      for (const column of columnsOf.get(name) ?? []) if (fields[column] !== undefined) return fields[column];
      return undefined;
    },
    has: (name) => columnsOf.has(name),
    columnOf: (name) => columnsOf.get(name)?.[0] ?? names[name][0] ?? name,
  };
};

/** The values of those columns that the file has. */
export const pick = <Name extends string>(
  names: readonly Name[],
  has: (name: Name) => boolean,
  read: (name: Name) => Value,
): Record<string, Value> => Object.fromEntries(names.filter(has).map((name) => [name, read(name)]));

/** Equal for `List Price`, `list_price` and `listPrice`. */
export const plainName = (column: string): string => column.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
