import DataLoader from 'dataloader';
import type { PrismaClient, Product, ProductVariant } from '../database/generated/client/client.ts';
import { inList, MAX_KEYS } from '../database/prisma.ts';
import { createSharedLoader, type Sql } from '../database/sql.ts';
import { isStorable } from '../database/storable-text.ts';
import { type LoaderScope, memo } from '../graphql/context.ts';
import { productsOfCodes } from './variant.sql.ts';

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly productVariant: ReturnType<typeof createVariantLoaders>;
  }
}

/** A variant, and the product whose name, option names and currency it is shown with. */
export type VariantOfProduct = ProductVariant & { readonly product: Product };

/** What the loaders of all operations share. */
export const createVariantReads = (prisma: PrismaClient, sql: Sql) => ({
  byId: createSharedLoader({
    read: (ids: number[]) => prisma.productVariant.findMany({ where: { id: { in: inList(ids) } } }),
    keyOf: ({ id }) => id,
  }),
  bySku: createSharedLoader({
    read: (skus: string[]) => prisma.productVariant.findMany({ where: { sku: { in: inList(skus) } } }),
    keyOf: ({ sku }) => sku ?? '',
  }),
  productByCode: createSharedLoader({
    read: (codes: string[]) => sql.rows<{ code: string; ids: number[] }>(productsOfCodes, [codes]),
    keyOf: ({ code }) => code,
  }),
  ofProducts: (ids: readonly number[]) =>
    prisma.productVariant.findMany({
      where: { productId: { in: inList(ids) } },
      orderBy: [{ position: 'asc' }, { id: 'asc' }],
    }),
});

/** Loaders for one operation. */
export const createVariantLoaders = (
  reads: ReturnType<typeof createVariantReads>,
  { dependencies, inFlight, loaders }: LoaderScope,
) => {
  const ofProduct = new DataLoader<Product, VariantOfProduct[], number>(
    async (products) => {
      const rows = await reads.ofProducts(products.map(({ id }) => id));
      const byProduct = Map.groupBy(rows, ({ productId }) => productId);
      return products.map((product) => (byProduct.get(product.id) ?? []).map((row) => ({ ...row, product })));
    },
    {
      cacheKeyFn: ({ id }) => id,
      maxBatchSize: MAX_KEYS,
      // Waits until all lists of products are read.
      batchScheduleFn: (send) => inFlight.whenIdle(send),
    },
  );

  const withProduct = async (variant: ProductVariant | null): Promise<VariantOfProduct | null> => {
    if (!variant) return null;
    dependencies.addRow('product_variant', variant.id);
    const product = await loaders.product.byId(variant.productId);
    return product && { ...variant, product };
  };

  return {
    /** By position, then id; for all products of an operation in one statement. */
    ofProduct: (product: Product): Promise<VariantOfProduct[]> => {
      dependencies.addGroup('product_variant', product.id);
      return ofProduct.load(product);
    },
    /** A variant of a visible product, else null. */
    byId: memo((id: number) => {
      dependencies.addRow('product_variant', id);
      return inFlight.track(reads.byId.load(id)).then(withProduct);
    }),
    /** A variant of a visible product, else null. */
    bySku: memo(async (sku: string) => {
      if (!isStorable(sku)) return null;
      const variant = await inFlight.track(reads.bySku.load(sku));
      // No other variant can have the sku before this one changes.
      if (!variant) dependencies.add('product_variant');
      return withProduct(variant);
    }),
    /** The visible product with this SKU, or with a variant of this SKU or barcode. */
    productByCode: memo(async (code: string): Promise<Product | null> => {
      dependencies.add('product');
      dependencies.add('product_variant');
      const found = isStorable(code) ? await inFlight.track(reads.productByCode.load(code)) : null;
      for (const id of found?.ids ?? []) {
        const product = await loaders.product.byId(id);
        if (product) return product;
      }
      return null;
    }),
  };
};
