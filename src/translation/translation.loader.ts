import DataLoader from 'dataloader';
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

/** What tags, and the names and values of options and attributes, are called: makes the loaders of each operation. */
export const createTermLoaders =
  ({ prisma }: ReadDeps) =>
  ({ language: { fallBacks: languages }, dependencies, inFlight }: LoaderScope): TermLoaders => {
    if (!languages) return { label: (term) => term, labels: (terms) => [...terms] };
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
interface Alias {
  readonly id: number;
  /** That of a translated slug, null for a slug that the row had before. */
  readonly language: string | null;
}

/** Values: kind, slugs. */
const aliasesOfSlugs: Statement = {
  name: 'aliases_of_slugs',
  text: `
    select slug, json_agg(json_build_object('id', id, 'language', language) order by language nulls first) as aliases
    from slug_alias where kind = $1 and slug = any ($2) group by slug`,
};

/** Finds the rows that a slug leads to: first by the language and what it falls back to, then by a former slug, then by any other language. */
export const createAliasLoader = (sql: Sql, kind: 'product' | 'category') => {
  const loader = createSharedLoader({
    read: (slugs: string[]) => sql.rows<{ slug: string; aliases: Alias[] }>(aliasesOfSlugs, [kind, slugs]),
    keyOf: ({ slug }) => slug,
  });
  return async (slug: string, fallBacks: readonly string[] = []): Promise<number[]> => {
    const { aliases = [] } = (await loader.load(slug)) ?? {};
    const rankOf = ({ language }: Alias): number => {
      const place = fallBacks.indexOf(language ?? '');
      return place < 0 ? fallBacks.length : place;
    };
    return [...new Set(aliases.toSorted((one, other) => rankOf(one) - rankOf(other)).map(({ id }) => id))];
  };
};
