import type { MappedColumn, ReadOptions } from '../options.ts';
import { isObject, type Place, type SourceRecord, textIn, type Value } from '../record.ts';
import { plainName, Translations } from './translated-columns.ts';

/** A way in which files name and nest the catalogue's rows. */
export interface Format {
  /** The value of `--format`. */
  readonly name: string;
  /** For the help text. */
  readonly summary: string;
  /** The table of the kind whose rows the file holds. */
  readonly kind: string;
  /** Every column that is read, in any of its names. */
  readonly columns: readonly string[];
  /** The fields that may have a column for each language. */
  readonly texts?: readonly string[] | undefined;
  /** The column, beside that of its slug, that may find a product. */
  readonly otherKey?: string | undefined;
  /** The category of products that have none, unless the operator names one. A file without that column says it of new products alone. */
  readonly category?: string | undefined;
  /** Whether the shop lets several variants have one sku, which identifies none of them then. */
  readonly mayShareSkus?: boolean | undefined;
  /** Whether rows of one key are parts of one row that stand apart, of which none is imported. @default the last one is */
  readonly standTogether?: boolean | undefined;
  /** By the columns of its first records. */
  readonly recognises: Recognises;
  /** Starts to read one file. @param mapped whose columns stand for the format's, in place of any other; a path leads to a part of a column */
  readonly open: (options: ReadOptions, mapped?: readonly MappedColumn[]) => FormatReader;
}

/**
 * Recognises a file. Columns are in lower case without separators.
 * @param hasAny tells whether the file has one of some columns
 * @param hasNoOther tells whether the file has no column beside the format's own and some others
 */
export type Recognises = (hasAny: HasColumns, hasNoOther: HasColumns) => boolean;

type HasColumns = (...columns: string[]) => boolean;

export interface FormatReader {
  /** The rows that are complete with this record: none while the next record may belong to the same row. */
  readonly read: (record: SourceRecord) => readonly Draft[];
  /** Takes note of a broken record, which may belong to a row of several records. */
  readonly readBroken?: (record: SourceRecord) => void;
  /** The rows that were held back until the end of the file. */
  readonly end?: () => readonly Draft[];
  /** The file's name for a field. */
  readonly columnOf: (field: string) => string;
  /** Takes note of a column of the file, before a record with it is read. @returns whether it is read */
  readonly uses: (column: string) => boolean;
  /** Columns seen of a language that is not configured. */
  readonly otherLanguages: ReadonlySet<string>;
}

/** A row of the catalogue as the file has it, with its values under the names of the kind's fields. A field that the file lacks is absent. */
export interface Draft extends Place {
  readonly values: Record<string, Value>;
  /** Values that only a new row takes: an existing one keeps its own, because the file does not say them. */
  readonly ifNew?: Readonly<Record<string, Value>> | undefined;
  /** The file's names for fields whose values come from another column than {@link FormatReader.columnOf} says. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
  /** The name from which `values.slug` was made, if the file has no slug: an existing row of this slug and another name is another row. */
  readonly slugSource?: string | undefined;
  /** Why the row is rejected, as the end of a sentence that begins with its key. */
  readonly rejection?: string | undefined;
  /**
   * All variants of the product, in their order: others are deleted, and none means that it has none. The database keeps the price, the list
   * price and the stock of a product with variants, so its own values of these are not read. @default those of the catalogue stay
   */
  readonly variants?: readonly VariantDraft[] | undefined;
}

/**
 * A variant, with its values under the names of the kind's fields: `sku`, `barcode`, `optionValues` (a list, by place as the product's
 * `optionNames`), `price`, `listPrice`, `stock`, `imageUrl` and `position`. If one of its values is refused, so is its product.
 */
export interface VariantDraft extends Place, Pick<Draft, 'values' | 'columns'> {}

/** One file of a format, with its columns under the format's names for them. */
export interface FormatFile<Name extends string> {
  readonly options: ReadOptions;
  /** Whether a column of this name was seen. What a file lacks stays as it is in the catalogue. */
  readonly has: (name: Name) => boolean;
  /** The first of the columns of this name that the record has. */
  readonly get: (record: Pick<SourceRecord, 'fields'>, name: Name) => Value | undefined;
  /** The same as text without white space around it; empty without one. */
  readonly text: (record: SourceRecord, name: Name) => string;
  /** The file's name for the column, once seen; else the first of ours. */
  readonly columnOf: (name: Name) => string;
  /**
   * What the columns of languages say, as the field `translations` of a draft; nothing if the record has none.
   * @param own what the record has as such
   */
  readonly translationsIn: (record: Pick<SourceRecord, 'fields'>, own?: Value) => { readonly translations?: Value };
}

interface Description<Name extends string> extends Omit<Format, 'columns' | 'open'> {
  /** The names that files use for each column. One that becomes a field has the name of that. */
  readonly names: Readonly<Record<Name, readonly string[]>>;
  /** The columns of the fields that have another name. */
  readonly columnOf?: Readonly<Record<string, NoInfer<Name>>>;
  /** @param uses takes note of a column that is not the record's own */
  readonly open: (file: FormatFile<Name>, uses: FormatReader['uses']) => Reader;
}

type Reader = Pick<FormatReader, 'read'> &
  Partial<FormatReader> & {
    /** Takes note of a column that has none of the names. @param name {@link plainName} of that which it stands for @returns whether it is read */
    readonly usesOther?: (name: string, column: string) => boolean;
  };

export const defineFormat = <Name extends string>(description: Description<Name>): Format => {
  const { names, columnOf = {}, open, ...format } = description;
  return {
    ...format,
    columns: Object.values<readonly string[]>(names).flat(),
    open: (options, mapped = []) => {
      const { uses, otherLanguages, ...file } = openFile(
        description,
        options,
        mapped,
        (name, column) => reader.usesOther?.(name, column) === true,
      );
      const reader = open(file, uses);
      for (const { source } of mapped) if (source !== '') uses(source);
      return {
        columnOf: (field) => file.columnOf(columnOf[field] ?? (field as Name)),
        uses,
        otherLanguages,
        ...reader,
      };
    },
  };
};

const openFile = <Name extends string>(
  { names, texts = [] }: Pick<Description<Name>, 'names' | 'texts'>,
  options: ReadOptions,
  mapped: readonly MappedColumn[],
  usesOther: (name: string, column: string) => boolean,
): FormatFile<Name> & Pick<FormatReader, 'uses' | 'otherLanguages'> => {
  const ownNames = new Map<string, string>();
  for (const name of Object.keys(names) as Name[]) {
    for (const column of names[name]) ownNames.set(plainName(column), name);
  }
  const translations = new Translations(texts, options.languages);
  const nameOf = (column: string): string | undefined =>
    ownNames.get(plainName(column)) ?? translations.nameOf(column, (plain) => ownNames.get(plain));
  const columnsOf = new Map<string, string[]>();
  // A file has few columns, each in many records.
  const isUsed = new Map<string, boolean>();
  const replaced = new Set(mapped.map(({ target }) => nameOf(target) ?? plainName(target)));
  const take = (column: string): boolean => {
    const targets = mapped.flatMap(({ target, source }) => (source === column ? [target] : []));
    // The operator says another in its place.
    if (targets.length === 0 && replaced.has(nameOf(column) ?? plainName(column))) return true;
    const taken = (targets.length > 0 ? targets : [column]).map((each) => {
      const name = nameOf(each);
      if (name === undefined) return usesOther(plainName(each), column);
      columnsOf.set(name, [...(columnsOf.get(name) ?? []), column]);
      return true;
    });
    return taken.includes(true) || mapped.some(({ source }) => source.startsWith(`${column}.`));
  };
  const get = (record: Pick<SourceRecord, 'fields'>, name: string): Value | undefined => {
    for (const column of columnsOf.get(name) ?? []) {
      const value = partOf(record, column);
      if (value !== undefined) return value;
    }
    return undefined;
  };

  return {
    options,
    has: (name) => columnsOf.has(name),
    get,
    text: (record, name) => {
      const value = get(record, name);
      return typeof value === 'boolean' ? String(value) : (textIn(value) ?? '').trim();
    },
    translationsIn: (record, own) => {
      const given = [...columnsOf.keys()].flatMap((name) => {
        const value = name.includes(':') ? get(record, name) : undefined;
        return value === undefined ? [] : [[name, value] as const];
      });
      const said = translations.read(given, own);
      return said === undefined ? {} : { translations: said };
    },
    columnOf: (name) => columnsOf.get(name)?.[0] ?? names[name]?.[0] ?? name,
    otherLanguages: translations.otherLanguages,
    uses: (column) => {
      const known = isUsed.get(column) ?? take(column);
      isUsed.set(column, known);
      return known;
    },
  };
};

/** The values of those columns that the file has. */
export const pick = <Name extends string>(
  names: readonly Name[],
  { has }: Pick<FormatFile<Name>, 'has'>,
  read: (name: Name) => Value,
): Record<string, Value> => Object.fromEntries(names.filter(has).map((name) => [name, read(name)]));

/** The value of a column, or of a part of it that a path through objects and lists leads to, as `meta.barcode`. */
export const partOf = ({ fields }: Pick<SourceRecord, 'fields'>, path: string): Value | undefined => {
  if (fields[path] !== undefined || !path.includes('.')) return fields[path];
  let part: Value | undefined = fields;
  for (const name of path.split('.')) part = memberOf(part, name);
  return part;
};

/** Of a list, the members of its objects: an XML list does not name the elements that are its items. */
const memberOf = (value: Value | undefined, name: string): Value | undefined => {
  if (isObject(value)) return value[name];
  if (!Array.isArray(value)) return undefined;
  const members = value.flatMap((item) => (isObject(item) && name in item ? (item[name] ?? []) : item));
  return members.length === 1 ? members[0] : members;
};
