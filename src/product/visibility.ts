import type { Prisma, Product } from '../database/generated/client/client.ts';
import type { PrismaRule, Rule } from '../database/visible-rows.ts';

// A partial index serves only a condition that the planner can prove from the text, so the status is a literal.
const onSale = (alias: string): string => `${alias}.status = 'ON_SALE'`;

/** A product is visible while it is on sale, from its publication on. */
export const visibility = {
  sql: (alias, now) => `${onSale(alias)} and ${alias}.published_at <= ${now}`,
  where: (now) => ({ status: 'ON_SALE', publishedAt: { lte: now } }) satisfies Prisma.ProductWhereInput,
  columns: { status: true, publishedAt: true },
  holds: ({ status, publishedAt }, now) => status === 'ON_SALE' && publishedAt <= now,
  nextChangeSql: (after) =>
    `(select min(p.published_at) from product p where ${onSale('p')} and p.published_at > ${after})`,
} satisfies Rule<Pick<Product, 'status' | 'publishedAt'>>;

/** A variant is visible while its product is. */
export const ofVisibleProduct = {
  where: (now) => ({ product: { is: visibility.where(now) } }) satisfies Prisma.ProductVariantWhereInput,
  columns: { product: { select: visibility.columns } },
  holds: ({ product }, now) => visibility.holds(product, now),
} satisfies PrismaRule<{ readonly product: Pick<Product, 'status' | 'publishedAt'> }>;

/** When a product became or becomes visible; undefined for one that is not on sale. */
export const visibleFrom = ({ status, publishedAt }: Pick<Product, 'status' | 'publishedAt'>): Date | undefined =>
  status === 'ON_SALE' ? publishedAt : undefined;
