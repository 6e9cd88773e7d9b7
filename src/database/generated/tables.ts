/* eslint-disable */
/** The tables of the models. */
export const TABLES = {
  Category: 'category',
  Product: 'product',
  ProductVariant: 'product_variant',
  ProductWords: 'product_words',
  Notice: 'notice',
  TermTranslation: 'term_translation',
  TranslatedWords: 'translated_words',
  SlugAlias: 'slug_alias',
  SlugChange: 'slug_change',
} as const;
/** The columns that are not called as their fields. */
export const COLUMNS = {
  Category: { parentId: 'parent_id', imageUrl: 'image_url', createdAt: 'created_at', updatedAt: 'updated_at' },
  Product: { categoryId: 'category_id', listPrice: 'list_price', imageUrl: 'image_url', imageUrls: 'image_urls', publishedAt: 'published_at', createdAt: 'created_at', updatedAt: 'updated_at', optionNames: 'option_names', imageAlts: 'image_alts' },
  ProductVariant: { productId: 'product_id', optionValues: 'option_values', listPrice: 'list_price', imageUrl: 'image_url', createdAt: 'created_at', updatedAt: 'updated_at' },
  ProductWords: { productId: 'product_id' },
  Notice: { startsAt: 'starts_at', endsAt: 'ends_at', viewCount: 'view_count', createdAt: 'created_at', updatedAt: 'updated_at' },
  TermTranslation: {  },
  TranslatedWords: { productId: 'product_id' },
  SlugAlias: {  },
  SlugChange: {  },
} as const;
