import { pathAbove } from '../category/category.loader.ts';
import { ReadAgain } from '../database/failures.ts';
import type { Category, Product } from '../database/generated/client/client.ts';
import type { FeatureLoaders, LoaderScope } from '../graphql/context.ts';
import { shownText } from '../language/shown.ts';
import { memo } from '../memo.ts';
import type {
  BrowseEngine,
  BrowseRequest,
  BrowseResult,
  Facet,
  FacetCounts,
  SearchTerm,
  Suggestion,
  SuggestionRequest,
} from './browse-engine.ts';
import type { Match } from './highlight.ts';
import type { BrowseIndex } from './index-engine.ts';
import { compareCodePoints, encodeCursor } from './order.ts';
import { createSqlEngine } from './sql-engine.ts';
import type { PlacedTerm } from './words.ts';

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

/** What was asked for: its filter has the ids of categories as they were given. */
export interface ProductQuery extends Pick<BrowseRequest, 'code' | 'filter' | 'order' | 'page' | 'languages'> {
  readonly search: string | undefined;
  readonly terms: readonly PlacedTerm[];
  readonly withDescendants: boolean;
}

export interface SearchEdge {
  readonly cursor: string;
  readonly node: () => Promise<Product>;
  /** Null without a search. */
  readonly highlight: () => Promise<Match | null>;
}

export interface CategoryCount {
  readonly category: Category;
  readonly count: number;
}

interface Found extends BrowseResult {
  readonly terms: readonly SearchTerm[];
  readonly correctedSearch: string | null;
}

/** A text of characters that nobody sees, or that no table can hold, is in no product. */
const NOTHING: BrowseResult = { items: [], hasNextPage: false, hasPreviousPage: false, facets: {} };

/** Whether there are any is asked for all the same. */
const NO_ROWS = { from: 'start', size: 0 } as const;

/** Each method says what it needs; what is needed in one tick is read together, as one snapshot. */
export class ProductSearch {
  readonly #query: ProductQuery;
  readonly #engine: BrowseEngine;
  readonly #scope: LoaderScope;
  readonly #needs = new Set<'rows' | 'count' | Facet>();
  #found: Promise<Found> | undefined;
  #isSent = false;

  constructor(query: ProductQuery, engine: BrowseEngine, scope: LoaderScope) {
    this.#query = query;
    this.#engine = engine;
    this.#scope = scope;
  }

  async edges(): Promise<SearchEdge[]> {
    const { items, terms } = await this.#read('rows');
    return items.map(({ id, position }) => ({
      cursor: encodeCursor(this.#query, position),
      node: () => this.#product(id),
      highlight: async () => (this.#query.search === undefined ? null : this.#matchOf(await this.#product(id), terms)),
    }));
  }

  async nodes(): Promise<Product[]> {
    const { items } = await this.#read('rows');
    return Promise.all(items.map(({ id }) => this.#product(id)));
  }

  async pageInfo() {
    const { items, hasNextPage, hasPreviousPage } = await this.#read('rows');
    const cursorOf = (item: (typeof items)[number] | undefined): string | null =>
      item ? encodeCursor(this.#query, item.position) : null;
    return { hasNextPage, hasPreviousPage, startCursor: cursorOf(items[0]), endCursor: cursorOf(items.at(-1)) };
  }

  async totalCount(): Promise<number> {
    return (await this.#read('count')).totalCount ?? 0;
  }

  async pageCount(): Promise<number> {
    return Math.ceil((await this.totalCount()) / this.#query.page.size);
  }

  async correctedSearch(): Promise<string | null> {
    return (await this.#read()).correctedSearch;
  }

  async facet<Name extends Facet>(name: Name): Promise<FacetCounts[Name]> {
    return (await this.#read(name)).facets[name];
  }

  async categories(limit: number): Promise<CategoryCount[]> {
    const own = (await this.facet('categories')) ?? [];
    if (own.length === 0) return [];
    const byId = await this.#scope.loaders.category.lineage(own.map(({ value }) => value));
    const counts = new Map<Category, number>();
    for (const { value, count } of own) {
      const category = byId.get(value);
      if (!category) throw new ReadAgain(`category ${value} vanished while its products were counted`);
      const above = this.#query.withDescendants ? pathAbove(category, byId) : [];
      for (const each of [category, ...above]) counts.set(each, (counts.get(each) ?? 0) + count);
    }
    const nameOf = ({ category }: CategoryCount): string => shownText(category, 'name', this.#query.languages);
    return [...counts]
      .map(([category, count]) => ({ category, count }))
      .sort(
        (one, other) =>
          other.count - one.count ||
          compareCodePoints(nameOf(one), nameOf(other)) ||
          one.category.id - other.category.id,
      )
      .slice(0, limit);
  }

  #matchOf(product: Product, terms: readonly SearchTerm[]): Match {
    const { languages } = this.#query;
    const name = shownText(product, 'name', languages);
    const subtitle = shownText(product, 'subtitle', languages);
    return { product: { name, subtitle, description: shownText(product, 'description', languages) }, terms };
  }

  async #product(id: number): Promise<Product> {
    const product = await this.#scope.loaders.product.byId(id);
    if (!product) throw new ReadAgain(`product ${id} vanished after it was found`);
    return product;
  }

  #read(what?: 'rows' | 'count' | Facet): Promise<Found> {
    this.#scope.dependencies.add('product');
    // What is equal in a facet stands in the order of its labels.
    if (this.#query.languages) this.#scope.dependencies.add('term_translation');
    if (what && !this.#needs.has(what)) {
      // What is asked for after the reading began needs another one.
      if (this.#isSent) this.#found = undefined;
      this.#isSent = false;
      this.#needs.add(what);
    }
    // The resolvers of one selection run one after another, before any promise job.
    this.#found ??= Promise.resolve().then(() => {
      this.#isSent = true;
      return this.#scope.inFlight.track(this.#find());
    });
    return this.#found;
  }

  async #find(): Promise<Found> {
    const { search, terms, code, order, page, filter, withDescendants, languages } = this.#query;
    if (search !== undefined && terms.length === 0 && !code) return { ...NOTHING, terms, correctedSearch: null };
    const { loaders, now } = this.#scope;
    const facets = new Set(this.#needs);
    const needsRows = facets.delete('rows');
    const isCounted = facets.delete('count');
    const { categoryIds } = filter;
    const request = {
      filter:
        categoryIds && withDescendants
          ? { ...filter, categoryIds: await loaders.category.withDescendants(categoryIds) }
          : filter,
      order,
      page: needsRows ? page : NO_ROWS,
      isCounted,
      facets: facets as Set<Facet>,
      now,
      languages,
    };
    /** Whether what was typed is a code of a product that does not fit the filter: then it is not mistyped. */
    const isCode = async (): Promise<boolean> => {
      if (code === undefined || Object.keys(filter).length === 0) return false;
      const whole = { isCounted: false, facets: new Set<Facet>(), page: NO_ROWS, order: 'BEST_SELLING' } as const;
      return isFound(await this.#engine.search({ ...request, ...whole, terms: [], code, filter: {} }));
    };
    const asked = await this.#engine.search({ ...request, terms, code });
    const asTyped = { ...asked, terms, correctedSearch: null };
    if (terms.length === 0 || isFound(asked) || (await isCode())) return asTyped;
    const corrected = await this.#engine.correct({ terms, now, languages });
    const found = corrected && (await this.#engine.search({ ...request, terms: corrected }));
    if (!found || !isFound(found)) return asTyped;
    return { ...found, terms: corrected, correctedSearch: replaceTerms(search ?? '', terms, corrected) };
  }
}

const isFound = ({ items, hasNextPage, hasPreviousPage }: BrowseResult): boolean =>
  items.length > 0 || hasNextPage || hasPreviousPage;

/** The search as it was typed, with the words in it that were corrected. */
const replaceTerms = (search: string, terms: readonly PlacedTerm[], corrected: readonly SearchTerm[]): string => {
  let text = '';
  let at = 0;
  for (const [index, { start, end, text: term }] of terms.entries()) {
    const { text: better = term } = corrected[index] ?? {};
    text += search.slice(at, start) + (better === term ? search.slice(start, end) : better);
    at = end;
  }
  return (text + search.slice(at)).trim();
};
