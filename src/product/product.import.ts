import { categoryPath } from '../import/fields/category-path.ts';
import { amount, currency, INT32_MAX, integer, longText, oneOf, textList, timestamp } from '../import/fields/values.ts';
import {
  addMissingSlug,
  CREATED_AT,
  field,
  type ImportKind,
  NAME,
  nullable,
  required,
  SLUG,
  UPDATED_AT,
} from '../import/kind.ts';
import { isBlank, isObject } from '../import/record.ts';

const COUNT = integer(0, INT32_MAX);

const TAGS = textList((text) => (text.includes('|') ? /\|/ : /[,;]/));
// A URL may contain commas, but neither white space nor bars.
const URLS = textList(() => /\s*\|\s*|[,;]?\s+|[,;](?=https?:|\/)/);

export const productImport: ImportKind = {
  table: 'product',
  plural: 'products',
  key: 'slug',
  categoryColumn: 'category_id',
  fields: {
    slug: SLUG,
    name: NAME,
    category: field('category_path', 'jsonb', categoryPath, required),
    subtitle: field('subtitle', 'text', longText, nullable),
    description: field('description', 'text', longText),
    brand: field('brand', 'text', longText, nullable),
    tags: field('tags', 'text[]', TAGS),
    price: field('price', 'numeric(14,2)', amount, required),
    listPrice: field('list_price', 'numeric(14,2)', amount, nullable),
    currency: field('currency', 'char(3)', currency),
    stock: field('stock', 'int', COUNT),
    sales: field('sales', 'int', COUNT),
    imageUrl: field('image_url', 'text', longText, nullable),
    imageUrls: field('image_urls', 'text[]', URLS),
    status: field('status', 'product_status', oneOf('DRAFT', 'ON_SALE', 'OFF_SALE')),
    publishedAt: field('published_at', 'timestamptz', timestamp),
    createdAt: CREATED_AT,
    updatedAt: UPDATED_AT,
  },
  native: {
    summary: 'products, with columns as in the table product or the API',
    recognises: (has) =>
      has('slug', 'name') && has('price', 'stock', 'sales', 'tags', 'brand', 'listprice', 'category', 'publishedat'),
    extra: ['currencyCode', 'categorySlug'],
    alternatives: { category: ['categorySlug'], currency: ['currencyCode'], slug: ['name'] },
    shape: (values) => {
      const slugSource = addMissingSlug(values);
      values.currency ??= values.currencyCode ?? '';
      // The API returns `{ "amount": "9.90", "currencyCode": "EUR" }`.
      for (const name of ['price', 'listPrice']) {
        const money = values[name];
        if (!isObject(money)) continue;
        values[name] = money.amount ?? '';
        values.currency ||= money.currencyCode ?? '';
      }
      if (!isBlank(values.categorySlug)) values.category = { slug: values.categorySlug ?? '' };
      return slugSource;
    },
  },
};
