import {
  amount,
  CREATED_AT,
  currency,
  eitherCategory,
  field,
  INT32_MAX,
  integer,
  longText,
  moment,
  NAME,
  nullable,
  oneOf,
  required,
  SLUG,
  textList,
  UPDATED_AT,
} from '../import/fields.ts';
import { type ImportKind, slugFromName } from '../import/kind.ts';
import { isObject } from '../import/record.ts';

const STOCK_OR_SALES = integer(0, INT32_MAX);

// A URL may have commas in it, but no blanks and no bars.
const TAGS = textList((text) => (text.includes('|') ? /\|/ : /[,;]/));
const URLS = textList(() => /\s*\|\s*|[,;]?\s+|[,;](?=https?:|\/)/);

export const productImport: ImportKind = {
  table: 'product',
  plural: 'products',
  key: 'slug',
  categoryColumn: 'category_id',
  fields: {
    slug: SLUG,
    name: NAME,
    category: field('category_path', 'jsonb', eitherCategory, required),
    subtitle: field('subtitle', 'text', longText, nullable),
    description: field('description', 'text', longText),
    brand: field('brand', 'text', longText, nullable),
    tags: field('tags', 'text[]', TAGS),
    price: field('price', 'numeric(14,2)', amount, required),
    listPrice: field('list_price', 'numeric(14,2)', amount, nullable),
    currency: field('currency', 'char(3)', currency),
    stock: field('stock', 'int', STOCK_OR_SALES),
    sales: field('sales', 'int', STOCK_OR_SALES),
    imageUrl: field('image_url', 'text', longText, nullable),
    imageUrls: field('image_urls', 'text[]', URLS),
    status: field('status', 'product_status', oneOf('DRAFT', 'ON_SALE', 'OFF_SALE')),
    publishedAt: field('published_at', 'timestamptz', moment),
    createdAt: CREATED_AT,
    updatedAt: UPDATED_AT,
  },
  native: {
    summary: 'products, with columns as in the table product or the API',
    recognises: (has) =>
      has('slug', 'name') && has('price', 'stock', 'sales', 'tags', 'brand', 'listprice', 'category', 'publishedat'),
    extra: { currency: ['currency', 'currencyCode'], categorySlug: ['categorySlug'] },
    instead: { category: ['categorySlug'], slug: ['name'] },
    // Takes `{ "amount": "9.90", "currencyCode": "EUR" }`, as the API answers it, and the two ways to name a category.
    shape: (values) => {
      const slugFrom = slugFromName(values);
      for (const name of ['price', 'listPrice']) {
        const value = values[name];
        if (!isObject(value)) continue;
        values[name] = value.amount ?? '';
        values.currency ??= value.currencyCode ?? '';
      }
      const { categorySlug } = values;
      if (categorySlug !== undefined && categorySlug !== null && categorySlug !== '')
        values.category = { slug: categorySlug };
      delete values.categorySlug;
      return slugFrom;
    },
  },
};
