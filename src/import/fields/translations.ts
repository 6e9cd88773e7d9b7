import { field, type ImportKind } from '../kind.ts';
import { isBlank, isObject } from '../record.ts';
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
  translations: field('translations', 'jsonb', textsByLanguage(fields, names), {
    texts: names,
    merge: mergeTranslations,
  }),
});

const textsByLanguage =
  (fields: ImportKind['fields'], names: readonly string[]): Parse =>
  (value, options) => {
    if (!isObject(value)) throw new InvalidValueError('must be an object such as {"de": {"name": "Pfanne"}}');
    const languages = Object.entries(value).map(([language, given]) => {
      // A language without a value has no text.
      const texts = isBlank(given) ? Object.fromEntries(names.map((name) => [name, null])) : given;
      if (!isObject(texts)) throw new InvalidValueError(`must have an object for "${language}"`);
      const stored = Object.entries(texts).map(([name, text]) => {
        const own = names.includes(name) ? fields[name] : undefined;
        if (!own) throw new InvalidValueError(`has "${name}", but may have only ${names.join(', ')}`);
        try {
          return [own.column, isBlank(text) ? null : own.parse(text, options)];
        } catch (error) {
          if (!(error instanceof InvalidValueError)) throw error;
          throw new InvalidPartError(`${name}:${language}`, text, error.message);
        }
      });
      return [language, Object.fromEntries(stored)];
    });
    return Object.fromEntries(languages);
  };

const mergeTranslations = (staged: string, current: string): string => `(
  select coalesce(jsonb_object_agg(language, texts), '{}')
  from jsonb_object_keys(coalesce(${current}, '{}')::jsonb || ${staged}) language
    cross join lateral (
      select coalesce(jsonb_object_agg(name, text), '{}') as texts
      from jsonb_each(coalesce((${current})::jsonb -> language, '{}') || coalesce(${staged} -> language, '{}')) each (name, text)
      where text <> 'null') of_language
  where texts <> '{}')`;
