import { lookedUp } from '../graphql/arguments.ts';
import { builder } from '../graphql/builder.ts';
import { Product } from '../product/product.type.ts';
import { ProductVariant } from './variant.type.ts';

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
    description: 'Variants of visible products, in the order asked for. Null for a number that none has.',
    args: { skus: t.arg.stringList(lookedUp) },
    resolve: (_, { skus }, { loaders }) => Promise.all(skus.map((sku) => loaders.productVariant.bySku(sku))),
  }),

  productsByCodes: t.field({
    type: [Product],
    nullable: { list: false, items: true },
    description:
      'Visible products by their SKU, or by a SKU or barcode of their variants, in the order asked for. Null for a code that none has; of several, the first by id.',
    args: { codes: t.arg.stringList(lookedUp) },
    resolve: (_, { codes }, { loaders }) =>
      Promise.all(codes.map((code) => loaders.productVariant.productByCode(code))),
  }),
}));
