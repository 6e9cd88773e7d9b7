import type { CachedTable } from './cache/tags.ts';
import { createCategoryLoaders } from './category/category.loader.ts';
import type { CheckedTable } from './database/migrations/rights.ts';
import type { FeatureLoaders } from './graphql/context.ts';
import { inEffect, readable } from './notice/in-effect.ts';
import { createNoticeLoaders } from './notice/notice.loader.ts';
import { ViewCounter } from './notice/view-counter.ts';
import { createProductLoaders } from './product/product.loader.ts';
import { ofVisibleProduct, visibility } from './product/visibility.ts';
import { createTermLoaders } from './translation/translation.loader.ts';
import { createVariantLoaders } from './variant/variant.loader.ts';

/** A table that the gateway serves, and all that other folders need to know of it. */
interface Feature extends CachedTable, CheckedTable, FeatureLoaders {}

const category: Feature = {
  table: 'category',
  triggers: [
    'vitrine_notify',
    'vitrine_notify_truncate',
    'vitrine_slugs_insert',
    'vitrine_slugs_update',
    'vitrine_slugs_delete',
    'vitrine_slugs_truncate',
  ],
  rights: ['select'],
  createLoaders: createCategoryLoaders,
};

const product: Feature = {
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
  createLoaders: createProductLoaders,
};

const variant: Feature = {
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
  createLoaders: createVariantLoaders,
};

const notice: Feature = {
  table: 'notice',
  nextChangeSql: inEffect.nextChangeSql,
  visibleBy: { alone: readable, inLists: inEffect, mayEnd: true },
  triggers: ['vitrine_notify', 'vitrine_notify_truncate'],
  // Without the second, notice detail would answer 500.
  rights: ['select', 'update (view_count)'],
  functions: ['vitrine_are_translations', 'vitrine_is_moment'],
  createLate: ({ sql, clock, timeoutMs }) => new ViewCounter(sql, clock, timeoutMs),
  createLoaders: createNoticeLoaders,
};

const term: Feature = {
  table: 'term_translation',
  triggers: [
    'vitrine_notify',
    'vitrine_labels_insert',
    'vitrine_labels_update',
    'vitrine_labels_delete',
    'vitrine_labels_truncate',
  ],
  rights: ['select'],
  createLoaders: createTermLoaders,
};

/** Every table that is served: a new one is a folder, a row here, and its types and queries in schema.ts. */
export const FEATURES: readonly Feature[] = [category, product, variant, notice, term];
