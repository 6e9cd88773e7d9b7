import { isObject, type Value } from '../record.ts';
import { slug, slugify, slugOfName } from './slug.ts';
import { InvalidValueError, longText, type Parse } from './values.ts';

/**
 * One category on the path from a root to a product's category. Without a name, the category must exist in the catalogue or in the file.
 * `isByName`: the step stands for the category with this name below the step before, and the slug is only a proposal for a new one.
 */
export type CategoryStep = readonly [slug: string, name: string | null, isByName?: true];

const MAX_DEPTH = 20;

/**
 * Names with `>` between them (`Kitchen > Pans`, or a list), `{ "slug": "pans", "name": "Pans" }`, or a list of such objects. Returns
 * {@link CategoryStep}s as JSON. The proposed slug of a new category is made from all names up to it: `kitchen-pans`.
 */
export const categoryPath: Parse = (value) => {
  const parts = typeof value === 'string' ? value.split('>') : Array.isArray(value) ? value : [value];
  if (parts.length === 0 || parts.length > MAX_DEPTH) {
    throw new InvalidValueError(`must have 1 to ${MAX_DEPTH} categories`);
  }
  const names: string[] = [];
  return JSON.stringify(parts.map((part) => (isObject(part) ? stepOfObject(part) : stepOfName(part, names))));
};

const stepOfObject = ({ slug: slugValue = '', name }: { readonly [key: string]: Value }): CategoryStep => [
  slug(slugValue),
  typeof name === 'string' && name.trim() ? name.trim() : null,
];

const stepOfName = (value: Value, names: string[]): CategoryStep => {
  const name = longText(value).trim();
  if (slugify(name) === '') throw new InvalidValueError('must be category names with > between them');
  names.push(name);
  return [slugOfName(names.join('-')), name, true];
};

/** The parts of a path, which {@link categoryPath} reads. */
export const splitPath = (path: Value | undefined): readonly Value[] => {
  if (path === undefined || path === null || path === '') return [];
  if (Array.isArray(path)) return path;
  return typeof path === 'string' ? path.split('>').map((name) => name.trim()) : [path];
};
