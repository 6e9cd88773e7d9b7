import DataLoader from 'dataloader';
import type { PrismaClient } from '../database/generated/client/client.ts';
import { inList, MAX_KEYS } from '../database/prisma.ts';
import { createSharedLoader, type Sql, type Statement } from '../database/sql.ts';
import type { LoaderScope, ReadDeps } from '../graphql/context.ts';

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly termTranslation: TermLoaders;
  }
}

interface TermLoaders {
  /** The term itself where it has no label, and at once in the language of the tables. */
  readonly label: (term: string) => string | Promise<string>;
  /** In the order of the terms. */
  readonly labels: (terms: readonly string[]) => string[] | Promise<string[]>;
}

/** Makes the loaders of each operation. */
export const createTermLoaders =
  ({ prisma }: ReadDeps) =>
  ({ language: { fallBacks }, ...scope }: LoaderScope): TermLoaders =>
    fallBacks ? labelsIn(fallBacks, prisma, scope) : { label: (term) => term, labels: (terms) => [...terms] };

/** What tags, and the names and values of options and attributes, are called in a language, for one operation. */
const labelsIn = (
  languages: readonly string[],
  prisma: PrismaClient,
  { dependencies, inFlight }: Pick<LoaderScope, 'dependencies' | 'inFlight'>,
): TermLoaders => {
  const loader = new DataLoader<string, string>(
    async (terms) => {
      const rows = await prisma.termTranslation.findMany({
        where: { language: { in: inList(languages) }, term: { in: inList(terms) } },
      });
      const byTerm = Map.groupBy(rows, ({ term }) => term);
      return terms.map((term) => {
        const texts = new Map(byTerm.get(term)?.map(({ language, text }) => [language, text]));
        return languages.map((language) => texts.get(language)).find((text) => text) ?? term;
      });
    },
    {
      maxBatchSize: MAX_KEYS,
      // Waits until all lists of products are read.
      batchScheduleFn: (send) => inFlight.whenIdle(send),
    },
  );
  const label = (term: string): Promise<string> => {
    dependencies.add('term_translation');
    return loader.load(term);
  };
  return { label, labels: (terms) => Promise.all(terms.map(label)) };
};

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
