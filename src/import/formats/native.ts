import { OperatorError } from '../../errors.ts';
import { splitPath } from '../fields/category-path.ts';
import type { ImportKind } from '../kind.ts';
import { isObject, placeOf, type SourceRecord, type Value } from '../record.ts';
import { toCell } from '../report.ts';
import { type Draft, defineFormat, type Format } from './format.ts';

/** The format of a kind's own: columns as in its table or in the API, in any spelling. */
export const nativeFormat = ({ fields, keys, native, plural, table }: ImportKind): Format => {
  const { summary, recognises, extra = [], alternatives = {}, shape } = native;
  const names = [...Object.keys(fields), ...extra];
  return defineFormat({
    name: plural,
    summary,
    kind: table,
    keys,
    names: Object.fromEntries(names.map((name) => [name, [name]])),
    recognises,
    open: ({ options, get, has, columnOf }, uses) => {
      const toDrafts = (record: SourceRecord, parent?: Value): Draft[] => {
        const values: Record<string, Value> = {};
        for (const name of names) {
          const value = get(record, name);
          if (value !== undefined) values[name] = value;
        }
        if (parent !== undefined) values.parent = parent;
        const slugSource = shape?.(values, options);
        const draft = { ...placeOf(record), values, slugSource };
        const children = Array.isArray(values.children) ? values.children.filter(isObject) : [];
        for (const column of children.flatMap(Object.keys)) uses(column);
        const self =
          slugSource === undefined
            ? { slug: values.slug ?? '' }
            : [...splitPath(values.parent, options), values.name ?? ''];
        return [draft, ...children.flatMap((fields) => toDrafts({ ...record, fields }, self))];
      };
      return {
        read: (record) => toDrafts(record),
        columnOf: (field) => {
          if (options.key === 'sku' && field === 'slug') return columnOf('sku');
          return columnOf([field, ...(alternatives[field] ?? [])].find(has) ?? field);
        },
      };
    },
  });
};

/**
 * An example of a native format as CSV: its columns, and one row.
 * @throws OperatorError if the format has no example
 */
export const templateOf = (kinds: readonly ImportKind[], format: string): string => {
  const example = kinds.find(({ plural }) => plural === format)?.native.example;
  if (example) return [Object.keys(example), Object.values(example)].map((row) => `${row.map(toCell)}\n`).join('');
  throw new OperatorError(
    `There is no template of ${format}, only of ${kinds.map(({ plural }) => plural).join(', ')}.`,
  );
};
