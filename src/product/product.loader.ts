import DataLoader from 'dataloader';
import { Prisma, type PrismaClient, type Product } from '../database/generated/client/client.ts';
import { orderBySql, type ProductOrder } from './product-order.ts';

export interface ProductListKey {
  /** Empty for every category. Each id counts once. */
  readonly categoryIds: readonly number[];
  readonly orderBy: ProductOrder;
  readonly limit: number;
}

export interface ProductLoaders {
  /** A visible product, else null. */
  readonly productById: DataLoader<number, Product | null>;
  /** A visible product, else null. */
  readonly productBySlug: DataLoader<string, Product | null>;
  /** The first `limit` visible products of the whole catalogue or of some categories taken together. */
  readonly productList: DataLoader<ProductListKey, Product[], string>;
  /** The first `limit` visible products of each of many categories, in one statement. */
  readonly productsOfCategory: (orderBy: ProductOrder, limit: number) => DataLoader<number, Product[]>;
}

interface Deps {
  readonly prisma: PrismaClient;
  readonly now: Date;
}

// The columns as the Prisma model names them, so that a row from SQL and a row from `findMany` are the same thing.
const PRODUCT_COLUMNS = Prisma.sql`p.id, p.category_id as "categoryId", p.name, p.slug, p.subtitle, p.description, p.brand, p.tags,
  p.price, p.list_price as "listPrice", p.currency, p.stock, p.sales, p.image_url as "imageUrl", p.image_urls as "imageUrls",
  p.status, p.published_at as "publishedAt", p.created_at as "createdAt", p.updated_at as "updatedAt"`;

// The status is a literal because a partial index serves only a condition that the planner can prove from the text of the query.
const visibleSql = (now: Date): Prisma.Sql =>
  Prisma.sql`p.status = 'ON_SALE' and p.published_at <= ${now}::timestamptz`;

const isVisible = (product: Product, now: Date): boolean => product.status === 'ON_SALE' && product.publishedAt <= now;

/** Loaders for one operation: `now` decides what is visible, and nothing outlives the answer. */
export const createProductLoaders = ({ prisma, now }: Deps): ProductLoaders => {
  const visibleBy = <Key extends number | string>(products: Product[], keyOf: (product: Product) => Key) => {
    const byKey = new Map(products.filter((product) => isVisible(product, now)).map((row) => [keyOf(row), row]));
    return (key: Key): Product | null => byKey.get(key) ?? null;
  };

  const perCategory = (orderBy: ProductOrder, limit: number) =>
    new DataLoader<number, Product[]>(async (categoryIds) => {
      const rows = await topOfEachCategory(categoryIds, orderBy, limit);
      const byCategory = Map.groupBy(rows, (row) => row.categoryId);
      return categoryIds.map((id) => byCategory.get(id) ?? []);
    });

  // One index scan of `limit` rows for each category. A plain `category_id = any(…)` would read and sort them whole.
  const topOfEachCategory = (
    categoryIds: readonly number[],
    orderBy: ProductOrder,
    limit: number,
    merged = Prisma.empty,
  ) =>
    prisma.$queryRaw<Product[]>`
      select ${PRODUCT_COLUMNS}
      from unnest(${categoryIds}::int[]) as c(id)
      cross join lateral (
        select * from product p
        where p.category_id = c.id and ${visibleSql(now)}
        order by ${orderBySql(orderBy)}
        limit ${limit}
      ) p
      ${merged}`;

  const listOf = ({ categoryIds, orderBy, limit }: ProductListKey): Promise<Product[]> => {
    const sorted = Prisma.sql`order by ${orderBySql(orderBy)} limit ${limit}`;
    return categoryIds.length > 0
      ? topOfEachCategory([...new Set(categoryIds)], orderBy, limit, sorted)
      : prisma.$queryRaw<Product[]>`select ${PRODUCT_COLUMNS} from product p where ${visibleSql(now)} ${sorted}`;
  };

  const categoryLoaders = new Map<string, DataLoader<number, Product[]>>();

  return {
    productById: new DataLoader(async (ids) => {
      const products = await prisma.product.findMany({ where: { id: { in: [...ids] } } });
      return ids.map(visibleBy(products, (product) => product.id));
    }),
    productBySlug: new DataLoader(async (slugs) => {
      // No text in PostgreSQL holds a NUL, so no slug has one; sent as a parameter it would be an error.
      const possible = slugs.filter((slug) => !slug.includes('\0'));
      const products = await prisma.product.findMany({ where: { slug: { in: possible } } });
      return slugs.map(visibleBy(products, (product) => product.slug));
    }),
    productList: new DataLoader((keys) => Promise.all(keys.map(listOf)), {
      cacheKeyFn: ({ categoryIds, orderBy, limit }) => `${orderBy} ${limit} ${categoryIds}`,
    }),
    productsOfCategory: (orderBy, limit) => {
      const key = `${orderBy} ${limit}`;
      const loader = categoryLoaders.get(key) ?? perCategory(orderBy, limit);
      categoryLoaders.set(key, loader);
      return loader;
    },
  };
};
