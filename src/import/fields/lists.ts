import { isBlank, isObject, type Value } from '../record.ts';
import { parseJson } from '../source/json.ts';
import { slug, slugify, slugOfName } from './slug.ts';
import { assertStorable, InvalidValueError, longText, type Parse, plainValue, type ReadOptions } from './values.ts';

/** `["a"]`, `[{"name": "a"}]` or `{"name": "a"}`, which exports write into the cell of a CSV. `[NEW] Mug` and `[1984]` are texts. */
const JSON_START = /^\s*(?:\[\s*(?:["[{]|\]\s*$)|\{\s*")/;

/** A list as Python prints it. */
const PYTHON_LIST = /^\s*\[\s*'.*'\s*\]\s*$/s;

/** Whether a text is a list or an object in the notation of another program. */
export const looksLikeList = (text: string): boolean => PYTHON_LIST.test(text) || jsonIn(text) !== undefined;

/**
 * The value with a JSON list or object in a text read; any other value as it is.
 * @throws InvalidValueError for a list in another notation, which would be split at the wrong places
 */
export const unpacked = (value: Value): Value => {
  if (typeof value !== 'string') return value;
  if (PYTHON_LIST.test(value)) throw new InvalidValueError('is a list that is no JSON: write it as ["a", "b"]');
  return jsonIn(value) ?? value;
};

/** The JSON list or object that a text is; undefined if it is none. */
export const jsonIn = (text: string): Value | undefined => {
  if (!JSON_START.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

/** A list as PostgreSQL prints it, so that tables that it has written as CSV can be read: `{Blue,"Dark red"}`. */
const ARRAY_ITEM = /"((?:[^"\\]|\\.)*)"|[^\s,"{}\\]+/gs;
const ARRAY = new RegExp(`^\\{(?:(?:${ARRAY_ITEM.source})(?:,(?:${ARRAY_ITEM.source}))*)?\\}$`, 's');

const arrayIn = (text: string): readonly string[] | undefined =>
  ARRAY.test(text)
    ? [...text.matchAll(ARRAY_ITEM)].map(([item, quoted]) => quoted?.replaceAll(/\\(.)/gs, '$1') ?? item)
    : undefined;

/** What separates the items of a text. */
type SeparatorOf = (text: string, options: ReadOptions) => RegExp | string;

/** The items of a list: one of JSON, also in a text, or of PostgreSQL, or one text that a separator splits. @throws InvalidValueError */
const placesOf = (value: Value, options: ReadOptions, separatorOf: SeparatorOf): readonly string[] => {
  const list = unpacked(value);
  const items = typeof list === 'string' ? (arrayIn(list.trim()) ?? list.split(separatorOf(list, options))) : list;
  if (!Array.isArray(items)) throw new InvalidValueError('must be a list of texts');
  return items.map((item) => longText(item ?? '').trim());
};

/** The same without blank or repeated ones. */
const itemsOf = (...list: Parameters<typeof placesOf>): readonly string[] => [
  ...new Set(placesOf(...list).filter(Boolean)),
];

/** A list of texts. */
export const textList =
  (separatorOf: SeparatorOf): Parse<readonly string[]> =>
  (value, options = {}) =>
    itemsOf(value, options, separatorOf);

const bars: SeparatorOf = (_, { listSeparator = '|' }) => listSeparator;

/** A list in which each text has its place, so that blank and repeated ones stay; blank ones at the end go. */
export const textsByPlace: Parse<readonly string[]> = (value, options = {}) => {
  const texts = placesOf(value, options, bars);
  return texts.slice(0, texts.findLastIndex(Boolean) + 1);
};

const MAX_OPTIONS = 5;

/** What the variants of a product differ in, at most five. */
export const optionNames: Parse<readonly string[]> = (value, options = {}) => {
  const names = placesOf(value, options, bars);
  if (names.length > MAX_OPTIONS || names.includes('') || new Set(names).size < names.length)
    throw new InvalidValueError(`must be at most ${MAX_OPTIONS} names of options, each once`);
  return names;
};

/** What a variant is in each respect, by place as the names of the product's options. */
export const optionValues: Parse<readonly string[]> = (value, options = {}) => {
  const values = placesOf(value, options, bars);
  if (values.includes('')) throw new InvalidValueError('must have a value for each option');
  return values;
};

const BASE = 'https://shop.invalid/';

/**
 * A picture's address: `https:`, `http:`, or a path that begins with `/`, on the host of the page that shows it. Others, such as `javascript:`,
 * would run in a browser; `a.jpg` and `N/A` would be another address on each page.
 */
export const pictureUrl: Parse<string> = (value) => {
  const text = longText(value).trim();
  if (isAddress(text)) return text;
  throw new InvalidValueError('must be an address with https:// or http://, or a path such as /pictures/pan.jpg');
};

const isAddress = (text: string): boolean => {
  // Read as browsers do, which skip line ends inside a scheme and take `\` for `/`.
  const url = URL.parse(text, BASE);
  if (/^https?:\/\/[^/]/i.test(text)) return url !== null;
  return /^\/./.test(text) && url?.href.startsWith(BASE) === true;
};

/** Bars, white space, and commas or semicolons before the next address or at the end. An address may have commas. */
const BETWEEN_PICTURES = /\s*\|\s*|[,;]*\s+(?:[,;]\s*)*|[,;]+(?=https?:|\/|$)/i;

/** Pictures' addresses: a list, or a text with bars, white space, commas or semicolons between them. */
export const pictureUrls: Parse<readonly string[]> = (value, options = {}) => {
  const urls = itemsOf(value, options, (_, { listSeparator = ',' }) =>
    /^[|,;\s]+$/.test(listSeparator) ? BETWEEN_PICTURES : listSeparator,
  );
  const other = urls.find((url) => !isAddress(url));
  if (other === undefined) return urls;
  const kinds = 'addresses with https:// or http://, or paths such as /pictures/pan.jpg';
  throw new InvalidValueError(`must be ${kinds}, which ${JSON.stringify(other.slice(0, 80))} is not`);
};

/** The first of some pictures; undefined if there is none, or they are not valid. */
export const firstPicture = (value: Value | undefined, options: ReadOptions): string | undefined => {
  try {
    return isBlank(value) ? undefined : pictureUrls(value as Value, options)[0];
  } catch {
    return undefined;
  }
};

/** A text that JSON writes as a number or a boolean, which the sources of files give as their text. */
const LITERAL = /^(?:-?(?:0|[1-9]\d{0,99})(?:\.\d{1,99})?(?:e[+-]?\d{1,2})?|true|false)$/i;

/**
 * Attributes by their names: `{ "Material": "Copper", "Weight": 1.2, "Fits": ["gas", "induction"] }`, or as the API returns them,
 * `[{ "name": "Weight", "values": ["1.2"] }]`; both also as JSON in a text. Returned as a JSON object; blank ones are left out.
 */
export const attributes: Parse<string> = (value) => {
  const given = unpacked(value);
  const pairs = Array.isArray(given) ? given.map(pairOf) : isObject(given) ? Object.entries(given) : undefined;
  if (!pairs) throw new InvalidValueError('must be an object such as {"Material": "Copper", "Weight": 1.2}');
  const members = pairs.flatMap(([name, of]) => {
    const json = toJson(of);
    return json === undefined ? [] : [`${JSON.stringify(assertStorable(name))}:${json}`];
  });
  return `{${members.join(',')}}`;
};

const pairOf = (pair: Value): [string, Value] => {
  if (!isObject(pair) || typeof pair.name !== 'string')
    throw new InvalidValueError('must have a name for each attribute');
  const values = pair.values ?? pair.value ?? null;
  return [pair.name, Array.isArray(values) && values.length < 2 ? (values[0] ?? null) : values];
};

const toJson = (value: Value): string | undefined => {
  if (value === null || value === '') return undefined;
  if (Array.isArray(value)) return JSON.stringify(value.map((item) => longText(item)));
  if (isObject(value))
    throw new InvalidValueError('must have a text, a number, true, false or a list of texts for each attribute');
  const text = String(value);
  return LITERAL.test(text) ? text.toLowerCase() : JSON.stringify(longText(text));
};

/**
 * One category on the path from a root to a product's category. Without a name, the category must exist in the catalogue or in the file.
 * `isByName`: the step stands for the category with this name below the step before, and the slug is only a proposal for a new one.
 */
export type CategoryStep = readonly [slug: string, name: string | null, isByName?: true];

const MAX_DEPTH = 20;

/**
 * Names with `>` between them (`Kitchen > Pans`, or a list; of several such texts the deepest), `{ "slug": "pans", "name": "Pans" }`, or a list of such objects; lists and objects
 * also as JSON in a text. The proposed slug of a new category is made from all names up to it: `kitchen-pans`.
 */
export const categoryPath: Parse<readonly CategoryStep[]> = (value, options = {}) => {
  const path = unpacked(value);
  const parts = typeof path === 'string' ? deepestOf(path, options) : [path].flat();
  if (parts.length === 0 || parts.length > MAX_DEPTH)
    throw new InvalidValueError(`must have 1 to ${MAX_DEPTH} categories`);
  const names: string[] = [];
  const stepOfName = (value: Value): CategoryStep => {
    const name = longText(value).trim();
    if (slugify(name) === '') throw new InvalidValueError('must be category names with > between them');
    names.push(name);
    return [slugOfName(names.join('-')), name, true];
  };
  const toStep = (part: Value): CategoryStep => {
    if (!isObject(part)) return stepOfName(plainValue(part, options));
    const name = part.name === undefined ? undefined : plainValue(part.name, options);
    if (isBlank(part.slug) && name !== undefined) return stepOfName(name);
    return [slug(part.slug ?? ''), (typeof name === 'string' && assertStorable(name).trim()) || null];
  };
  return parts.map(toStep);
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
