import { Languages } from '../../language/languages.ts';
import { jsonIn } from '../fields/parse.ts';
import type { MappedColumn, ReadOptions } from '../options.ts';
import { isBlank, isObject, type SourceRecord, textIn, type Value } from '../record.ts';
import type { Format, FormatFile } from './format.ts';

type Naming = Pick<Format, 'names' | 'otherName' | 'sources' | 'texts'>;

/** Shopware's word for the language of the tables' own columns. */
const DEFAULT = 'DEFAULT';

const NO_LANGUAGES = new Languages([]);

/** The columns of one file, and how a format names them. */
export class FileColumns implements FormatFile {
  readonly options: ReadOptions;
  /** Columns that are not read, and those of a language that is not configured. */
  readonly unused = new Set<string>();
  readonly otherLanguages = new Set<string>();
  readonly #format: Naming;
  readonly #ownNames = new Map<string, string>();
  /** The fields that are translated, by their plain names. */
  readonly #texts: ReadonlyMap<string, string>;
  /** What the operator says stands for the columns of a name, in place of any other. */
  readonly #mapped: readonly { readonly name: string; readonly source: string }[];
  /** The names of the columns that the file has; empty for one that is not read by its name. */
  readonly #nameOfSeen = new Map<string, string>();
  /** The first column of each name. */
  readonly #columnOfName = new Map<string, string>();

  /** @param mapped whose columns stand for the format's, in place of any other; a path leads to a part of a column */
  constructor(format: Naming, options: ReadOptions = {}, mapped: readonly MappedColumn[] = []) {
    this.#format = format;
    this.options = options;
    for (const [name, columns] of Object.entries(format.names))
      for (const column of columns) this.#ownNames.set(plainName(column), name);
    this.#texts = new Map(format.texts?.map((text) => [plainName(text), text]));
    this.#mapped = mapped.map(({ target, source }) => ({ name: this.nameOf(target) ?? plainName(target), source }));
    for (const { name, source } of this.#mapped) if (source !== '') this.#columnOfName.set(name, source);
  }

  has(name: string): boolean {
    return this.#columnOfName.has(name);
  }

  columnOf(field: string): string {
    const name = [field, ...(this.#format.sources?.[field] ?? [])].find((each) => this.has(each)) ?? field;
    return this.#columnOfName.get(name) ?? this.#format.names[name]?.[0] ?? name;
  }

  rename(fields: SourceRecord['fields']): Record<string, Value> {
    const renamed: Record<string, Value> = {};
    for (const { name, source } of this.#mapped) {
      const value = source === '' ? undefined : partOf(fields, source);
      if (value !== undefined) renamed[name] = value;
    }
    for (const column of Object.keys(fields)) {
      // A file has few columns, each in many records.
      const name = this.#nameOfSeen.get(column) ?? this.#meet(column);
      if (name !== '') renamed[name] ??= fields[column] as Value;
    }
    const translations = this.#translationsIn(renamed);
    if (translations !== undefined) renamed.translations = translations;
    return renamed;
  }

  /** `name`, or `name:de` for a column of a text in a language that is configured; undefined for a column that is not read. */
  nameOf(column: string): string | undefined {
    const plain = plainName(column);
    return this.#ownNames.get(plain) ?? this.#translatedName(column) ?? this.#format.otherName?.(plain);
  }

  /** Takes note of a column of the file. @returns the name by which it is read, if it is */
  #meet(column: string): string {
    const known = this.nameOf(column);
    const isReplaced = this.#mapped.some(
      ({ name, source }) => source === column || name === (known ?? plainName(column)),
    );
    const name = isReplaced || known === undefined ? '' : known;
    this.#nameOfSeen.set(column, name);
    if (name !== '' && !this.has(name)) this.#columnOfName.set(name, column);
    const isRead = isReplaced || name !== '' || this.#mapped.some(({ source }) => source.startsWith(`${column}.`));
    if (!(isRead || this.otherLanguages.has(column))) this.unused.add(column);
    return name;
  }

  #translatedName(column: string): string | undefined {
    const { text = '', tag = '' } = spelledIn(column) ?? {};
    const own = this.#ownNames.get(plainName(text));
    const field = this.#texts.get(plainName(own ?? text));
    const language = this.#codeOf(tag);
    if (language === DEFAULT) return field ?? own;
    if (field !== undefined && language === undefined) this.otherLanguages.add(column);
    return field && language && `${field}:${language}`;
  }

  /**
   * The texts of a record by the codes of languages and the names of fields. It says them in columns of a language, and in a field of their own:
   * an object by language, or a list of objects with a language, as the API returns them.
   */
  #translationsIn(fields: Readonly<Record<string, Value>>): Value | undefined {
    const own = fields.translations;
    const given = this.#columnOfName
      .keys()
      .filter((name) => name.includes(':') && fields[name] !== undefined)
      .toArray();
    const value = typeof own === 'string' ? (jsonIn(own) ?? own) : own;
    if (given.length === 0 && (value === undefined || isBlank(value))) return value;
    const list = Array.isArray(value) && value.every(isObject) ? value : undefined;
    const entries = list?.map(({ language = '', ...texts }): [string, Value] => [textIn(language) ?? '', texts]);
    // What is neither is kept, so that it is reported.
    if (!entries && !isBlank(value) && !isObject(value)) return value;
    const translations: Record<string, Value> = {};
    for (const [tag, texts] of entries ?? Object.entries(isObject(value) ? value : {})) {
      const language = this.#codeOf(tag);
      if (language === undefined) this.otherLanguages.add(`translations.${tag}`);
      else if (language !== DEFAULT) translations[language] = this.#named(texts);
    }
    for (const name of given) {
      const [field = '', language = ''] = name.split(':');
      const others = translations[language];
      translations[language] = { ...(isObject(others) && others), [field]: fields[name] ?? '' };
    }
    return translations;
  }

  #named(texts: Value): Value {
    if (!isObject(texts)) return texts;
    return Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [this.#texts.get(plainName(name)) ?? name, text]),
    );
  }

  /** {@link DEFAULT} for the language of the tables' own columns: a text in it is the field itself. */
  #codeOf(tag: string): string | undefined {
    if (tag === DEFAULT) return DEFAULT;
    const language = (this.options.languages ?? NO_LANGUAGES).find(tag.replaceAll('_', '-'));
    return language?.isDefault ? DEFAULT : language?.code;
  }
}

/** Equal for `List Price`, `list_price` and `listPrice`. */
export const plainName = (column: string): string => column.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** How shops name the column of a text in a language. */
const SPELLINGS = [
  // Vitrine's own: name:de
  /^(?<text>[^:]+):(?<tag>[\w-]+)$/,
  // Akeneo's: name-de_DE, and description-de_DE-ecommerce of a channel
  /^(?<text>.+)-(?<tag>[a-z]{2,3}(?:_[A-Z][A-Za-z]+)+)(?:-\w+)?$/,
  // Shopware's: translations.de-DE.name
  /^translations\.(?<tag>[\w-]+)\.(?<text>\w+)$/,
  // OpenCart's: name(de-de)
  /^(?<text>[^()]+)\((?<tag>[a-z]{2,3}(?:-[a-z]{2,4})?)\)$/i,
];

/** The text and the language that the name of a column says; undefined if it says no language. */
export const spelledIn = (column: string): { readonly text: string; readonly tag: string } | undefined => {
  for (const spelling of SPELLINGS) {
    const { text, tag } = spelling.exec(column)?.groups ?? {};
    if (text !== undefined && tag !== undefined) return { text, tag };
  }
  return undefined;
};

/** The value of a column, or of a part of it that a path through objects and lists leads to, as `meta.barcode`. */
export const partOf = (fields: SourceRecord['fields'], path: string): Value | undefined => {
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
