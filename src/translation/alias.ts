import type DataLoader from 'dataloader';
import { createSharedLoader, type Sql, type Statement } from '../database/sql.ts';

/** What a slug leads to that no row of its table has. */
export interface Aliases {
  readonly slug: string;
  readonly ids: readonly number[];
  /** Of each id: that of a translated slug, null for a slug that the row had before. */
  readonly languages: readonly (string | null)[];
}

/** Values: kind, slugs. */
const aliasesOfSlugs: Statement = {
  name: 'aliases_of_slugs',
  text: `
    select slug, array_agg(id order by language nulls first) as ids, array_agg(language order by language nulls first) as languages
    from slug_alias where kind = $1 and slug = any ($2) group by slug`,
};

export const createAliasLoader = (sql: Sql, kind: 'product' | 'category'): DataLoader<string, Aliases | null> =>
  createSharedLoader({
    read: (slugs: string[]) => sql.rows<Aliases>(aliasesOfSlugs, [kind, slugs]),
    keyOf: ({ slug }) => slug,
  });

const NO_ALIASES = { ids: [], languages: [] };

/** The rows that a slug leads to: first by the language and what it falls back to, then by a former slug, then by any other language. */
export const idsOf = (aliases: Aliases | null, fallBacks: readonly string[] = []): number[] => {
  const { ids, languages } = aliases ?? NO_ALIASES;
  const rankOf = (language: string | null | undefined): number => {
    const place = fallBacks.indexOf(language ?? '');
    return place < 0 ? fallBacks.length : place;
  };
  const places = ids.map((_, place) => place).sort((one, other) => rankOf(languages[one]) - rankOf(languages[other]));
  return [...new Set(places.flatMap((place) => ids[place] ?? []))];
};
