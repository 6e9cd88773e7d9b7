/** The orders of a search, by their names in the schema. Each ends with the id, so that no two products are equal in it. */
export type ProductSearchOrder = 'RELEVANCE' | 'BEST_SELLING' | 'NEWEST' | 'PRICE_ASC' | 'PRICE_DESC' | 'NAME_ASC';

/** A word of a search. A product has it where one field has its pieces (`piecesOfTerm`) one right after the other. */
export interface SearchTerm {
  readonly text: string;
  /** Whether it is the beginning of a word: then it has one piece. */
  readonly isPrefix: boolean;
}

/**
 * A product fits where a value of its attribute is one of `values`, or where the attribute is a number within the bounds. The values of an attribute
 * are its string, each string of its list, `true` or `false`, or its number as JavaScript writes it: `1.5`, where the table has `1.50`.
 */
export interface AttributeFilter {
  readonly name: string;
  readonly values?: readonly string[];
  /** Inclusive, a decimal. A string of digits is no number. */
  readonly min?: string;
  readonly max?: string;
}

/** A variant fits where its value, at the place where the option names of its product have `name`, is one of `values`. */
export interface OptionFilter {
  readonly name: string;
  readonly values: readonly string[];
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
  readonly onSale?: boolean;
  /** Inclusive. */
  readonly publishedFrom?: Date;
  /** All of them, also of one name. Each has values or bounds. */
  readonly attributes?: readonly AttributeFilter[];
  /** One and the same variant has all of them, and is in stock where `inStock` is true. A product without variants does not fit. */
  readonly options?: readonly OptionFilter[];
}

/**
 * The fields whose words a product has, the best first. The score of RELEVANCE: the sum over the terms of the weight of the best field that has the
 * term. Tags are as the brand.
 */
export const FIELD_WEIGHTS = { name: 8, brand: 4, subtitle: 2, description: 1 } as const;

/** The whole score of a product that is found by its code: the most that a byte has, and above all others, as a search has ten terms at most. */
export const CODE_SCORE = 255;

/**
 * Where a product stands in an order: the values of the order's columns as PostgreSQL writes them (times in microseconds since 1970), the id last.
 * RELEVANCE: score, sales, publishedAt, id. BEST_SELLING: sales, publishedAt, id. NEWEST: publishedAt, id. PRICE_*: price, id. NAME_ASC: name, id.
 */
export type Position = readonly string[];

export interface SearchPage {
  readonly from: 'start' | 'end';
  readonly size: number;
  /** Of the product that the page comes after, or before where it is read from the end. */
  readonly position?: Position;
  /** How many products come before it, without a position. */
  readonly offset?: number;
}

/** Only those that an operation selects, because each takes time. */
export type Facet = 'categories' | 'brands' | 'tags' | 'price' | 'inStock' | 'onSale' | 'attributes' | 'options';

/**
 * Where texts and labels are looked for before the tables' own, as `Language.fallBacks`: products and categories are found, sorted and suggested
 * by their texts as they are shown, and what is equal in a facet is sorted by its label. Absent: the language of the tables' columns. Filters and
 * answers have the names of the tables all the same.
 */
export type FallBacks = readonly string[] | undefined;

/** Of these a product needs all values that are picked. The next click finds none without them, so these facets count with their own part. */
export const NEEDS_ALL: ReadonlySet<Facet> = new Set(['tags']);

/** What each question has. */
export interface TermsRequest {
  readonly terms: readonly SearchTerm[];
  readonly now: Date;
  readonly languages?: FallBacks;
}

export interface BrowseRequest extends TermsRequest {
  /**
   * The whole search, as `foldCode` of words.ts folds it; never empty. A product whose sku, or one of whose variants' sku or barcode, is the same
   * once it is folded is found too, whether it has the terms or not, with {@link CODE_SCORE}. Without terms nothing else is found.
   */
  readonly code?: string | undefined;
  readonly filter: SearchFilter;
  readonly order: ProductSearchOrder;
  readonly page: SearchPage;
  readonly isCounted: boolean;
  readonly facets: ReadonlySet<Facet>;
}

export interface ValueCount<Value> {
  readonly value: Value;
  readonly count: number;
}

export interface PriceRange {
  readonly min: string;
  readonly max: string;
  /** With about as many products each, the cheapest first; prices are inclusive at both ends, and no price is between two bands (price-bands.ts). */
  readonly bands: readonly { readonly min: string; readonly max: string; readonly count: number }[];
}

/** Of brands, of tags, of the names of attributes and of options, and of the values of each name, no more are counted. */
export const MAX_FACET_VALUES = 100;

/** The values of an attribute or an option. */
export interface ValueFacets {
  readonly name: string;
  /** Most products first, then by label and value in the order of code points. A product that has a value twice counts once. */
  readonly values: readonly ValueCount<string>[];
  /**
   * The least and the greatest, written as `values` are, where all that the counted products have of the name are numbers: never of options, which
   * are texts.
   */
  readonly min?: string;
  readonly max?: string;
}

/**
 * Each counts the products under search and filter without the facet's own part, but tags with it: a product needs all of those that are picked, so
 * that without them a count would be of products that the next click does not find. Most first, then by label and value in the order of code points;
 * zero is left out, and so is what comes after {@link MAX_FACET_VALUES}.
 */
export interface FacetCounts {
  /** Of each category's own products: the caller adds those of descendants. Not ordered. */
  readonly categories?: readonly ValueCount<number>[];
  readonly brands?: readonly ValueCount<string>[];
  readonly tags?: readonly ValueCount<string>[];
  readonly price?: PriceRange | null;
  /** With options in the filter: only products of which a variant that has them all is in stock. */
  readonly inStock?: number;
  readonly onSale?: number;
  /**
   * By name: those that most products have a value of first, then by label in the order of code points. Each name counts the products under search
   * and filter without the attribute filters of that very name, and with those of all other names.
   */
  readonly attributes?: readonly ValueFacets[];
  /**
   * As attributes. A product counts for a value if one of its variants has the value, fits the option filters of all other names, and is in stock
   * where the filter wants that.
   */
  readonly options?: readonly ValueFacets[];
}

/** All of one snapshot. */
export interface BrowseResult {
  readonly items: readonly { readonly id: number; readonly position: Position }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount?: number;
  readonly facets: FacetCounts;
}

/** Every term must be found in the text; the last is a beginning. There is one at least. */
export interface SuggestionRequest extends TermsRequest {
  readonly limit: number;
}

/**
 * A product, a category where it or a descendant has visible products, a brand or tag of visible products, with the sales of the best-selling one.
 * Best-selling first; then categories, brands, tags, products; then products as in BEST_SELLING, and the others by text in the order of code points.
 * A text that comes again, whatever its case and accents, is left out.
 */
export interface Suggestion {
  readonly kind: 'PRODUCT' | 'CATEGORY' | 'BRAND' | 'TAG';
  readonly text: string;
  readonly sales: number;
  /** Of the product or category, else 0. */
  readonly id: number;
}

/** By SQL, and from an index in memory: `test/browse/engines.slow.test.ts` compares the answers. */
export interface BrowseEngine {
  readonly search: (request: BrowseRequest) => Promise<BrowseResult>;
  readonly suggest: (request: SuggestionRequest) => Promise<readonly Suggestion[]>;
  /**
   * The first of the searches that may have been meant (`correctionsOf`) that some visible product has; undefined where one has all terms, or there
   * is none. The words are those of visible products in the language; a very large catalogue may look at those of its best sellers only.
   */
  readonly correct: (request: TermsRequest) => Promise<readonly SearchTerm[] | undefined>;
}

export type Asked<Name extends keyof BrowseEngine> = Parameters<BrowseEngine[Name]>[0];
export type Answer<Name extends keyof BrowseEngine> = Awaited<ReturnType<BrowseEngine[Name]>>;
