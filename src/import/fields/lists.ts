import pg from 'pg';
import type { ReadOptions } from '../options.ts';
import { isBlank, isObject, JsonNumber, textIn, type Value } from '../record.ts';
import { assertStorable, InvalidValueError, onlyIn, type Parse, unpacked } from './parse.ts';
import { longText, plainValue, slug, slugify, slugOfName } from './values.ts';

/** A list as PostgreSQL prints it, so that tables that it has written as CSV can be read: `{Blue,"Dark red"}`. */
const TEXT_ARRAY: number = 1009;
const ARRAY = /^\{(?:"(?:[^"\\]|\\.)*"|[^\s"{}\\])*\}$/s;

const arrayIn = (text: string): readonly string[] | undefined =>
  ARRAY.test(text) ? pg.types.getTypeParser(TEXT_ARRAY)(text) : undefined;

/** Finds the separator of the items of a text. */
type SeparatorOf = (text: string, options: ReadOptions) => RegExp | string;

/** The items of a list: one of JSON, also in a text, or of PostgreSQL, or one text that a separator splits. @throws InvalidValueError */
const placesOf = (value: Value, options: ReadOptions, separatorOf: SeparatorOf): readonly string[] => {
  const given = unpacked(value);
  const list = isObject(given) ? onlyIn(given) : given;
  const text = textIn(list);
  const items = text === undefined ? list : (arrayIn(text.trim()) ?? text.split(separatorOf(text, options)));
  if (!Array.isArray(items)) throw new InvalidValueError('must be a list of texts');
  return items.map((item) => longText(item ?? '').trim());
};

/** The same without blank or repeated ones. */
const itemsOf = (...list: Parameters<typeof placesOf>): readonly string[] => [
  ...new Set(placesOf(...list).filter(Boolean)),
];

/** Texts with bars between them, or else commas or semicolons. */
export const tags: Parse<readonly string[]> = (value, options = {}) => {
  const given = plainValue(unpacked(value), options);
  return itemsOf(given, options, (text, { listSeparator }) => listSeparator ?? (text.includes('|') ? /\|/ : /[,;]/));
};

const bars: SeparatorOf = (_, { listSeparator = '|' }) => listSeparator;

/** A list in which each text has its place, so that blank and repeated ones stay; blank ones at the end go. */
export const textsByPlace: Parse<readonly string[]> = (value, options = {}) => {
  const texts = placesOf(value, options, bars);
  return texts.slice(0, texts.findLastIndex(Boolean) + 1);
};

const MAX_OPTIONS = 5;

/** The names of the options in which the variants of a product differ, at most five. */
export const optionNames: Parse<readonly string[]> = (value, options = {}) => {
  const names = placesOf(value, options, bars);
  if (names.length > MAX_OPTIONS || names.includes('') || new Set(names).size < names.length)
    throw new InvalidValueError(`must be at most ${MAX_OPTIONS} names of options, each once`);
  return names;
};

/** The values of a variant, in the order of the names of the product's options. */
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

/** A number that PostgreSQL can store. */
const STORABLE_NUMBER = /^-?\d{1,100}(?:\.\d{1,100})?(?:e[+-]?\d{1,2})?$/i;

/**
 * Attributes by their names: `{ "Material": "Copper", "Weight": 1.2, "Fits": ["gas", "induction"] }`, or a list as the API returns them,
 * `[{ "name": "Weight", "values": ["1.2"] }]`; both also as JSON in a text. A value is a number only where JSON has one. Returned as a JSON
 * object, or as a JSON list of names and values, for {@link mergeAttributes}; blank ones are left out.
 */
export const attributes: Parse<string> = (value) => {
  const unpackedValue = unpacked(value);
  // An XML feed does not tell a list of one.
  const given = isObject(unpackedValue) && isPair(unpackedValue) ? [unpackedValue] : unpackedValue;
  const isList = Array.isArray(given);
  const pairs = isList ? given.map(pairOf) : isObject(given) ? Object.entries(given) : undefined;
  if (!pairs) throw new InvalidValueError('must be an object such as {"Material": "Copper", "Weight": 1.2}');
  const named = pairs.flatMap(([name, of]) => {
    const json = attributeJson(of);
    return json === undefined ? [] : [[JSON.stringify(assertStorable(name)), json]];
  });
  return isList ? `[${named.map((pair) => `[${pair}]`)}]` : `{${named.map((pair) => pair.join(':'))}}`;
};

/** Members for the name and the value of an attribute: also `PARAM_NAME` and `VAL`, or `FNAME` and `FVALUE`. */
const NAME_MEMBER = /^\w*name$/i;
const VALUE_MEMBER = /^\w*val(?:ues?)?$/i;

const isPair = (object: { readonly [key: string]: Value }): boolean => {
  const others = Object.keys(object).filter((key) => key !== 'unit');
  return (
    others.length === 2 && others.some((key) => NAME_MEMBER.test(key)) && others.some((key) => VALUE_MEMBER.test(key))
  );
};

/** The name and the value of an item of a list. */
const pairOf = (pair: Value): [string, Value] => {
  const members = isObject(pair) ? Object.entries(pair) : [];
  const name = textIn(members.find(([key]) => NAME_MEMBER.test(key))?.[1]);
  if (name === undefined) throw new InvalidValueError('must have a name for each attribute');
  const value = members.find(([key]) => VALUE_MEMBER.test(key))?.[1] ?? null;
  return [name, Array.isArray(value) && value.length < 2 ? (value[0] ?? null) : value];
};

const attributeJson = (value: Value): string | undefined => {
  if (isBlank(value) || (Array.isArray(value) && value.length === 0)) return undefined;
  if (Array.isArray(value)) return JSON.stringify(value.map((item) => longText(item)));
  if (typeof value === 'boolean') return String(value);
  if (isObject(value))
    throw new InvalidValueError('must have a text, a number, true, false or a list of texts for each attribute');
  if (!(value instanceof JsonNumber)) return JSON.stringify(longText(value));
  if (!STORABLE_NUMBER.test(value.digits)) throw new InvalidValueError('has a number with too many digits');
  return value.digits;
};

/**
 * SQL for the attributes that are stored. A list of names and values, as of the API or a feed, has texts alone: where these are how a stored
 * number, boolean or list is shown, that stays.
 */
export const mergeAttributes = (staged: string, current: string): string => `
  case jsonb_typeof(${staged}::jsonb) when 'object' then ${staged}::jsonb else (
    select coalesce(jsonb_object_agg(name, case
      when jsonb_typeof(value) in ('number', 'boolean') then value
      when case when jsonb_typeof(old) = 'array' then old else jsonb_build_array(old #>> '{}') end
        = case when jsonb_typeof(value) = 'array' then value else jsonb_build_array(value) end then old
      when jsonb_typeof(old) = 'number' and value #>> '{}' ~ '^-?[0-9]+([.][0-9]+)?(e[+-]?[0-9]{1,2})?$'
        and (value #>> '{}')::numeric = old::numeric then old
      else value end order by place), '{}')
    from jsonb_array_elements(${staged}::jsonb) with ordinality pairs (pair, place)
      cross join lateral (select pair ->> 0 as name, pair -> 1 as value, (${current})::jsonb -> (pair ->> 0) as old) of_pair) end`;

/**
 * One category on the path from a root to a product's category. Without a name, the category must exist in the catalogue or in the file.
 * `isByName`: the step stands for the category with this name below the step before, and the slug is only a proposal for a new one.
 */
export type CategoryStep = readonly [slug: string, name: string | null, isByName?: true];

const MAX_DEPTH = 20;

/**
 * Names with `>` between them (`Kitchen > Pans`, or a list; of several such texts the deepest), `{ "slug": "pans", "name": "Pans" }`, or a
 * list of such objects; lists and objects also as JSON in a text. The proposed slug of a new category is made from all names up to it:
 * `kitchen-pans`.
 */
export const categoryPath: Parse<readonly CategoryStep[]> = (value, options = {}) => {
  const path = unpacked(value);
  const { listSeparator = /(?!)/ } = options;
  const parts =
    typeof path === 'string' ? namesOf(deepest(path.split(listSeparator), options), options) : [path].flat();
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
    const name = plainValue(part.name ?? '', options);
    if (isBlank(part.slug)) return stepOfName(name);
    return [slug(part.slug ?? ''), (typeof name === 'string' && assertStorable(name).trim()) || null];
  };
  return parts.map(toStep);
};

/** The deepest of several paths: exports name the parents of a category, too. */
export const deepest = (paths: readonly string[], options: ReadOptions): string => {
  const depthOf = (path: string): number => (path.trim() === '' ? 0 : namesOf(path, options).length);
  return paths.toSorted((one, other) => depthOf(other) - depthOf(one))[0] ?? '';
};

/** A separator before the first name is none: `/cups`. */
export const namesOf = (path: string, { pathSeparator = '>' }: ReadOptions): readonly string[] => {
  const names = path.split(pathSeparator).map((name) => name.trim());
  const first = names.findIndex(Boolean);
  return first < 0 ? [''] : names.slice(first);
};
