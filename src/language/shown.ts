/** A row with its texts in other languages than that of its columns, by the code of the language and the name of the column. */
interface Translated {
  readonly translations: unknown;
}

type Translations = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/**
 * What a row shows in a language: the first of the translations that has a value, else undefined. An empty text, and an empty list, is none.
 * @param column as `translations` names it @param languages where to look, as `Language.fallBacks`; undefined for the language of the columns
 */
export const translationOf = (
  { translations }: Translated,
  column: string,
  languages: readonly string[] | undefined,
): unknown => {
  for (const language of languages ?? []) {
    const value = (translations as Translations)[language]?.[column];
    if (value !== undefined && (value as string | readonly unknown[]).length > 0) return value;
  }
  return undefined;
};

/** A text of a row as it is shown in a language: each falls back to its column by itself. @param languages as of {@link translationOf} */
export const shownText = <Column extends string, Row extends Translated & Readonly<Record<Column, string | null>>>(
  row: Row,
  column: Column,
  languages: readonly string[] | undefined,
): Row[Column] => {
  if (languages === undefined) return row[column];
  return (translationOf(row, column, languages) as Row[Column] | undefined) ?? row[column];
};

/** The same in SQL, as an expression. @param alias of the table @param column a text column, which `translations` names as the table does */
export const shownSql = (alias: string, column: string, languages: readonly string[] = []): string =>
  firstOf(
    languages.map((language) => `nullif(${alias}.translations -> '${language}' ->> '${column}', '')`),
    `${alias}.${column}`,
  );

/** What a tag, or the name or a value of an option or an attribute, is called in a language, as an expression. @param term an expression, too */
export const labelSql = (term: string, languages: readonly string[] = []): string =>
  firstOf(
    languages.map(
      (language) =>
        `(select nullif(l.text, '') from term_translation l where l.language = '${language}' and l.term = ${term})`,
    ),
    term,
  );

/** The name of a statement in a language: its code stands for all that it falls back to. */
export const statementIn = (name: string, [language]: readonly string[] = []): string =>
  language === undefined ? name : `${name}_${language}`;

/** The first of some expressions that is not null. Codes of languages need no escape. */
export const firstOf = (expressions: readonly string[], last: string): string =>
  expressions.length === 0 ? last : `coalesce(${[...expressions, last].join(', ')})`;

/**
 * The names of products `p` in a language: what joins them, and an expression. They stand apart from `translations`, which may be as long as a page
 * of text for each product.
 */
export const namesIn = (languages: readonly string[] = []): { readonly joins: string; readonly name: string } => ({
  joins: languages
    .map(
      (language, place) =>
        ` left join translated_words n${place} on n${place}.product_id = p.id and n${place}.language = '${language}'`,
    )
    .join(''),
  name: firstOf(
    languages.map((_, place) => `n${place}.name`),
    'p.name',
  ),
});
