import type {
  BrowseRequest,
  BrowseResult,
  FallBacks,
  SearchTerm,
  Suggestion,
  SuggestionRequest,
} from '../browse-engine.ts';

export interface ThreadOptions {
  readonly databaseUrl: string;
  readonly maxBytes: number;
  /** Where texts are looked for before the tables' columns, of each further language. */
  readonly languages: readonly (readonly string[])[];
}

export interface NotifiedChange {
  readonly table: string;
  /** Undefined: any row may have changed. */
  readonly ids: readonly number[] | undefined;
}

export interface SuggestedProduct {
  readonly id: number;
  readonly sales: number;
  readonly publishedAt: number;
  readonly name?: string;
}

export interface Suggested {
  /** Best-selling first. A name that the index does not have is read from the database by the caller. */
  readonly products: readonly SuggestedProduct[];
  readonly hasMore: boolean;
  /** Categories, brands and tags, in no order. */
  readonly others: readonly Suggestion[];
}

export interface Questions {
  readonly search: { readonly asked: BrowseRequest; readonly answer: BrowseResult };
  readonly suggest: {
    readonly asked: Omit<SuggestionRequest, 'limit'> & { readonly maxProducts: number };
    readonly answer: Suggested;
  };
  readonly correct: {
    readonly asked: { readonly terms: readonly SearchTerm[]; readonly now: Date; readonly languages?: FallBacks };
    readonly answer: { readonly terms: readonly SearchTerm[] | undefined };
  };
}

export type Question = {
  [Name in keyof Questions]: { readonly name: Name; readonly asked: Questions[Name]['asked'] };
}[keyof Questions];

/** Messages to the thread come in the order in which they happened: a question is answered with every change that was notified before it. */
export type ToThread =
  | { readonly kind: 'changed'; readonly changes: readonly NotifiedChange[] }
  | ({ readonly kind: 'question'; readonly number: number } & Question);

export interface IndexStatus {
  /** Whether it answers. */
  readonly isReady: boolean;
  /** Also while it is filled. */
  readonly products: number;
  /**
   * The share of the products that is in the index while it is filled, as far as PostgreSQL's statistics know how many there are; 1 once it is ready.
   */
  readonly filledShare: number;
  readonly bytes: number;
}

export const NO_INDEX: IndexStatus = { isReady: false, products: 0, filledShare: 0, bytes: 0 };

export type FromThread =
  | { readonly kind: 'answer'; readonly number: number; readonly answer: unknown }
  | { readonly kind: 'status'; readonly status: IndexStatus }
  | { readonly kind: 'unfit'; readonly reason: string }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn'; readonly message: string };
