/* eslint-disable */
/** The tables of the models. */
export const TABLES = {
  Category: 'category',
  Product: 'product',
  ProductVariant: 'product_variant',
  ProductWords: 'product_words',
  Notice: 'notice',
} as const;
