import { orderColumns, PRODUCT_ORDERS, type ProductOrder } from '../product/product.order.ts';
import type { ProductSearchOrder } from './browse-engine.ts';

/** The columns that orders read, with their types. */
const COLUMN_TYPES = {
  score: 'int',
  sales: 'int',
  published_at: 'timestamptz',
  price: 'numeric',
  name: 'text',
  id: 'int',
} as const;

/** The type of a column that an order reads. */
export type KeyType = (typeof COLUMN_TYPES)[keyof typeof COLUMN_TYPES];

interface SearchOrder {
  readonly description: string;
  /** The values of a position, in its order: columns of a product, and its score. The last is the id, so that the order is total. */
  readonly columns: Readonly<Record<string, KeyType>>;
  /** Of all columns. */
  readonly isDescending: boolean;
}

/** An order that lists of products have, too. */
const ofList = (order: ProductOrder): SearchOrder => {
  const { description, by } = PRODUCT_ORDERS[order];
  const columns = orderColumns(order).map((column) => [column, COLUMN_TYPES[column as keyof typeof COLUMN_TYPES]]);
  return { description, columns: Object.fromEntries(columns), isDescending: by[0].endsWith(' desc') };
};

const BEST_SELLING = ofList('BEST_SELLING');

export const SEARCH_ORDERS: Readonly<Record<ProductSearchOrder, SearchOrder>> = {
  RELEVANCE: {
    description: 'What fits a search best first, then as BEST_SELLING. Without a search: BEST_SELLING.',
    columns: { score: COLUMN_TYPES.score, ...BEST_SELLING.columns },
    isDescending: true,
  },
  BEST_SELLING,
  NEWEST: ofList('NEWEST'),
  PRICE_ASC: ofList('PRICE_ASC'),
  PRICE_DESC: ofList('PRICE_DESC'),
  NAME_ASC: ofList('NAME_ASC'),
};

/** As PostgreSQL's collation "C" compares, by which both engines sort values: UTF-16 has the characters past U+FFFF before some of those below. */
export const compareCodePoints = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    const leftIsSurrogate = (left & 0xf800) === 0xd800;
    const rightIsSurrogate = (right & 0xf800) === 0xd800;
    return leftIsSurrogate === rightIsSurrogate ? left - right : leftIsSurrogate ? 1 : -1;
  }
  return a.length - b.length;
};
