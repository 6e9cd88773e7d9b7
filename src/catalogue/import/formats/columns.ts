import type { Value } from '../value.ts';
import { plainName } from './format.ts';

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
