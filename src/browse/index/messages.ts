import type { BrowseRequest, SearchTerm } from '../browse-engine.ts';
import type { SearchReply } from './product-search.ts';
import type { SuggestedIds } from './suggestions.ts';

/** What the thread is started with. */
export interface ThreadOptions {
  readonly databaseUrl: string;
  readonly maxBytes: number;
}

/** To the thread, in the order in which they happened: a question is answered with every change that was notified before it. */
export type ToThread =
  | { readonly kind: 'changed'; readonly changes: readonly NotifiedChange[] }
  | ({ readonly kind: 'question'; readonly number: number } & Question);

export interface NotifiedChange {
  readonly table: string;
  /** Undefined: any row may have changed. */
  readonly ids: readonly number[] | undefined;
}

/** What is asked, and what is answered. */
export interface Questions {
  readonly search: { readonly asked: BrowseRequest; readonly answer: SearchReply };
  readonly suggest: {
    readonly asked: { readonly terms: readonly SearchTerm[]; readonly now: Date; readonly maxProducts: number };
    readonly answer: SuggestedIds;
  };
  readonly correct: {
    readonly asked: { readonly terms: readonly SearchTerm[]; readonly now: Date };
    readonly answer: { readonly terms: readonly SearchTerm[] | undefined };
  };
}

export type Question = {
  [Name in keyof Questions]: { readonly name: Name; readonly asked: Questions[Name]['asked'] };
}[keyof Questions];

export interface IndexStatus {
  readonly isReady: boolean;
  readonly products: number;
  /** Products that it cannot hold: while there is one, it does not answer. */
  readonly leftOut: number;
  readonly bytes: number;
}

export type FromThread =
  /** Undefined: the index cannot say. */
  | { readonly kind: 'answer'; readonly number: number; readonly answer: unknown }
  | { readonly kind: 'status'; readonly status: IndexStatus }
  /** There will be no index. */
  | { readonly kind: 'unfit'; readonly reason: string }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn'; readonly message: string };
