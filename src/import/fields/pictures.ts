import { isBlank, type Value } from '../record.ts';
import { itemsOf, toArray } from './lists.ts';
import { InvalidValueError, longText, type Parse, type ReadOptions } from './values.ts';

const BASE = 'https://shop.invalid/';

/**
 * A picture's address: `https:`, `http:`, or a path that begins with `/`, on the host of the page that shows it. Others, such as `javascript:`,
 * would run in a browser; `a.jpg` and `N/A` would be another address on each page.
 */
export const pictureUrl: Parse = (value) => {
  const text = longText(value).trim();
  if (!isAddress(text)) {
    throw new InvalidValueError('must be an address with https:// or http://, or a path such as /pictures/pan.jpg');
  }
  return text;
};

const isAddress = (text: string): boolean => {
  // Read as browsers do, which skip line ends inside a scheme and take `\` for `/`.
  const url = URL.parse(text, BASE);
  if (/^https?:\/\/[^/]/i.test(text)) return url !== null;
  return /^\/./.test(text) && url?.href.startsWith(BASE) === true;
};

/** Bars, white space, and commas or semicolons before the next address or at the end. An address may have commas. */
const SEPARATORS = /\s*\|\s*|[,;]*\s+(?:[,;]\s*)*|[,;]+(?=https?:|\/|$)/i;

const separatorOf = (_: string, { listSeparator = ',' }: ReadOptions): RegExp | string =>
  /^[|,;\s]+$/.test(listSeparator) ? SEPARATORS : listSeparator;

/** Pictures' addresses: a list, or a text with bars, white space, commas or semicolons between them. */
export const pictureUrls: Parse = (value, options = {}) => toArray(urlsOf(value, options));

const urlsOf = (value: Value, options: ReadOptions): readonly string[] => {
  const urls = itemsOf(value, options, separatorOf);
  const other = urls.find((url) => !isAddress(url));
  if (other === undefined) return urls;
  const kinds = 'addresses with https:// or http://, or paths such as /pictures/pan.jpg';
  throw new InvalidValueError(`must be ${kinds}, which ${JSON.stringify(other.slice(0, 80))} is not`);
};

/** The first of some pictures; undefined if there is none, or they are not valid. */
export const firstPicture = (value: Value | undefined, options: ReadOptions): string | undefined => {
  try {
    return isBlank(value) ? undefined : urlsOf(value as Value, options)[0];
  } catch {
    return undefined;
  }
};
