import DataLoader from 'dataloader';
import type { Product, ProductVariant } from '../database/generated/client/client.ts';
import { inList, MAX_KEYS, rowsBy } from '../database/prisma.ts';
import { createSharedLoader, isStorable, type Statement } from '../database/sql.ts';
import type { LoaderScope, ReadDeps } from '../graphql/context.ts';
import { memo } from '../memo.ts';

declare module '../graphql/context.ts' {
  interface Loaders {
    readonly productVariant: ReturnType<ReturnType<typeof createVariantLoaders>>;
  }
}

/** A variant, and the product whose name, option names and currency it is shown with. */
export type VariantOfProduct = ProductVariant & { readonly product: Product };

/** A product, and the variant of it that is meant; null for the product as a whole. */
export interface Item {
  readonly product: Product;
  readonly variant: VariantOfProduct | null;
}

interface ItemsOfCode {
  readonly code: string;
  readonly productId: number | null;
  readonly variantIds: readonly number[];
}

/** A key with an id. A product without variants is one itself: `product/17/variant`. */
const ID_KEY = /^(?:product\/([1-9]\d*)(?:\/variant)?|variant\/([1-9]\d*))$/;

const MAX_ID = 2 ** 31 - 1;

/**
 * The product that has a code for its SKU, and the variants that have it for theirs or for their barcode, in order, visible or not.
 * Value: codes. The index has barcodes as they are folded.
 */
export const itemsOfCodes: Statement = {
  name: 'items_of_codes',
  text: `
    select k.code, (select id from product where sku = k.code) as "productId", array(
      select id
      from product_variant
      where sku = k.code or left(vitrine_fold(barcode), 200) collate "C" = left(vitrine_fold(k.code), 200) and barcode = k.code
      order by product_id, position, id
    ) as "variantIds"
    from unnest($1::text[]) as k(code)`,
};

/** What the loaders of all operations share. */
const createVariantReads = ({ prisma, sql }: ReadDeps) => ({
  prisma,
  byId: rowsBy('id', (where) => prisma.productVariant.findMany({ where })),
  bySku: rowsBy('sku', (where) => prisma.productVariant.findMany({ where })),
  byCode: createSharedLoader({
    read: (codes: string[]) => sql.rows<ItemsOfCode>(itemsOfCodes, [codes]),
    keyOf: ({ code }) => code,
  }),
});

const itemOf = async (found: Product | null | Promise<Product | null>): Promise<Item | null> => {
  const product = await found;
  return product && { product, variant: null };
};

/** Makes the loaders of each operation. */
export const createVariantLoaders = (deps: ReadDeps) => {
  const reads = createVariantReads(deps);
  return (scope: LoaderScope) => loadersOf(reads, scope);
};

/** Loaders for one operation. */
const loadersOf = (reads: ReturnType<typeof createVariantReads>, { dependencies, inFlight, loaders }: LoaderScope) => {
  const ofProduct = new DataLoader<Product, VariantOfProduct[], number>(
    async (products) => {
      const rows = await reads.prisma.productVariant.findMany({
        where: { productId: { in: inList(products.map(({ id }) => id)) } },
        orderBy: [{ position: 'asc' }, { id: 'asc' }],
      });
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

  /** A variant of a visible product, else null. */
  const byId = memo((id: number) => {
    dependencies.addRow('product_variant', id);
    return inFlight.track(reads.byId.load(id)).then(withProduct);
  });

  const itemOfVariant = async (id: number): Promise<Item | null> => {
    const variant = await byId(id);
    return variant && { product: variant.product, variant };
  };

  const itemOfCode = async (code: string): Promise<Item | null> => {
    if (!isStorable(code)) return null;
    dependencies.add('product');
    dependencies.add('product_variant');
    const found = await inFlight.track(reads.byCode.load(code));
    for (const id of found?.variantIds ?? []) {
      const item = await itemOfVariant(id);
      if (item) return item;
    }
    const ofSku = found?.productId ? await loaders.product.byId(found.productId) : null;
    return itemOf(ofSku ?? loaders.product.bySlug(code));
  };

  return {
    byId,
    /** By position, then id; for all products of an operation in one statement. */
    ofProduct: (product: Product): Promise<VariantOfProduct[]> => {
      dependencies.addGroup('product_variant', product.id);
      return ofProduct.load(product);
    },
    /** A variant of a visible product, else null. */
    bySku: memo(async (sku: string) => {
      if (!isStorable(sku)) return null;
      const variant = await inFlight.track(reads.bySku.load(sku));
      // No other variant can have the sku before this one changes.
      if (!variant) dependencies.add('product_variant');
      return withProduct(variant);
    }),
    /**
     * What a key stands for, if that is visible: `product/17`, `variant/33`, else the first variant with this SKU or barcode, else the product
     * with this SKU, else with this slug.
     */
    byKey: memo(async (key: string): Promise<Item | null> => {
      const [, productId, variantId] = ID_KEY.exec(key) ?? [];
      if (Number(productId ?? variantId) > MAX_ID) return null;
      if (variantId !== undefined) return itemOfVariant(Number(variantId));
      return productId === undefined ? itemOfCode(key) : itemOf(loaders.product.byId(Number(productId)));
    }),
  };
};
