import type { ProductSearchOrder } from './browse-engine.ts';

/** The type of a column that an order reads. */
export type KeyType = 'int' | 'timestamptz' | 'numeric' | 'text';

interface SearchOrder {
  readonly description: string;
  /** The values of a position, in its order: columns of a product, and its score. The last is the id, so that the order is total. */
  readonly columns: Readonly<Record<string, KeyType>>;
  /** Of all columns. */
  readonly isDescending: boolean;
}

const BEST_SELLING = { sales: 'int', published_at: 'timestamptz', id: 'int' } as const;

export const SEARCH_ORDERS: Readonly<Record<ProductSearchOrder, SearchOrder>> = {
  RELEVANCE: {
    description: 'What fits a search best first, then as BEST_SELLING. Without a search: BEST_SELLING.',
    columns: { score: 'int', ...BEST_SELLING },
    isDescending: true,
  },
  BEST_SELLING: { description: 'Most sold first, then newest.', columns: BEST_SELLING, isDescending: true },
  NEWEST: {
    description: 'Latest published first.',
    columns: { published_at: 'timestamptz', id: 'int' },
    isDescending: true,
  },
  PRICE_ASC: { description: 'Cheapest first.', columns: { price: 'numeric', id: 'int' }, isDescending: false },
  PRICE_DESC: { description: 'Dearest first.', columns: { price: 'numeric', id: 'int' }, isDescending: true },
  NAME_ASC: {
    description: "By name, in the database's collation.",
    columns: { name: 'text', id: 'int' },
    isDescending: false,
  },
};
