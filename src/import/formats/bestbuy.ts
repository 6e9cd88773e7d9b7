import { slugWithKey } from '../fields/slug.ts';
import { isBlank, isObject, placeOf, type Value } from '../record.ts';
import type { Format } from './format.ts';

const COLUMNS: Readonly<Record<string, string>> = { slug: 'id', name: 'name', parent: 'path' };
const USED = new Set(Object.values(COLUMNS));

/**
 * Categories with an id and a path, as in Best Buy's open data set (https://github.com/BestBuyAPIs/open-data-set). Many have equal names, so
 * a slug is the name with the id. Parents that have no row of their own are created from the paths.
 */
export const bestbuyCategories: Format = {
  name: 'bestbuy-categories',
  summary: 'categories with id and path as in Best Buy’s open data set',
  kind: 'category',
  columns: [...USED],
  recognises: (columns) => ['id', 'name', 'path', 'subCategories'].every((column) => columns.has(column)),
  open: () => ({
    read: ({ fields: { id = '', name = '', path }, ...place }) => {
      const ancestors = Array.isArray(path) ? path.slice(0, -1).map(toStep) : [];
      const parent = ancestors.length > 0 ? ancestors : null;
      const values = { slug: toSlug(id, name), name, ...(path !== undefined && { parent }) };
      return [{ ...placeOf(place), values }];
    },
    columnOf: (field) => COLUMNS[field] ?? field,
    uses: (column) => USED.has(column),
  }),
};

const toStep = (step: Value): Value =>
  isObject(step) ? { slug: toSlug(step.id ?? '', step.name ?? ''), name: step.name ?? '' } : step;

const toSlug = (id: Value, name: Value): Value =>
  typeof id === 'string' && !isBlank(id) ? slugWithKey(typeof name === 'string' ? name : '', id) : id;
