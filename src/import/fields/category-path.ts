import { isBlank, isObject, type Value } from '../record.ts';
import { plainValue } from './html.ts';
import { jsonIn, unpacked } from './lists.ts';
import { slug, slugify, slugOfName } from './slug.ts';
import { InvalidValueError, longText, type Parse, type ReadOptions } from './values.ts';

/**
 * One category on the path from a root to a product's category. Without a name, the category must exist in the catalogue or in the file.
 * `isByName`: the step stands for the category with this name below the step before, and the slug is only a proposal for a new one.
 */
export type CategoryStep = readonly [slug: string, name: string | null, isByName?: true];

const MAX_DEPTH = 20;

/**
 * Names with `>` between them (`Kitchen > Pans`, or a list; of several such texts the deepest), `{ "slug": "pans", "name": "Pans" }`, or a list of such objects; lists and objects
 * also as JSON in a text. Returns {@link CategoryStep}s as JSON. The proposed slug of a new category is made from all names up to it: `kitchen-pans`.
 */
export const categoryPath: Parse = (value, options = {}) => {
  const path = unpacked(value);
  const parts = typeof path === 'string' ? deepestOf(path, options) : [path].flat();
  if (parts.length === 0 || parts.length > MAX_DEPTH)
    throw new InvalidValueError(`must have 1 to ${MAX_DEPTH} categories`);
  const names: string[] = [];
  const stepOfName = (value: Value): CategoryStep => {
    const name = longText(value).trim();
    if (slugify(name) === '') throw new InvalidValueError('must be category names with > between them');
    names.push(name);
    return [slugOfName(names.join('-'), options), name, true];
  };
  const toStep = (part: Value): CategoryStep => {
    if (!isObject(part)) return stepOfName(plainValue(part, options));
    const name = part.name === undefined ? undefined : plainValue(part.name, options);
    if (isBlank(part.slug) && name !== undefined) return stepOfName(name);
    return [slug(part.slug ?? ''), (typeof name === 'string' && name.trim()) || null];
  };
  return JSON.stringify(parts.map(toStep));
};

/** The deepest of several paths: exports name the parents of a category, too. */
const deepestOf = (text: string, options: ReadOptions): readonly string[] => {
  const { listSeparator } = options;
  const paths = (listSeparator === undefined ? [text] : text.split(listSeparator)).filter((path) => path.trim() !== '');
  const [deepest = []] = paths.map((path) => namesOf(path, options)).sort((one, other) => other.length - one.length);
  return deepest;
};

const namesOf = (path: string, { pathSeparator = '>' }: ReadOptions): readonly string[] =>
  path.split(pathSeparator).map((name) => name.trim());

/** The parts of a path, which {@link categoryPath} reads. */
export const splitPath = (value: Value | undefined, options: ReadOptions): readonly Value[] => {
  if (value === undefined || value === null || value === '') return [];
  const path = typeof value === 'string' ? (jsonIn(value) ?? value) : value;
  return typeof path === 'string' ? namesOf(path, options) : [path].flat();
};
