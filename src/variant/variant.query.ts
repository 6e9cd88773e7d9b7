import { lookedUp } from '../graphql/arguments.ts';
import { builder } from '../graphql/builder.ts';
import { Product } from '../product/product.type.ts';
import type { Item as ItemRow } from './variant.loader.ts';
import { ProductVariant } from './variant.type.ts';

const Item = builder.objectRef<ItemRow>('Item').implement({
  description: 'What a key stands for.',
  fields: (t) => ({
    product: t.expose('product', { type: Product, description: 'The product.' }),
    variant: t.expose('variant', {
      type: ProductVariant,
      nullable: true,
      description: 'The variant of it that has the key; null for a key of the product itself.',
    }),
  }),
});

builder.queryFields((t) => ({
  variantsByIds: t.field({
    type: [ProductVariant],
    nullable: { list: false, items: true },
    description: 'Variants of visible products, in the order asked for: a cart. Null for an id that none has.',
    args: { ids: t.arg.intList(lookedUp) },
    resolve: (_, { ids }, { loaders }) => Promise.all(ids.map((id) => loaders.productVariant.byId(id))),
  }),

  variantsBySkus: t.field({
    type: [ProductVariant],
    nullable: { list: false, items: true },
    description: 'Variants of visible products, in the order asked for. Null for an SKU that none has.',
    args: { skus: t.arg.stringList(lookedUp) },
    resolve: (_, { skus }, { loaders }) => Promise.all(skus.map((sku) => loaders.productVariant.bySku(sku))),
  }),

  itemsByKeys: t.field({
    type: [Item],
    nullable: { list: false, items: true },
    description:
      'What keys stand for, in the order asked for: `product/17`, `variant/33`, the SKU or barcode of a variant, the SKU of a product, its slug. Null for a key of nothing that is visible; of several variants with a barcode, the first.',
    args: { keys: t.arg.stringList(lookedUp) },
    resolve: (_, { keys }, { loaders }) => Promise.all(keys.map((key) => loaders.productVariant.byKey(key))),
  }),
}));
