import type { Feature } from '../feature.ts';
import { ofVisibleProduct } from '../product/visibility.ts';
import { createVariantLoaders, createVariantReads } from './variant.loader.ts';

export const variant: Feature = {
  table: 'product_variant',
  tags: { rows: 2 ** 18, groups: { column: 'product_id', size: 2 ** 20 } },
  visibleBy: { alone: ofVisibleProduct, inLists: ofVisibleProduct },
  triggers: [
    'vitrine_notify',
    'vitrine_keep_products_insert',
    'vitrine_keep_products_update',
    'vitrine_keep_products_delete',
  ],
  rights: ['select'],
  register: () => import('./variant.query.ts'),
  createLoaders: ({ prisma, sql }) => {
    const reads = createVariantReads(prisma, sql);
    return (scope) => createVariantLoaders(reads, scope);
  },
};
