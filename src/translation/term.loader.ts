import DataLoader from 'dataloader';
import type { PrismaClient } from '../database/generated/client/client.ts';
import { inList, MAX_KEYS } from '../database/prisma.ts';
import type { LoaderScope, ReadDeps } from '../graphql/context.ts';

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly termTranslation: TermLoaders;
  }
}

/** Makes the loaders of each operation. */
export const createTermLoaders = ({ prisma }: ReadDeps) => {
  const reads = createTermReads(prisma);
  return (scope: LoaderScope) => new TermLoaders(reads, scope);
};

type TermReads = ReturnType<typeof createTermReads>;

const createTermReads = (prisma: PrismaClient) => ({
  labels: (terms: readonly string[], languages: readonly string[]) =>
    prisma.termTranslation.findMany({ where: { language: { in: inList(languages) }, term: { in: inList(terms) } } }),
});

/** What tags, and the names and values of options and attributes, are called in the language of one operation. */
class TermLoaders {
  readonly #reads: TermReads;
  readonly #scope: LoaderScope;
  #labels: DataLoader<string, string> | undefined;

  constructor(reads: TermReads, scope: LoaderScope) {
    this.#reads = reads;
    this.#scope = scope;
  }

  /** The term itself where it has no label, and at once in the language of the tables. */
  label(term: string): string | Promise<string> {
    const { language, dependencies, inFlight } = this.#scope;
    const { fallBacks } = language;
    if (fallBacks === undefined) return term;
    dependencies.add('term_translation');
    this.#labels ??= new DataLoader((terms) => this.#read(terms, fallBacks), {
      maxBatchSize: MAX_KEYS,
      // Waits until all lists of products are read.
      batchScheduleFn: (send) => inFlight.whenIdle(send),
    });
    return this.#labels.load(term);
  }

  /** In the order of the terms. */
  labels(terms: readonly string[]): string[] | Promise<string[]> {
    const labels = terms.map((term) => this.label(term));
    return this.#scope.language.fallBacks === undefined ? (labels as string[]) : Promise.all(labels);
  }

  async #read(terms: readonly string[], languages: readonly string[]): Promise<string[]> {
    const rows = await this.#reads.labels(terms, languages);
    const byTerm = Map.groupBy(rows, ({ term }) => term);
    return terms.map((term) => {
      const texts = new Map(byTerm.get(term)?.map(({ language, text }) => [language, text]));
      return languages.map((language) => texts.get(language)).find((text) => text) ?? term;
    });
  }
}
