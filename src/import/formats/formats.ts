import { OperatorError } from '../../errors.ts';
import { suggest } from '../../suggestion.ts';
import { jsonIn, splitPath } from '../fields/lists.ts';
import type { Key, MappedColumn, ReadOptions } from '../fields/values.ts';
import { type ImportKind, isVariantKind } from '../kind.ts';
import { isBlank, isObject, placeOf, type SourceRecord, type Value } from '../record.ts';
import {
  type Draft,
  defineFormat,
  type Format,
  type FormatReader,
  MAX_COLUMNS,
  type NamesOf,
  plainName,
} from './format.ts';
import { google } from './google.ts';
import { bestbuyCategories, dummyjson } from './open-data.ts';
import { shopify } from './shopify.ts';
import { woocommerce } from './woocommerce.ts';

const SHOPS: readonly Format[] = [shopify, woocommerce, google, dummyjson, bestbuyCategories];

/** Every format. A file is in the first one that recognises its columns, so the most specific come first. */
export const formatsOf = (kinds: readonly ImportKind[]): readonly Format[] => [
  ...SHOPS,
  ...kinds.map((kind) => nativeFormat(kind, kinds)),
];

/** The format of a kind's own: columns as in its table or in the API, in any spelling. */
const nativeFormat = ({ fields, keys, native, plural, table }: ImportKind, kinds: readonly ImportKind[]): Format => {
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
      const variantKind = kinds.find(isVariantKind);
      const ofVariants = variantKind && nativeFormat(variantKind, []).open(options);
      const toDrafts = (record: SourceRecord, parent?: Value): Draft[] => {
        const values: Record<string, Value> = {};
        for (const name of names) {
          const value = get(record, name);
          if (value !== undefined) values[name] = value;
        }
        if (parent !== undefined) values.parent = parent;
        const slugSource = shape?.(values, options);
        const variants = variantsOf(values, record, ofVariants);
        const draft = { ...placeOf(record), values, slugSource, ...variants };
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
        columnOf: (field) => columnOf([field, ...(alternatives[field] ?? [])].find(has) ?? field),
      };
    },
  });
};

/** What a product says of its variants, which have the columns of a file of variants. Names of options that only they have become those of the product. */
const variantsOf = (
  values: Record<string, Value>,
  record: SourceRecord,
  reader: FormatReader | undefined,
): Pick<Draft, 'variants' | 'rejection'> => {
  const list = typeof values.variants === 'string' ? jsonIn(values.variants) : values.variants;
  if (isBlank(values.variants) || !reader) return {};
  if (!Array.isArray(list) || !list.every(isObject)) return { rejection: 'has variants that are no list of objects' };
  const variants = list.flatMap((fields) => {
    Object.keys(fields).forEach(reader.uses);
    return reader.read({ ...record, fields });
  });
  for (const { values: own } of variants) {
    values.optionNames ??= own.optionNames ?? null;
    const names = values.optionNames;
    if (Array.isArray(names) && names.length === 0) own.optionValues ??= [];
    // In the order of the product's names.
    if (Array.isArray(names) && Array.isArray(own.optionNames) && names.length === own.optionNames.length) {
      const [given, ofName] = [own.optionNames, [own.optionValues].flat()];
      own.optionValues = names.map((name) => ofName[given.indexOf(name)] ?? '');
    }
  }
  return { variants };
};

/** @param texts values of `--map`: `name=title,price=final_price,updatedAt=`. @throws OperatorError if one is of another form, or names a column twice */
export const parseMapping = (texts: readonly string[]): readonly MappedColumn[] => {
  // A column of the file may have commas in its name.
  const pairs = texts.flatMap((text) => text.split(/,(?=[^,=]+=)/));
  const targets = new Set<string>();
  return pairs.map((pair) => {
    const [, target = '', source = ''] = /^([^=]+)=(.*)$/s.exec(pair)?.map((part) => part.trim()) ?? [];
    if (target === '')
      throw new OperatorError(`--map needs Vitrine's column and the file's, such as name=title, but is "${pair}".`);
    if (targets.has(plainName(target))) throw new OperatorError(`--map names ${target} twice.`);
    targets.add(plainName(target));
    return { target, source };
  });
};

/** The format of a file, and how the columns of the file are those of the format. */
interface Choice {
  readonly format: Format;
  readonly namesOf: NamesOf;
}

const HEAD_RECORDS = 100;

const OTHER_LINE = 'If a later line of a CSV names its columns, say which: --header-line 2';

/**
 * The format of a file, by the columns of its first records.
 * @throws OperatorError if it is in none, or does not have a column that is mapped
 */
export const chooseFormat = (
  { map = [], key = 'slug', format: wanted }: ReadOptions,
  kinds: readonly ImportKind[],
  sourceName: string,
  records: readonly SourceRecord[],
): Choice => {
  if (records.length === 0) throw new OperatorError(`${sourceName} has no rows: add one below the column names.`);
  const head = records.slice(0, HEAD_RECORDS);
  const formats = map.length > 0 ? kinds.map((kind) => nativeFormat(kind, kinds)) : formatsOf(kinds);
  const named = formatsOf(kinds).find(({ name }) => name === wanted);
  assertTargets(map, named ? [named] : formats);
  const given = columnsOf(head);
  const namesOf = map.length > 0 ? mappedNames(map, sourceName, given) : (column: string) => [column];
  const columns = given.flatMap(namesOf);
  const targets = map.map(({ target }) => target);
  // A column that several formats have tells none of them: everything has a name.
  const areTelling = targets.some((target) => formats.filter((format) => hasColumn(format, target)).length <= 1);
  const format =
    named ??
    formats.find((each) => isRecognised(each, columns)) ??
    formats.find((each) => areTelling && isRecognised(each, targets));
  if (format) {
    assertKey(format, key, sourceName, columns);
    return { format, namesOf };
  }
  throw new OperatorError(
    `${sourceName} is in no known format. Its columns: ${columns.join(', ')}.\n` +
      'A product needs name, price and category; a variant needs product, and options or sku; a category needs path, or slug and name; a notice needs title and content.\n' +
      (hasColumn({ columns }, 'product_id')
        ? 'Variants whose product_id is the id of a product in Vitrine: --map product=product_id --key id.\n'
        : '') +
      `${OTHER_LINE}.\n` +
      'Say which columns these are, such as --map name=title,price=final_price, or name the format with --format:\n' +
      formats.map(({ name, summary }) => `  ${name}: ${summary}`).join('\n'),
  );
};

const columnsOf = (records: readonly SourceRecord[]): readonly string[] => [
  ...new Set(records.flatMap(({ fields }) => Object.keys(fields))),
];

const isRecognised = ({ columns, recognises }: Format, given: readonly string[]): boolean => {
  const plain = new Set(given.map(plainName));
  const own = new Set(columns.map(plainName));
  return recognises(
    (...names) => names.some((name) => plain.has(name)),
    (...others) => [...plain].every((column) => own.has(column) || others.includes(column)),
  );
};

const hasColumn = ({ columns }: Pick<Format, 'columns'>, name: string): boolean =>
  columns.some((column) => plainName(column) === plainName(name));

/** Categories and notices have a key of their own, so that one run can import them with products. */
const assertKey = (format: Format, key: Key, sourceName: string, columns: readonly string[]): void => {
  const { name, kind, keys = ['slug'] } = format;
  if (kind !== 'product' || key === 'slug') return;
  if (!keys.includes(key))
    throw new OperatorError(
      `--key ${key} is not for the format ${name}, which can find products by ${keys.join(' or ')}.`,
    );
  // Google's feeds have the number in `id`.
  if (hasColumn({ columns }, key) || !hasColumn(format, key)) return;
  const advice = `say which it is, such as --map ${key}=number`;
  throw new OperatorError(`${sourceName} has no column ${key}: ${advice}. Its columns: ${columns.join(', ')}.`);
};

/** @throws OperatorError if the operator names a column that none of the formats has */
const assertTargets = (mapped: readonly MappedColumn[], formats: readonly Format[]): void => {
  for (const { target } of mapped) {
    if (formats.some(({ open }) => open({}).uses(target))) continue;
    const all = formats.map(({ name, columns }) => `  ${name}: ${columns.join(', ')}`).join('\n');
    const names = formats.flatMap(({ columns }) => columns);
    throw new OperatorError(`--map: there is no column ${target}.${suggest(target, names)} There are:\n${all}`);
  }
};

/**
 * @param columns those of the file's first records
 * @throws OperatorError if one of the mapped columns is not in the file
 */
const mappedNames = (map: readonly MappedColumn[], sourceName: string, columns: readonly string[]): NamesOf => {
  const targets = new Set(map.map(({ target }) => plainName(target)));
  const named = map.map(({ target, source }) => {
    if (source === '') return { target };
    const name = columns.includes(source) ? source : columns.find((each) => plainName(each) === plainName(source));
    if (name !== undefined) return { target, name };
    const hint = suggest(source, columns) || ` ${OTHER_LINE}.`;
    throw new OperatorError(
      `--map: ${sourceName} has no column ${source}.${hint} Its columns: ${columns.slice(0, MAX_COLUMNS).join(', ')}`,
    );
  });
  const targetsOf = Map.groupBy(named, ({ name }) => name);
  return (column) =>
    targetsOf.get(column)?.map(({ target }) => target) ?? (targets.has(plainName(column)) ? [] : [column]);
};
