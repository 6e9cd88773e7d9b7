import { OperatorError } from '../../errors.ts';
import { suggest } from '../../suggestion.ts';
import { jsonIn } from '../fields/parse.ts';
import { PRODUCT_TEXTS } from '../fields/translations.ts';
import type { ImportKind } from '../kind.ts';
import type { Key, MappedColumn, ReadOptions } from '../options.ts';
import { isBlank, isObject, type Place, placeOf, type SourceRecord, type Value } from '../record.ts';
import { FileColumns, partOf, plainName, spelledIn } from './columns.ts';
import type { Draft, Format } from './format.ts';
import { google } from './google.ts';
import { shopify } from './shopify.ts';
import { woocommerce } from './woocommerce.ts';

const SHOPS = [shopify, woocommerce, google].map(
  (shop): Format => ({ ...shop, kind: 'product', category: 'Uncategorized', texts: PRODUCT_TEXTS }),
);

/** Every format. A file is in the first one that recognises its columns, so the most specific come first. */
export const formatsOf = (kinds: readonly ImportKind[]): readonly Format[] => [...SHOPS, ...kinds.map(nativeFormat)];

/** The format of a kind's own: columns as in its table or in the API, in any spelling. */
const nativeFormat = ({ fields, key, otherKey, inner, native, plural, table }: ImportKind): Format => {
  const { summary, recognises, aliases = {}, alternatives = {}, shape } = native;
  const names = [...Object.keys(fields), ...Object.values(alternatives).flat(), ...(inner ? ['variants'] : [])];
  return {
    name: plural,
    summary,
    kind: table,
    otherKey,
    names: Object.fromEntries(names.map((name) => [name, [name, ...(aliases[name] ?? [])]])),
    sources: alternatives,
    texts: fields.translations?.texts,
    // Where another column finds rows, it tells files of them as slugs do.
    recognises: (hasAny, hasNoOther) =>
      recognises((...columns) => hasAny(...columns, ...(columns.includes('slug') ? [key] : [])), hasNoOther),
    open: ({ options }) => {
      const readInner = inner && readerOf(nativeFormat(inner), options);
      return {
        read: ({ fields, ...place }) => {
          const values = { ...fields } as Record<string, Value>;
          shape?.(values);
          return [{ ...placeOf(place), values, ...variantsOf(values, place, readInner) }];
        },
      };
    },
  };
};

/** Reads records alone, outside of a file. */
const readerOf = (format: Format, options: ReadOptions): ((record: SourceRecord) => readonly Draft[]) => {
  const columns = new FileColumns(format, options);
  const reader = format.open(columns);
  return (record) => reader.read({ ...record, fields: columns.rename(record.fields) });
};

/** What a product says of its variants, which have the columns of a file of variants. Names of options that they alone have become the product's. */
const variantsOf = (
  values: Record<string, Value>,
  place: Place,
  read: ReturnType<typeof readerOf> | undefined,
): Pick<Draft, 'variants' | 'rejection'> => {
  const list = typeof values.variants === 'string' ? jsonIn(values.variants) : values.variants;
  if (isBlank(values.variants) || !read) return {};
  if (!Array.isArray(list) || !list.every(isObject)) return { rejection: 'has variants that are no list of objects' };
  const variants = list.flatMap((fields) => read({ ...place, fields }));
  for (const { values: own } of variants) {
    if (own.optionNames !== undefined) values.optionNames ??= own.optionNames;
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

/** @param texts values of `--map`: `name=title,updatedAt=`. @throws OperatorError if one has another form, or names a column twice */
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

const HEAD_RECORDS = 100;

const OTHER_LINE = 'If a later line of a CSV names its columns, say which: --header-line 2';

/**
 * The format of a file, by the columns of its first records, and the columns of the file that stand for the format's.
 * @throws OperatorError if it is in none, or does not have a column that is mapped
 */
export const chooseFormat = (
  { map = [], key = 'slug', format: wanted, languages }: ReadOptions,
  kinds: readonly ImportKind[],
  sourceName: string,
  records: readonly SourceRecord[],
): { readonly format: Format; readonly mapped: readonly MappedColumn[] } => {
  if (records.length === 0) throw new OperatorError(`${sourceName} has no rows: add one below the column names.`);
  const native = kinds.map(nativeFormat);
  // In messages, Vitrine's own names come first.
  const formats = [...native, ...SHOPS];
  const chosen = formats.find(({ name }) => name === wanted);
  assertTargets(map, chosen ? [chosen] : formats, languages);
  const mapped = findMapped(map, sourceName, records);
  // What is mapped to a text in a language, as `name:de`, tells nothing, because each format has it.
  const named = mapped.filter(({ target, source }) => source !== '' && !spelledIn(target)).map(({ target }) => target);
  const others = columnsOf(records.slice(0, HEAD_RECORDS)).filter(
    (column) => !mapped.some(({ target, source }) => source === column || plainName(target) === plainName(column)),
  );
  const columns = [...named, ...others];
  // Columns that the operator names are Vitrine's own, unless a shop has them all.
  const possible = [
    ...SHOPS.filter((shop) => map.every(({ target }) => spelledIn(target) || hasColumn(shop, target))),
    ...native,
  ];
  // A column that several formats have tells none of them: everything has a name.
  const areTelling = named.some((target) => native.filter((each) => hasColumn(each, target)).length <= 1);
  const format =
    chosen ??
    possible.find((each) => isRecognised(each, columns)) ??
    possible.find((each) => areTelling && isRecognised(each, named));
  if (format) {
    assertKey(format, key, sourceName, columns);
    return { format, mapped };
  }
  throw new OperatorError(
    `${sourceName} is in no known format. Its columns: ${columns.join(', ')}.\n` +
      `What a file needs: ${kinds.map(({ plural, native: { needs } }) => `of ${plural}, ${needs}`).join('; ')}.\n` +
      `${OTHER_LINE}.\n` +
      'Say which columns these are, such as --map name=title,price=final_price, or name the format with --format:\n' +
      possible.map(({ name, summary }) => `  ${name}: ${summary}`).join('\n'),
  );
};

const columnsOf = (records: readonly SourceRecord[]): readonly string[] => [
  ...new Set(records.flatMap(({ fields }) => Object.keys(fields))),
];

/** Every column that a format reads, in any of its names. */
export const columnsOfFormat = ({ names }: Pick<Format, 'names'>): readonly string[] => Object.values(names).flat();

const isRecognised = (format: Format, given: readonly string[]): boolean => {
  const { texts = [], recognises } = format;
  const plain = new Set(given.map((column) => baseOf(column, texts)));
  const own = new Set(columnsOfFormat(format).map(plainName));
  return recognises(
    (...names) => names.some((name) => plain.has(name)),
    (...others) => [...plain].every((column) => own.has(column) || others.includes(column)),
  );
};

/** `name` for a column that has it in a language, as `name:de`. */
const baseOf = (column: string, texts: readonly string[]): string => {
  const text = plainName(spelledIn(column)?.text ?? '');
  return texts.some((each) => plainName(each) === text) ? text : plainName(column);
};

const hasColumn = (format: Format, name: string): boolean =>
  columnsOfFormat(format).some((column) => plainName(column) === baseOf(name, format.texts ?? []));

/** Only products are found by `--key`, and variants by that of their product. Other kinds have keys of their own: one run can import all of them. */
const assertKey = (format: Format, key: Key, sourceName: string, columns: readonly string[]): void => {
  const { name, kind, otherKey } = format;
  if (kind !== 'product' || key === 'slug') return;
  if (key !== otherKey)
    throw new OperatorError(`--key ${key} is not for the format ${name}, which can find products by slug.`);
  // Google's feeds have the number in `id`.
  if (columns.some((column) => plainName(column) === key) || !hasColumn(format, key)) return;
  const advice = `say which it is, such as --map ${key}=number`;
  throw new OperatorError(`${sourceName} has no column ${key}: ${advice}. Its columns: ${columns.join(', ')}.`);
};

/** @throws OperatorError if the operator names a column that none of the formats has */
const assertTargets = (
  mapped: readonly MappedColumn[],
  formats: readonly Format[],
  languages: ReadOptions['languages'],
): void => {
  for (const { target } of mapped) {
    if (formats.some((format) => new FileColumns(format, { languages }).nameOf(target) !== undefined)) continue;
    if (formats.some((format) => hasColumn(format, target)))
      throw new OperatorError(`--map: ${target} is in no language of LANGUAGES.`);
    const all = formats.map((format) => `  ${format.name}: ${columnsOfFormat(format).join(', ')}`).join('\n');
    const names = formats.flatMap(columnsOfFormat);
    throw new OperatorError(`--map: there is no column ${target}.${suggest(target, names)} There are:\n${all}`);
  }
};

/** The mapped columns with the file's own names of them. @throws OperatorError if one of these is not in the first records of the file */
const findMapped = (
  map: readonly MappedColumn[],
  sourceName: string,
  records: readonly SourceRecord[],
): readonly MappedColumn[] => {
  const columns = map.length > 0 ? columnsOf(records) : [];
  const columnOf = (source: string): string => {
    const plain = [source, source.replace(/^\w+:/, '')].map(plainName);
    const column = columns.find((each) => each === source) ?? columns.find((each) => plain.includes(plainName(each)));
    if (column !== undefined) return column;
    if (records.some((record) => partOf(record.fields, source) !== undefined)) return source;
    const hint = suggest(source, columns) || ` ${OTHER_LINE}.`;
    throw new OperatorError(`--map: ${sourceName} has no column ${source}.${hint} Its columns: ${columns.join(', ')}`);
  };
  return map.map(({ target, source }) => ({ target, source: source && columnOf(source) }));
};
