import { isObject } from '../source/json-text.ts';
import { Problem, type Value } from '../value.ts';
import { longText, type Parsed } from './field.ts';
import { slug, slugify } from './slug.ts';

/** A step on the way from a root to a category. Without a name, the category must be there already, or in the same file. */
export type CategoryStep = readonly [slug: string, name: string | null];

const MAX_DEPTH = 20;

/**
 * A way to a category: names with `>` between (`Kitchen > Pans`, a text or a list), or `{ "slug": "pans", "name": "Pans" }`, or a list of such.
 * The slug of a name is that of the names up to it, so that the same way always leads to the same category: `kitchen-pans`.
 */
export const categoryPath = (value: Value): Parsed => {
  const parts = typeof value === 'string' ? value.split('>') : Array.isArray(value) ? value : [value];
  const path: CategoryStep[] = [];
  const names: string[] = [];
  for (const part of parts) {
    const step = isObject(part) ? namedStep(part) : toStep(part, names);
    if (step instanceof Problem) return step;
    path.push(step);
  }
  if (path.length === 0 || path.length > MAX_DEPTH) return new Problem(`must have 1 to ${MAX_DEPTH} steps`);
  return JSON.stringify(path);
};

/** A category that must be there already, or in the same file. */
export const categorySlug = (value: Value): Parsed => {
  const parsed = slug(value);
  return typeof parsed === 'string' ? JSON.stringify([[parsed, null]]) : parsed;
};

const namedStep = (part: { readonly [key: string]: Value }): CategoryStep | Problem => {
  const parsed = slug(part.slug ?? '');
  if (parsed instanceof Problem) return parsed;
  return [parsed ?? '', typeof part.name === 'string' && part.name.trim() ? part.name.trim() : null];
};

const toStep = (part: Value, names: string[]): CategoryStep | Problem => {
  const text = longText(part);
  if (text instanceof Problem) return text;
  const name = text?.trim() ?? '';
  if (slugify(name) === '') return new Problem('must be names of categories, with > between');
  names.push(name);
  const parsed = slug(slugify(names.join('-')));
  return parsed instanceof Problem ? parsed : [parsed ?? '', name];
};
