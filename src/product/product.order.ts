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
