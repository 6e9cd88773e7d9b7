import { categoryPath, pictureUrl, splitPath } from '../import/fields/lists.ts';
import { slugOfName } from '../import/fields/slug.ts';
import { INT32_MAX, integer } from '../import/fields/values.ts';
import {
  addMissingSlug,
  CREATED_AT,
  field,
  type ImportKind,
  NAME,
  nullable,
  SLUG,
  UPDATED_AT,
} from '../import/kind.ts';
import { isBlank, isObject, type Value } from '../import/record.ts';

export const categoryImport: ImportKind = {
  table: 'category',
  plural: 'categories',
  key: 'slug',
  categoryColumn: 'parent_id',
  fields: {
    slug: SLUG,
    name: NAME,
    parent: field('category_path', 'jsonb', categoryPath, nullable),
    imageUrl: field('image_url', 'text', pictureUrl, nullable),
    position: field('position', 'int', integer(-INT32_MAX, INT32_MAX)),
    createdAt: CREATED_AT,
    updatedAt: UPDATED_AT,
  },
  native: {
    summary: 'categories, with columns as in the table category or the API, or a path such as Kitchen > Pans',
    // Everything has a name, and much a path.
    recognises: (has, hasNoOther) =>
      (has('slug') &&
        has('name') &&
        (has('parent', 'parentslug', 'path', 'children', 'position') || hasNoOther('id'))) ||
      (has('slug', 'name', 'path') && hasNoOther()),
    extra: ['parentSlug', 'path', 'children'],
    alternatives: { parent: ['parentSlug', 'path'], slug: ['path', 'name'] },
    shape: (values, { key: _, ...options }) => {
      const { path, parentSlug, parent } = values;
      const steps = splitPath(path, options);
      if (steps.length > 0) return shapeOfPath(values, steps);
      if (parentSlug !== undefined) values.parent = isBlank(parentSlug) ? null : { slug: parentSlug };
      // The API returns a parent as an object; a text is the parent's slug.
      else if (typeof parent === 'string' && !isBlank(parent)) values.parent = { slug: parent };
      // --key is for products.
      return addMissingSlug(values, options);
    },
  },
};

/** A path ends with the category itself; missing parents are created. */
const shapeOfPath = (values: Record<string, Value>, steps: readonly Value[]): string | undefined => {
  const last = steps.at(-1) ?? '';
  const { slug, name } = isObject(last) ? last : { slug: slugOfName(steps.filter(isText).join('-')), name: last };
  const hasOwnSlug = Boolean(values.slug);
  values.parent ||= steps.length > 1 ? steps.slice(0, -1) : null;
  values.name ||= name ?? '';
  values.slug ||= slug ?? '';
  return hasOwnSlug || !isText(last) ? undefined : last;
};

const isText = (step: Value): step is string => typeof step === 'string';
