import type { LoaderScope } from '../graphql/context.ts';
import type { BrowseEngine, Suggestion } from './browse-engine.ts';
import { ProductSearch } from './product-search.ts';
import type { ProductQuery } from './search-arguments.ts';
import type { PlacedTerm } from './words.ts';

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly browse: BrowseLoaders;
  }
}

export interface BrowseLoaders {
  /** The same list for equal queries: their selections are read together. */
  readonly search: (query: ProductQuery) => ProductSearch;
  /** @param terms none: no suggestions */
  readonly suggest: (terms: readonly PlacedTerm[], limit: number) => Promise<readonly Suggestion[]>;
}

/** Loaders for one operation. */
export const createBrowseLoaders = (engine: BrowseEngine, scope: LoaderScope): BrowseLoaders => {
  const searches = new Map<string, ProductSearch>();
  return {
    search: (query) => {
      const key = JSON.stringify(query);
      const search = searches.get(key) ?? new ProductSearch(query, engine, scope);
      searches.set(key, search);
      return search;
    },
    suggest: async (terms, limit) => {
      if (terms.length === 0) return [];
      scope.hints.dependsOn('product');
      scope.hints.dependsOn('category');
      return scope.inFlight.track(engine.suggest({ terms, limit, now: scope.now }));
    },
  };
};
