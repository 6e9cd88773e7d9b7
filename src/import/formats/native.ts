import { OperatorError } from '../../errors.ts';
import { splitPath } from '../fields/category-path.ts';
import type { ImportKind } from '../kind.ts';
import { isObject, type Place, placeOf, type SourceRecord, type Value } from '../record.ts';
import { toCell } from '../rejects.ts';
import { createColumns, plainName } from './columns.ts';
import type { Draft, Format, FormatOptions, FormatReader } from './format.ts';

/** The format of a kind's own: columns as in its table or in the API, in any spelling. */
export const nativeFormat = (kind: ImportKind): Format => ({
  name: kind.plural,
  summary: kind.native.summary,
  kind: kind.table,
  columns: columnsOf(kind),
  recognises: (columns) => {
    const plain = new Set([...columns].map(plainName));
    const own = new Set(columnsOf(kind).map(plainName));
    return kind.native.recognises(
      (...names) => names.some((name) => plain.has(name)),
      (...others) => [...plain].every((column) => own.has(column) || others.includes(column)),
    );
  },
  open: (options) => openNative(kind, options),
  ...(kind.keys && { keys: kind.keys }),
});

const columnsOf = ({ fields, native: { extra = [] } }: ImportKind): string[] => [...Object.keys(fields), ...extra];

const openNative = (kind: ImportKind, options: FormatOptions): FormatReader => {
  const { key = 'slug' } = options;
  const { alternatives = {}, shape } = kind.native;
  const names = columnsOf(kind);
  const columns = createColumns(Object.fromEntries(names.map((name) => [name, [name]])));

  const toDrafts = (place: Place, record: SourceRecord['fields'], parent?: Value): Draft[] => {
    for (const column of Object.keys(record)) columns.uses(column);
    const values: Record<string, Value> = {};
    for (const name of names) {
      const value = columns.get(record, name);
      if (value !== undefined) values[name] = value;
    }
    if (parent !== undefined) values.parent = parent;
    const slugSource = shape?.(values, options);
    const draft = { ...place, values, slugSource };
    const children = Array.isArray(values.children) ? values.children.filter(isObject) : [];
    if (children.length === 0) return [draft];
    const self =
      slugSource === undefined
        ? { slug: values.slug ?? '' }
        : [...splitPath(values.parent, options), values.name ?? ''];
    return [draft, ...children.flatMap((child) => toDrafts(place, child, self))];
  };

  return {
    read: (record) => toDrafts(placeOf(record), record.fields),
    columnOf: (field) => {
      if (key === 'sku' && field === 'slug') return columns.columnOf('sku');
      return columns.columnOf([field, ...(alternatives[field] ?? [])].find(columns.has) ?? field);
    },
    uses: columns.uses,
  };
};

/**
 * An example of a native format as CSV: its columns, and one row.
 * @throws OperatorError if the format has no example
 */
export const templateOf = (kinds: readonly ImportKind[], format: string): string => {
  const kind = kinds.find(({ plural }) => plural === format);
  if (!kind) {
    const names = kinds.map(({ plural }) => plural).join(', ');
    throw new OperatorError(`There is no template of ${format}, only of ${names}.`);
  }
  const { example } = kind.native;
  return [Object.keys(example), Object.values(example)].map((row) => `${row.map(toCell).join(',')}\n`).join('');
};
