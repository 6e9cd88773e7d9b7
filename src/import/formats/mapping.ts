import { OperatorError } from '../../errors.ts';
import { suggest } from '../../suggestion.ts';
import type { SourceRecord, Value } from '../record.ts';
import { MAX_COLUMNS, plainName } from './columns.ts';
import type { Format } from './format.ts';

/** Which column of the file stands for which column of a format: `{ target: 'name', source: 'title' }`. */
export interface MappedColumn {
  readonly target: string;
  /** Empty: none, also not one that is named like the target. */
  readonly source: string;
}

/** The end of a message about columns that are not those which were expected. */
export const OTHER_LINE = 'If a later line of a CSV names its columns, say which: --header-line 2';

/** Renames the columns of records. */
export interface Mapping {
  readonly rename: (record: SourceRecord) => SourceRecord;
  /** The file's name for a column that may have been renamed. */
  readonly sourceOf: (column: string) => string;
}

/** @param texts values of `--map`: `name=title,price=final_price,updatedAt=`. @throws OperatorError if one is of another form, or names a column twice */
export const parseMapping = (texts: readonly string[]): readonly MappedColumn[] => {
  // A column of the file may have commas in its name.
  const pairs = texts.flatMap((text) => text.split(/,(?=[^,=]+=)/));
  const columns = pairs.map((pair): MappedColumn => {
    const [, target = '', source = ''] = /^([^=]+)=(.*)$/s.exec(pair)?.map((part) => part.trim()) ?? [];
    if (target === '') {
      throw new OperatorError(`--map needs Vitrine's column and the file's, such as name=title, but is "${pair}".`);
    }
    return { target, source };
  });
  const targets = columns.map(({ target }) => plainName(target));
  const repeated = columns.find(({ target }, index) => targets.indexOf(plainName(target)) !== index);
  if (repeated) throw new OperatorError(`--map names ${repeated.target} twice.`);
  return columns;
};

/** @throws OperatorError if one of the columns that are mapped to is none of the formats' */
export const assertTargets = (mapped: readonly MappedColumn[], formats: readonly Format[]): void => {
  for (const { target } of mapped) {
    if (formats.some(({ columns }) => columns.some((column) => plainName(column) === plainName(target)))) continue;
    const all = formats.map(({ name, columns }) => `  ${name}: ${columns.join(', ')}`).join('\n');
    const names = formats.flatMap(({ columns }) => columns);
    throw new OperatorError(`--map: there is no column ${target}.${suggest(target, names)} There are:\n${all}`);
  }
};

/**
 * @param columns those of the file's first records
 * @throws OperatorError if one of the mapped columns is not in the file
 */
export const createMapping = (
  mapped: readonly MappedColumn[],
  sourceName: string,
  columns: readonly string[],
): Mapping => {
  const found = mapped.map(({ target, source }) => {
    if (source === '') return { target, source };
    const name = columns.includes(source) ? source : columns.find((each) => plainName(each) === plainName(source));
    if (name !== undefined) return { target, source: name };
    const hint = suggest(source, columns) || ` ${OTHER_LINE}.`;
    throw new OperatorError(
      `--map: ${sourceName} has no column ${source}.${hint} Its columns: ${columns.slice(0, MAX_COLUMNS).join(', ')}`,
    );
  });
  const targets = new Set(found.map(({ target }) => plainName(target)));
  const sources = new Set(found.map(({ source }) => source));
  // A file has few columns, each in many records.
  const isReplaced = new Map<string, boolean>();
  const isKept = (column: string): boolean => {
    const known = isReplaced.get(column);
    if (known !== undefined) return !known;
    const replaced = sources.has(column) || targets.has(plainName(column));
    if (isReplaced.size < MAX_COLUMNS) isReplaced.set(column, replaced);
    return !replaced;
  };

  return {
    rename: (record) => {
      const fields: Record<string, Value> = Object.create(null);
      for (const { target, source } of found) {
        const value = record.fields[source];
        if (value !== undefined) fields[target] = value;
      }
      for (const [column, value] of Object.entries(record.fields)) if (isKept(column)) fields[column] = value;
      return { ...record, fields };
    },
    sourceOf: (column) => found.find(({ target }) => plainName(target) === plainName(column))?.source || column,
  };
};
