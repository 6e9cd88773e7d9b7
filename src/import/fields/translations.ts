import type { Field, ImportKind } from '../kind.ts';
import { isBlank, isObject, type Value } from '../record.ts';
import { InvalidPartError, InvalidValueError, type Parse } from './parse.ts';

/** What products have in several languages. */
export const PRODUCT_TEXTS = ['name', 'slug', 'subtitle', 'description', 'imageAlts'] as const;

/**
 * The fields of a kind with their texts in further languages, as `{ "de": { "name": "Pfanne" } }`. What a row says of a text replaces that text
 * alone, and one without a value goes. Faults are those of `name:de`.
 * @param names the fields that are translated
 */
export const withTranslations = (fields: ImportKind['fields'], names: readonly string[]): ImportKind['fields'] => ({
  ...fields,
  translations: translationsOf(fields, names),
});

const translationsOf = (fields: ImportKind['fields'], names: readonly string[]): Field => ({
  column: 'translations',
  type: 'jsonb',
  texts: names,
  merge: mergeTranslations,
  parse: (value, options) => {
    if (!isObject(value)) throw new InvalidValueError('must be an object such as {"de": {"name": "Pfanne"}}');
    const languages = Object.entries(value).map(([language, given]) => {
      // A language without a value has no text.
      const texts = isBlank(given) ? Object.fromEntries(names.map((name) => [name, null])) : given;
      if (!isObject(texts)) throw new InvalidValueError(`must have an object for "${language}"`);
      const stored = Object.entries(texts).map(([name, text]) => {
        const { column, parse } = (names.includes(name) && fields[name]) || unknown(name, names);
        return [column, partOf(`${name}:${language}`, text, (text) => (isBlank(text) ? null : parse(text, options)))];
      });
      return [language, Object.fromEntries(stored)];
    });
    return Object.fromEntries(languages);
  },
});

const unknown = (name: string, names: readonly string[]): never => {
  throw new InvalidValueError(`has "${name}", but may have only ${names.join(', ')}`);
};

const partOf = (part: string, value: Value, parse: Parse): unknown => {
  try {
    return parse(value);
  } catch (error) {
    throw error instanceof InvalidValueError ? new InvalidPartError(part, value, error.message) : error;
  }
};

const mergeTranslations = (staged: string, current: string): string => `(
  select coalesce(jsonb_object_agg(language, texts), '{}')
  from jsonb_object_keys(coalesce(${current}, '{}')::jsonb || ${staged}) language
    cross join lateral (
      select coalesce(jsonb_object_agg(name, text), '{}') as texts
      from jsonb_each(coalesce((${current})::jsonb -> language, '{}') || coalesce(${staged} -> language, '{}')) each (name, text)
      where text <> 'null') of_language
  where texts <> '{}')`;
