import { slugify, slugWithKey } from '../fields/slug.ts';
import { isObject, placeOf, type Value } from '../record.ts';
import type { Format } from './format.ts';

const COLUMNS: Readonly<Record<string, string>> = {
  slug: 'title',
  name: 'title',
  category: 'category',
  description: 'description',
  brand: 'brand',
  tags: 'tags',
  price: 'price',
  stock: 'stock',
  imageUrl: 'thumbnail',
  imageUrls: 'images',
  publishedAt: 'meta',
  createdAt: 'meta',
  updatedAt: 'meta',
};

const USED = new Set(['id', ...Object.values(COLUMNS)]);

/**
 * The products of DummyJSON (https://dummyjson.com/docs/products). Some have equal titles, so a slug is the title with the id. The price is
 * used as it is: applying `discountPercentage` would need rounding, which the shop has to decide.
 */
export const dummyjson: Format = {
  name: 'dummyjson',
  summary: 'products as in dummyjson.com’s API',
  kind: 'product',
  columns: [...USED],
  recognises: (columns) => ['title', 'price', 'category', 'thumbnail'].every((column) => columns.has(column)),
  open: () => ({
    read: ({ fields, ...place }) => {
      const { id = '', title = '', category = '', meta } = fields;
      const { createdAt = '', updatedAt = '' } = isObject(meta) ? meta : {};
      const values: Record<string, Value> = {
        slug: typeof title === 'string' && typeof id === 'string' ? slugWithKey(title, id) : title,
        name: title,
        category: toCategory(category),
        publishedAt: createdAt,
        createdAt,
        updatedAt,
      };
      for (const field of ['description', 'brand', 'tags', 'price', 'stock', 'imageUrl', 'imageUrls']) {
        const value = fields[COLUMNS[field] ?? field];
        if (value !== undefined) values[field] = value;
      }
      return [{ ...placeOf(place), values, slugSource: id === '' && typeof title === 'string' ? title : undefined }];
    },
    columnOf: (field) => COLUMNS[field] ?? field,
    uses: (column) => USED.has(column),
  }),
};

/** DummyJSON names categories by slug; `mens-shirts` gets the name Mens Shirts. */
const toCategory = (category: Value): Value => {
  if (typeof category !== 'string' || category.trim() === '') return category;
  const name = category.trim().replaceAll(/(^|-)(\p{L})/gu, (_, dash, letter) => (dash && ' ') + letter.toUpperCase());
  return [{ slug: slugify(category), name }];
};
