import { Prisma } from '../database/generated/client/client.ts';
import { builder } from '../graphql/builder.ts';

// Each order ends in the id, so that it is total, and each has its index (prisma/migrations): change them together.
const BEST_SELLING = Prisma.sql`p.sales desc, p.published_at desc, p.id desc`;

const ORDERS = {
  DEFAULT: { description: 'The order of hotProducts: most sold first, then newest.', sql: BEST_SELLING },
  NEWEST: { description: 'Latest published first.', sql: Prisma.sql`p.published_at desc, p.id desc` },
  BEST_SELLING: { description: 'Most sold first, then newest.', sql: BEST_SELLING },
  PRICE_ASC: { description: 'Cheapest first.', sql: Prisma.sql`p.price, p.id` },
  PRICE_DESC: { description: 'Dearest first.', sql: Prisma.sql`p.price desc, p.id desc` },
  NAME_ASC: { description: "By name, in the database's collation.", sql: Prisma.sql`p.name, p.id` },
} as const;

export type ProductOrder = keyof typeof ORDERS;

export const ProductOrderEnum = builder.enumType('ProductOrder', {
  description: 'How a list of products is sorted.',
  values: Object.fromEntries(
    Object.entries(ORDERS).map(([name, { description }]) => [name, { description }]),
  ) as Record<ProductOrder, { description: string }>,
});

/** The `order by` list for products under the alias `p`. */
export const orderBySql = (order: ProductOrder): Prisma.Sql => ORDERS[order].sql;
