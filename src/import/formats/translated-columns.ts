import { Languages } from '../../language/languages.ts';
import { jsonIn } from '../fields/parse.ts';
import { isBlank, isObject, textIn, type Value } from '../record.ts';

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

/** Equal for `List Price`, `list_price` and `listPrice`. */
export const plainName = (column: string): string => column.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

const NO_LANGUAGES = new Languages([]);

/** The texts of one file in further languages. A text in the language of the tables' own columns is the field itself. */
export class Translations {
  /** Columns seen of a language that is not configured. */
  readonly otherLanguages = new Set<string>();
  /** The fields that are translated, by their plain names. */
  readonly #texts: ReadonlyMap<string, string>;
  readonly #languages: Languages;

  constructor(texts: readonly string[], languages = NO_LANGUAGES) {
    this.#texts = new Map(texts.map((text) => [plainName(text), text]));
    this.#languages = languages;
  }

  /**
   * @param ownNameOf the name of a format's own column
   * @returns `name:de`, or `name` for any column in the language of the tables; undefined for a column of no text, or of no language
   */
  nameOf(column: string, ownNameOf: (plain: string) => string | undefined): string | undefined {
    const { text = '', tag = '' } = spelledIn(column) ?? {};
    const own = ownNameOf(plainName(text));
    const field = this.#texts.get(plainName(own ?? text));
    const language = this.#codeOf(tag);
    if (language === DEFAULT) return field ?? own;
    if (field !== undefined && language === undefined) this.otherLanguages.add(column);
    return field && language && `${field}:${language}`;
  }

  /**
   * The field `translations` of a row, by the codes of languages and the names of fields.
   * @param given what columns of a language say: `name:de` and its value
   * @param own what the row says of the field itself: an object by language, or a list of objects with a language, as the API returns them
   */
  read(given: readonly (readonly [name: string, value: Value])[], own: Value | undefined): Value | undefined {
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
    for (const [name, text] of given) {
      const [field = '', language = ''] = name.split(':');
      const others = translations[language];
      translations[language] = { ...(isObject(others) && others), [field]: text };
    }
    return translations;
  }

  #named(texts: Value): Value {
    if (!isObject(texts)) return texts;
    return Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [this.#texts.get(plainName(name)) ?? name, text]),
    );
  }

  #codeOf(tag: string): string | undefined {
    if (tag === DEFAULT) return DEFAULT;
    const language = this.#languages.find(tag.replaceAll('_', '-'));
    return language?.isDefault ? DEFAULT : language?.code;
  }
}

/** Shopware's word for the language of the tables' own columns. */
const DEFAULT = 'DEFAULT';
