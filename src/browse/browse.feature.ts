import { type FeatureLoaders, type LoaderScope, memo } from '../graphql/context.ts';
import type { BrowseEngine, Suggestion, SuggestionRequest } from './browse-engine.ts';
import type { BrowseIndex } from './index-engine.ts';
import { type ProductQuery, ProductSearch } from './product-search.ts';
import { createSqlEngine } from './sql-engine.ts';

/** Adds the types and queries of browsing and search to the schema's builder. */
export const registerBrowse = (): Promise<unknown> => import('./browse.query.ts');

/** Browsing and search: it reads the tables of other features and has none of its own. @param index answers where it can */
export const createBrowse = (index?: Pick<BrowseIndex, 'before'>): FeatureLoaders => ({
  table: 'browse',
  createLoaders: ({ sql }) => {
    const engine = createSqlEngine(sql);
    return (scope) => createBrowseLoaders(index?.before(engine, scope.dependencies) ?? engine, scope);
  },
});

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly browse: ReturnType<typeof createBrowseLoaders>;
  }
}

const createBrowseLoaders = (engine: BrowseEngine, scope: LoaderScope) => {
  const searches = new Map<string, ProductSearch>();
  return {
    /** The same list for equal queries: their selections are read together. */
    search: (query: ProductQuery): ProductSearch => {
      const key = JSON.stringify(query);
      const search = searches.get(key) ?? new ProductSearch(query, engine, scope);
      searches.set(key, search);
      return search;
    },
    /** None where there are no terms. */
    suggest: memo(async ({ terms, limit }: Omit<SuggestionRequest, 'now'>): Promise<readonly Suggestion[]> => {
      if (terms.length === 0) return [];
      scope.dependencies.add('product');
      scope.dependencies.add('category');
      return scope.inFlight.track(
        engine.suggest({ terms, limit, now: scope.now, languages: scope.language.fallBacks }),
      );
    }, JSON.stringify),
  };
};
