import DataLoader from 'dataloader';
import type { PrismaClient, Product, ProductVariant } from '../database/generated/client/client.ts';
import { inList } from '../database/prisma.ts';
import { createSharedLoader } from '../database/sql.ts';
import { isStorable } from '../database/storable-text.ts';
import { type LoaderScope, memo } from '../graphql/context.ts';

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly productVariant: VariantLoaders;
  }
}

/** A variant, and the product whose name, option names and currency it is shown with. */
export type VariantOfProduct = ProductVariant & { readonly product: Product };

export interface VariantLoaders {
  /** By position, then id; for all products of an operation in one statement. */
  readonly ofProduct: (product: Product) => Promise<VariantOfProduct[]>;
  /** A variant of a visible product, else null. */
  readonly byId: (id: number) => Promise<VariantOfProduct | null>;
  /** A variant of a visible product, else null. */
  readonly bySku: (sku: string) => Promise<VariantOfProduct | null>;
}

/** What the loaders of all operations share. */
export interface VariantReads {
  readonly byId: DataLoader<number, ProductVariant | null>;
  readonly bySku: DataLoader<string, ProductVariant | null>;
  readonly ofProducts: (productIds: readonly number[]) => Promise<ProductVariant[]>;
}

/** Prisma takes no more than 32,766 values in one statement. */
const MAX_PRODUCTS = 2 ** 14;

export const createVariantReads = (prisma: PrismaClient): VariantReads => ({
  byId: createSharedLoader({
    read: (ids) => prisma.productVariant.findMany({ where: { id: { in: inList(ids) } } }),
    keyOf: ({ id }) => id,
  }),
  bySku: createSharedLoader({
    read: (skus) => prisma.productVariant.findMany({ where: { sku: { in: inList(skus) } } }),
    keyOf: ({ sku }) => sku ?? '',
  }),
  ofProducts: (ids) =>
    prisma.productVariant.findMany({
      where: { productId: { in: inList(ids) } },
      orderBy: [{ position: 'asc' }, { id: 'asc' }],
    }),
});

/** Loaders for one operation. */
export const createVariantLoaders = (
  reads: VariantReads,
  { hints, inFlight, loaders }: LoaderScope,
): VariantLoaders => {
  const ofProduct = new DataLoader<Product, VariantOfProduct[], number>(
    async (products) => {
      const rows = await reads.ofProducts(products.map(({ id }) => id));
      const byProduct = Map.groupBy(rows, ({ productId }) => productId);
      return products.map((product) => (byProduct.get(product.id) ?? []).map((row) => ({ ...row, product })));
    },
    {
      cacheKeyFn: ({ id }) => id,
      maxBatchSize: MAX_PRODUCTS,
      // Once all lists of products are read.
      batchScheduleFn: (send) => inFlight.whenIdle(send),
    },
  );

  const withProduct = async (variant: ProductVariant | null): Promise<VariantOfProduct | null> => {
    if (!variant) return null;
    hints.dependsOnRow('product_variant', variant.id);
    const product = await loaders.product.byId(variant.productId);
    return product && { ...variant, product };
  };

  return {
    ofProduct: (product) => {
      hints.dependsOnGroup('product_variant', product.id);
      return ofProduct.load(product);
    },
    byId: memo((id) => {
      hints.dependsOnRow('product_variant', id);
      return inFlight.track(reads.byId.load(id)).then(withProduct);
    }),
    bySku: memo(async (sku) => {
      if (!isStorable(sku)) return null;
      const variant = await inFlight.track(reads.bySku.load(sku));
      // No other variant can have the sku before this one changes.
      if (!variant) hints.dependsOn('product_variant');
      return withProduct(variant);
    }),
  };
};
