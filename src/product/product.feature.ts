import type { Product } from '../database/generated/client/client.ts';
import type { Feature } from '../feature.ts';
import { createProductReads, ProductLoaders } from './product.loader.ts';
import { visibility } from './visibility.ts';

export const product: Feature = {
  table: 'product',
  tags: { rows: 2 ** 20, groups: { column: 'category_id', size: 2 ** 14 } },
  nextChangeSql: visibility.nextChangeSql,
  visibleBy: { alone: visibility, inLists: visibility },
  triggers: [
    'vitrine_notify',
    'vitrine_notify_insert',
    'vitrine_notify_update',
    'vitrine_notify_delete',
    'vitrine_words_insert',
    'vitrine_words_delete',
    'vitrine_words_truncate',
  ],
  rights: ['select'],
  alsoReads: ['product_words', 'translated_words', 'slug_alias'],
  functions: [
    'vitrine_fold',
    'vitrine_joined',
    'vitrine_search',
    'vitrine_split',
    'vitrine_tag_keys',
    'vitrine_vector',
  ],
  register: () => import('./product.query.ts'),
  createLoaders: (deps) => {
    const known = deps.knownRows?.of<Product>('product');
    const reads = createProductReads(deps, known);
    return (scope) => new ProductLoaders(reads, scope, known);
  },
};
