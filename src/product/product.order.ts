import type { Product } from '../database/generated/client/client.ts';

// Each order ends in the id, so that it is total, and each has its index (prisma/migrations): change them together.
const BEST_SELLING = ['sales desc', 'published_at desc', 'id desc'];

/** The orders of a list of products, by their names in the schema. */
export const PRODUCT_ORDERS = {
  DEFAULT: { description: 'The order of hotProducts: most sold first, then newest.', by: BEST_SELLING },
  NEWEST: { description: 'Latest published first.', by: ['published_at desc', 'id desc'] },
  BEST_SELLING: { description: 'Most sold first, then newest.', by: BEST_SELLING },
  PRICE_ASC: { description: 'Cheapest first.', by: ['price', 'id'] },
  PRICE_DESC: { description: 'Dearest first.', by: ['price desc', 'id desc'] },
  NAME_ASC: { description: "By name, in the database's collation.", by: ['name', 'id'] },
} as const satisfies Record<string, { description: string; by: readonly string[] }>;

export type ProductOrder = keyof typeof PRODUCT_ORDERS;

/** The `order by` list of an order, its columns qualified with a table's alias. */
export const orderBySql = (order: ProductOrder, alias: string): string =>
  PRODUCT_ORDERS[order].by.map((term) => `${alias}.${term}`).join(', ');

/** The columns that an order reads. */
export const orderColumns = (order: ProductOrder): string[] =>
  PRODUCT_ORDERS[order].by.map((term) => term.replace(' desc', ''));

/** What decides in which lists a product is, and where: with the time of its publication in microseconds, which Prisma's rows have not. */
export interface SortedProduct
  extends Pick<Product, 'id' | 'categoryId' | 'status' | 'price' | 'sales' | 'publishedAt'> {
  readonly publishedUs: number;
}

/** A column as a whole number, in SQL and of a row: what cannot be told so, only the database can compare. */
interface SortKey {
  readonly sql: (alias: string) => string;
  readonly of: (product: SortedProduct) => number;
  readonly isOf: (key: number, product: Product) => boolean;
}

/** In microseconds, which decide between two of one millisecond. */
export const publishedUs = (alias: string): string => `extract(epoch from ${alias}.published_at) * 1000000`;

/** One that a row of Prisma's has whole. */
const exactKey = (sql: SortKey['sql'], of: (product: Pick<Product, 'price' | 'sales'>) => number): SortKey => ({
  sql,
  of,
  isOf: (key, product) => key === of(product),
});

const SORT_KEYS: Readonly<Record<string, SortKey>> = {
  price: exactKey(
    (alias) => `(${alias}.price * 100)::bigint`,
    // Its two digits after the point are there as text.
    ({ price }) => Math.round(Number(price.toFixed(2)) * 100),
  ),
  sales: exactKey(
    (alias) => `${alias}.sales`,
    ({ sales }) => sales,
  ),
  published_at: {
    sql: (alias) => `(${publishedUs(alias)})::bigint`,
    of: (product) => product.publishedUs,
    isOf: (key, { publishedAt }) => Math.floor(key / 1000) === publishedAt.getTime(),
  },
};

const KEYS_OF_ORDERS: ReadonlyMap<string, readonly SortKey[]> = new Map(
  (Object.keys(PRODUCT_ORDERS) as ProductOrder[]).flatMap((order) => {
    const keys = orderColumns(order).flatMap((column) => (column === 'id' ? [] : [SORT_KEYS[column]]));
    return keys.every((key) => key !== undefined) ? [[order, keys]] : [];
  }),
);

/** What an order sorts by before the id; undefined where only the database can compare. */
export const sortKeysOf = (order: ProductOrder): readonly SortKey[] | undefined => KEYS_OF_ORDERS.get(order);

/** Whether an order begins with the greatest: then all its columns descend. */
export const isDescending = (order: ProductOrder): boolean => PRODUCT_ORDERS[order].by[0].endsWith(' desc');
