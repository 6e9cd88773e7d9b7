import type { SourceRecord } from '../record.ts';
import { type FormatReader, MAX_COLUMNS, plainName } from './format.ts';

/** One of a row's attributes, of which there may be any number. */
export interface Attribute {
  readonly name: string;
  /** A list; of a variation one value, or none. */
  readonly values: string;
  readonly isHidden: boolean;
}

/** Their columns, by plain names: `Attribute 1 name`, `Attribute 1 value(s)`, `Attribute 1 visible`. */
const COLUMN = /^attribute(\d+)(name|values|visible)$/;

/** @param others takes note of the other columns */
export const openAttributes = (others: FormatReader['uses']) => {
  const columnsOf = new Map<string, Record<string, string>>();
  // A file has few columns, each in many records.
  const known = new Map<string, boolean>();

  const take = (column: string): boolean => {
    const [, number, part = ''] = COLUMN.exec(plainName(column)) ?? [];
    if (number === undefined || known.size >= MAX_COLUMNS) return others(column);
    columnsOf.set(number, { ...columnsOf.get(number), [part]: column });
    return true;
  };

  return {
    uses: (column: string): boolean => {
      const isUsed = known.get(column) ?? take(column);
      if (known.size < MAX_COLUMNS) known.set(column, isUsed);
      return isUsed;
    },
    /** Undefined unless the file has the name and the values of each. */
    read: ({ fields }: SourceRecord): readonly Attribute[] | undefined => {
      const columns = [...columnsOf.values()];
      const isComplete = columns.every(({ name, values }) => name !== undefined && values !== undefined);
      if (columns.length === 0 || !isComplete) return undefined;
      const cell = (column = ''): string => unescaped(String(fields[column] ?? '').trim());
      return columns
        .map(({ name, values, visible }) => ({
          name: cell(name),
          values: cell(values),
          isHidden: cell(visible) === '0',
        }))
        .filter(({ name }) => name !== '');
    },
  };
};

/** The export writes an apostrophe before what a spreadsheet would take for a formula, such as -1. */
export const unescaped = (text: string): string => text.replace(/^'(?=[=+@-])/, '');

/** Items with commas between them; a comma inside one has a backslash. */
export const listOf = (text: string): string[] =>
  text
    .split(/(?<!\\),/)
    .map((item) => item.replaceAll('\\,', ',').trim())
    .filter(Boolean);
