/** The orders of a search, by their names in the schema. Ties end in the id, so that each is total. */
export type ProductSearchOrder = 'RELEVANCE' | 'BEST_SELLING' | 'NEWEST' | 'PRICE_ASC' | 'PRICE_DESC' | 'NAME_ASC';

/** A word of a search, folded as `wordsOf` folds the words of products. */
export interface SearchTerm {
  readonly text: string;
  /** The last word of a search may be the beginning of one. */
  readonly isPrefix: boolean;
}

/** Parts are joined by *and*; an absent part filters nothing. */
export interface SearchFilter {
  /** Any of them, with their descendants already added where they count. Empty: nothing matches. */
  readonly categoryIds?: readonly number[];
  /** Any of them. */
  readonly brands?: readonly string[];
  /** All of them. */
  readonly tags?: readonly string[];
  /** Inclusive, a decimal such as `9.90`. */
  readonly minPrice?: string;
  /** Inclusive. */
  readonly maxPrice?: string;
  readonly inStock?: boolean;
  /** Whether the list price is above the price. */
  readonly onSale?: boolean;
  readonly publishedAfter?: Date;
}

/**
 * Where a product stands in an order: the values of the order's columns as PostgreSQL writes them (times in microseconds since 1970), the id last.
 * RELEVANCE: score, sales, publishedAt, id. BEST_SELLING: sales, publishedAt, id. NEWEST: publishedAt, id. PRICE_*: price, id. NAME_ASC: name, id.
 */
export type Position = readonly string[];

/** The rows that are asked for. */
export type SearchPage =
  | { readonly from: 'start'; readonly size: number; readonly after?: Position }
  | { readonly from: 'end'; readonly size: number; readonly before?: Position }
  | { readonly from: 'offset'; readonly size: number; readonly offset: number };

/** Facets cost time, so that only those are counted that an operation selects. */
export type Facet = 'categories' | 'brands' | 'tags' | 'price' | 'inStock' | 'onSale';

export interface BrowseRequest {
  /** Every one must be found. Empty: no search. */
  readonly terms: readonly SearchTerm[];
  readonly filter: SearchFilter;
  readonly order: ProductSearchOrder;
  readonly page: SearchPage;
  readonly isCounted: boolean;
  readonly facets: ReadonlySet<Facet>;
  /** A product is visible from its publication on. */
  readonly now: Date;
}

export interface ValueCount<Value> {
  readonly value: Value;
  readonly count: number;
}

export interface PriceRange {
  readonly min: string;
  readonly max: string;
  /** Of round width, empty ones left out; prices are inclusive at both ends, and no price is between two bands. */
  readonly bands: readonly { readonly min: string; readonly max: string; readonly count: number }[];
}

/** Each counts the products under search and filter without the facet's own part. Most first, then by value; zero is left out. */
export interface FacetCounts {
  /** Of each category's own products: the caller adds those of descendants. Not ordered. */
  readonly categories?: readonly ValueCount<number>[];
  readonly brands?: readonly ValueCount<string>[];
  readonly tags?: readonly ValueCount<string>[];
  readonly price?: PriceRange | null;
  readonly inStock?: number;
  readonly onSale?: number;
}

/** All of one snapshot. */
export interface BrowseResult {
  readonly items: readonly { readonly id: number; readonly position: Position }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** Where it was asked for. */
  readonly totalCount?: number;
  readonly facets: FacetCounts;
}

export interface SuggestionRequest {
  /** Every one must be found in the text; the last is a beginning. Never empty. */
  readonly terms: readonly SearchTerm[];
  readonly limit: number;
  readonly now: Date;
}

/** A product, a category (or a descendant) with visible products, a brand or tag of visible products, with the sales of the best-selling one. */
export type Suggestion = { readonly text: string; readonly sales: number } & (
  | { readonly kind: 'PRODUCT'; readonly productId: number }
  | { readonly kind: 'CATEGORY'; readonly categoryId: number }
  | { readonly kind: 'BRAND' | 'TAG' }
);

/**
 * Answers questions about the whole catalogue. There are two: PostgreSQL by SQL, and an index in memory that answers while it is as fresh as the
 * database. Both answer the same; `test/browse/engines.slow.test.ts` compares them.
 */
export interface BrowseEngine {
  readonly search: (request: BrowseRequest) => Promise<BrowseResult>;
  readonly suggest: (request: SuggestionRequest) => Promise<readonly Suggestion[]>;
  /** The words of the catalogue that are nearest to those that no product has; undefined where none is near. */
  readonly correct: (terms: readonly SearchTerm[], now: Date) => Promise<readonly SearchTerm[] | undefined>;
}
