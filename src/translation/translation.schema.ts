import { builder } from '../graphql/builder.ts';
import type { OperationContext } from '../graphql/context.ts';
import { type Language, type Languages, nameOfLanguage } from '../language/languages.ts';
import { shownText, translationOf } from '../language/shown.ts';

/** A row of the tables whose names and slugs are translated. */
interface NamedRow {
  readonly name: string;
  readonly slug: string;
  readonly translations: unknown;
}

export const SlugTranslation = builder
  .objectRef<{ readonly language: string; readonly slug: string }>('SlugTranslation')
  .implement({
    description: 'Where the page in a language is.',
    fields: (t) => ({
      language: t.exposeString('language', { description: 'A tag of BCP 47, for `hreflang`.' }),
      slug: t.exposeString('slug', { description: 'In this language.' }),
    }),
  });

/** The options of a field that shows a text of its row in the language of the answer. */
export const shownField = <Column extends string>(column: Column, description: string) => ({
  description,
  resolve: <Row extends Pick<NamedRow, 'translations'> & Readonly<Record<Column, string | null>>>(
    row: Row,
    _: object,
    { language }: OperationContext,
  ): Row[Column] => shownText(row, column, language.fallBacks),
});

/** The options of the field `language`. */
export const LANGUAGE_OF_NAME = {
  description: 'The language of its name: that of the answer, or what this falls back to.',
  resolve: (row: NamedRow, _: object, { language, languages }: OperationContext): string =>
    language.fallBacks?.find((code) => translationOf(row, 'name', [code])) ?? languages.default.code,
} as const;

/** The options of the field `translations`, beside its type. */
export const SLUG_TRANSLATIONS = {
  description: 'Its slug in each language that it has any text in, the default language first.',
  extensions: { assumedSize: 5 },
  resolve: (row: NamedRow, _: object, { languages }: OperationContext) =>
    availableIn(row, languages).map(({ code, fallBacks }) => ({
      language: code,
      slug: shownText(row, 'slug', fallBacks),
    })),
} as const;

const availableIn = ({ translations }: NamedRow, { all }: Languages): Language[] => {
  const hasText = (code: string): boolean =>
    Object.values((translations as Readonly<Record<string, object>>)[code] ?? {}).some((text) => text.length > 0);
  return all.filter(({ fallBacks }) => fallBacks === undefined || fallBacks.some(hasText));
};

/** The options of the field `label` of what has a `name`. */
export const NAME_LABEL = {
  description: 'What the name is called, for people.',
  resolve: ({ name }: { readonly name: string }, _: object, { loaders }: OperationContext) =>
    loaders.termTranslation.label(name),
} as const;

/** The options of the field `valueLabels` of what has `values`. */
export const VALUE_LABELS = {
  description: 'What `values` are called, in their order.',
  resolve: ({ values }: { readonly values: readonly string[] }, _: object, { loaders }: OperationContext) =>
    loaders.termTranslation.labels(values),
} as const;

const LanguageType = builder.objectRef<Language>('Language').implement({
  description: 'A language that the catalogue is in.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'A tag of BCP 47: `pt-BR`; `und` where the shop names no language.' }),
    name: t.string({
      description: 'Its name in the language itself: `português (Brasil)`.',
      resolve: ({ code }) => nameOfLanguage(code),
    }),
    isDefault: t.exposeBoolean('isDefault', { description: 'Whether texts are in it where they are not translated.' }),
  }),
});

builder.queryField('languages', (t) =>
  t.field({
    type: [LanguageType],
    description: 'The languages of the catalogue, the default first.',
    extensions: { assumedSize: 5 },
    resolve: (_, __, { languages, dependencies }) => {
      dependencies.addNothing();
      return [...languages.all];
    },
  }),
);
