import { OperatorError } from '../../errors.ts';
import { suggest } from '../../suggestion.ts';
import { splitPath } from '../fields/category-path.ts';
import { jsonIn } from '../fields/lists.ts';
import { type ImportKind, isVariantKind, type Key } from '../kind.ts';
import { isBlank, isObject, placeOf, type SourceRecord, type Value } from '../record.ts';
import { toCell } from '../report.ts';
import { type Draft, defineFormat, type Format, type FormatOptions, MAX_COLUMNS, plainName } from './format.ts';
import { google } from './google.ts';
import { bestbuyCategories, dummyjson } from './open-data.ts';
import { shopify } from './shopify.ts';
import { woocommerce } from './woocommerce.ts';
import { adviceOnLanguage } from './woocommerce-languages.ts';

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
      const toDrafts = (record: SourceRecord, parent?: Value): Draft[] => {
        const values: Record<string, Value> = {};
        for (const name of names) {
          const value = get(record, name);
          if (value !== undefined) values[name] = value;
        }
        if (parent !== undefined) values.parent = parent;
        const slugSource = shape?.(values, options);
        const variants = variantsOf(values, record, kinds, options);
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
  kinds: readonly ImportKind[],
  options: FormatOptions,
): Pick<Draft, 'variants' | 'rejection'> => {
  const list = typeof values.variants === 'string' ? jsonIn(values.variants) : values.variants;
  const kind = kinds.find(isVariantKind);
  if (isBlank(values.variants) || !kind) return {};
  if (!Array.isArray(list) || !list.every(isObject)) return { rejection: 'has variants that are no list of objects' };
  const { fields, native } = kind;
  const nameOf = new Map([...Object.keys(fields), ...(native.extra ?? [])].map((name) => [plainName(name), name]));
  const variants = list.map((variant) => {
    const own: Record<string, Value> = {};
    for (const [column, value] of Object.entries(variant)) own[nameOf.get(plainName(column)) ?? column] = value;
    native.shape?.(own, options);
    values.optionNames ??= own.optionNames ?? null;
    const names = values.optionNames;
    // In the order of the product's names.
    if (Array.isArray(names) && Array.isArray(own.optionNames) && names.length === own.optionNames.length) {
      const [given, ofName] = [own.optionNames, [own.optionValues].flat()];
      own.optionValues = names.map((name) => ofName[given.indexOf(name)] ?? '');
    }
    return { ...placeOf(record), values: own };
  });
  return { variants };
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

/** Which column of the file stands for which column of a format: `{ target: 'name', source: 'title' }`. */
export interface MappedColumn {
  readonly target: string;
  /** Empty: none, also not one that is named like the target. */
  readonly source: string;
}

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

interface Wish {
  readonly kinds: readonly ImportKind[];
  /** The name of a format. @default the one that recognises the columns */
  readonly format?: string | undefined;
  /** @default slug */
  readonly key?: Key | undefined;
  /** Columns to rename, into those of the named format or, by default, of a native one. */
  readonly map?: readonly MappedColumn[] | undefined;
}

export interface Choice extends Mapping {
  readonly format: Format;
  /** Those of the file's first records, as the format names them. */
  readonly columns: readonly string[];
}

/** How the columns of records are renamed. */
interface Mapping {
  readonly rename: (record: SourceRecord) => SourceRecord;
  /** The file's name for a column that may have been renamed. */
  readonly sourceOf: (column: string) => string;
}

const HEAD_RECORDS = 100;

const OTHER_LINE = 'If a later line of a CSV names its columns, say which: --header-line 2';

/**
 * The format of a file, by the columns of its first records.
 * @throws OperatorError if it is in none, or does not have a column that is mapped
 */
export const chooseFormat = (wish: Wish, sourceName: string, records: readonly SourceRecord[]): Choice => {
  const { kinds, map = [], key = 'slug' } = wish;
  if (records.length === 0) throw new OperatorError(`${sourceName} has no rows: add one below the column names.`);
  const head = records.slice(0, HEAD_RECORDS);
  const formats = map.length > 0 ? kinds.map((kind) => nativeFormat(kind, kinds)) : formatsOf(kinds);
  const named = formatsOf(kinds).find(({ name }) => name === wish.format);
  assertTargets(map, named ? [named] : formats);
  const mapping = createMapping(map, sourceName, columnsOf(head));
  const columns = columnsOf(head.map(mapping.rename));
  const targets = map.map(({ target }) => target);
  // A column that several formats have tells none of them: everything has a name.
  const areTelling = targets.some((target) => formats.filter((format) => hasColumn(format, target)).length <= 1);
  const format =
    named ??
    formats.find((each) => isRecognised(each, columns)) ??
    formats.find((each) => areTelling && isRecognised(each, targets));
  if (!named && map.length === 0 && !(format && SHOPS.includes(format))) {
    const advice = adviceOnLanguage(records, columns, format !== undefined);
    if (advice) throw new OperatorError(`${sourceName} is WooCommerce’s export in another language. ${advice}`);
  }
  if (format) {
    assertKey(format, key, sourceName, columns);
    return { ...mapping, format, columns };
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

/** @throws OperatorError if one of the columns that are mapped to is none of the formats' */
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
const createMapping = (mapped: readonly MappedColumn[], sourceName: string, columns: readonly string[]): Mapping => {
  if (mapped.length === 0) return { rename: (record) => record, sourceOf: (column) => column };
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
  const known = new Map<string, boolean>();
  const isKept = (column: string): boolean => {
    const isKept = known.get(column) ?? !(sources.has(column) || targets.has(plainName(column)));
    if (known.size < MAX_COLUMNS) known.set(column, isKept);
    return isKept;
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
