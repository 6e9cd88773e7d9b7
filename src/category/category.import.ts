import {
  CREATED_AT,
  eitherCategory,
  field,
  INT32_MAX,
  integer,
  longText,
  NAME,
  nullable,
  SLUG,
  slugOfName,
  UPDATED_AT,
} from '../import/fields.ts';
import { type ImportKind, slugFromName, toSteps } from '../import/kind.ts';
import { isObject, type Value } from '../import/record.ts';

export const categoryImport: ImportKind = {
  table: 'category',
  plural: 'categories',
  key: 'slug',
  categoryColumn: 'parent_id',
  fields: {
    slug: SLUG,
    name: NAME,
    parent: field('category_path', 'jsonb', eitherCategory, nullable),
    imageUrl: field('image_url', 'text', longText, nullable),
    position: field('position', 'int', integer(-INT32_MAX, INT32_MAX)),
    createdAt: CREATED_AT,
    updatedAt: UPDATED_AT,
  },
  native: {
    summary: 'categories, with columns as in the table category or the API, or a path such as Kitchen > Pans',
    recognises: (has) => has('slug', 'name', 'path'),
    extra: { parentSlug: ['parentSlug'], path: ['path'], children: ['children'] },
    instead: { parent: ['parentSlug', 'path'], slug: ['path', 'name'] },
    // A path ends with the category itself; its parents are made where they are missing.
    shape: (values) => {
      const { path, parentSlug, ...own } = values;
      delete values.path;
      delete values.parentSlug;
      const steps = toSteps(path);
      if (steps.length > 0) {
        const last = steps.at(-1) ?? '';
        values.parent = own.parent || (steps.length > 1 ? steps.slice(0, -1) : null);
        values.name = own.name || (isObject(last) ? (last.name ?? '') : last);
        values.slug = own.slug || (isObject(last) ? (last.slug ?? '') : slugOfName(steps.filter(isText).join('-')));
        return own.slug || typeof last !== 'string' ? undefined : last;
      }
      const slugFrom = slugFromName(values);
      if (parentSlug !== undefined) values.parent = parentSlug ? { slug: parentSlug } : null;
      // The API answers a parent as an object, and a text is the parent's slug.
      else if (typeof own.parent === 'string' && own.parent !== '') values.parent = { slug: own.parent };
      return slugFrom;
    },
  },
};

const isText = (step: Value): step is string => typeof step === 'string';
