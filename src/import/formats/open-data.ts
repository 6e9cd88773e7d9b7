import { slugify, slugWithKey } from '../fields/slug.ts';
import { isBlank, isObject, placeOf, type Value } from '../record.ts';
import { defineFormat, pick } from './format.ts';
import { withoutOptions } from './offer.ts';

/**
 * The products of DummyJSON (https://dummyjson.com/docs/products). Some have equal titles, so a slug is the title with the id. The price is
 * used as it is: applying `discountPercentage` would need rounding, which the shop has to decide.
 */
export const dummyjson = defineFormat({
  name: 'dummyjson',
  summary: 'products as in dummyjson.com’s API',
  kind: 'product',
  names: {
    id: ['id'],
    name: ['title'],
    category: ['category'],
    description: ['description'],
    brand: ['brand'],
    tags: ['tags'],
    sku: ['sku'],
    price: ['price'],
    stock: ['stock'],
    imageUrl: ['thumbnail'],
    imageUrls: ['images'],
    meta: ['meta'],
  },
  columnOf: { slug: 'name', publishedAt: 'meta', createdAt: 'meta', updatedAt: 'meta', barcode: 'meta' },
  recognises: (has) => has('title') && has('price') && has('category') && has('thumbnail'),
  open: (file) => ({
    read: (record) => {
      const read = (name: Parameters<typeof file.get>[1]): Value => file.get(record, name) ?? '';
      const [id, name, meta] = [read('id'), read('name'), read('meta')];
      const { createdAt = '', updatedAt = '', barcode } = isObject(meta) ? meta : {};
      const has = (column: Parameters<typeof read>[0]): boolean => file.get(record, column) !== undefined;
      const own = { ...pick(['sku', 'price', 'stock'], { has }, read), ...(barcode !== undefined && { barcode }) };
      const { variants, ...offered } = withoutOptions({ ...placeOf(record), values: own });
      const values = {
        ...pick(['description', 'brand', 'tags', 'imageUrl', 'imageUrls'], { has }, read),
        ...offered.values,
        slug: typeof name === 'string' && typeof id === 'string' ? slugWithKey(name, id) : name,
        name,
        category: toCategory(read('category')),
        publishedAt: createdAt,
        createdAt,
        updatedAt,
      };
      const slugSource = id === '' && typeof name === 'string' ? name : undefined;
      return [{ ...placeOf(record), values, slugSource, variants }];
    },
  }),
});

/** DummyJSON names categories by slug; `mens-shirts` gets the name Mens Shirts. */
const toCategory = (category: Value): Value => {
  if (typeof category !== 'string' || isBlank(category)) return category;
  const name = category.trim().replaceAll(/(^|-)(\p{L})/gu, (_, dash, letter) => (dash && ' ') + letter.toUpperCase());
  return [{ slug: slugify(category), name }];
};

/**
 * Categories with an id and a path, as in Best Buy's open data set (https://github.com/BestBuyAPIs/open-data-set). Many have equal names, so
 * a slug is the name with the id. Parents that have no row of their own are created from the paths.
 */
export const bestbuyCategories = defineFormat({
  name: 'bestbuy-categories',
  summary: 'categories with id and path as in Best Buy’s open data set',
  kind: 'category',
  names: { slug: ['id'], name: ['name'], parent: ['path'] },
  recognises: (has) => has('id') && has('name') && has('path') && has('subcategories'),
  open: ({ get }) => ({
    read: (record) => {
      const [id = '', name = '', path] = [get(record, 'slug'), get(record, 'name'), get(record, 'parent')];
      const ancestors = Array.isArray(path) ? path.slice(0, -1).map(toStep) : [];
      const parent = ancestors.length > 0 ? ancestors : null;
      const values = { slug: toSlug(id, name), name, ...(path !== undefined && { parent }) };
      return [{ ...placeOf(record), values }];
    },
  }),
});

const toStep = (step: Value): Value =>
  isObject(step) ? { slug: toSlug(step.id ?? '', step.name ?? ''), name: step.name ?? '' } : step;

const toSlug = (id: Value, name: Value): Value =>
  typeof id === 'string' && !isBlank(id) ? slugWithKey(typeof name === 'string' ? name : '', id) : id;
