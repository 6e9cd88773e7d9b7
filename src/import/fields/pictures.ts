import { isBlank, type Value } from '../record.ts';
import { itemsOf, toArray } from './lists.ts';
import { InvalidValueError, longText, type Parse } from './values.ts';

const BASE = 'https://shop.invalid/';

/** A picture's address: `https:`, `http:`, or a path on the shop's own host. Others, such as `javascript:`, would run in a browser. */
export const pictureUrl: Parse = (value) => {
  const text = longText(value).trim();
  // Read as browsers do, which skip line ends inside a scheme and take `\` for `/`.
  const url = URL.parse(text, BASE);
  const isAbsolute = /^https?:\/\/[^/]/i.test(text);
  const isPath = !/^[a-z][a-z\d+.-]*:/i.test(text) && url?.href.startsWith(BASE);
  if (!url || !(isAbsolute || isPath)) {
    throw new InvalidValueError('must be an address with https:// or http://, or a path such as /pictures/pan.jpg');
  }
  return text;
};

// A URL may contain commas, but neither white space nor bars.
const separatorOf = (): RegExp => /\s*\|\s*|[,;]?\s+|[,;](?=https?:|\/)/;

/** Pictures' addresses: a list, or a text with bars, white space or commas between them. */
export const pictureUrls: Parse = (value) => toArray(urlsOf(value));

const urlsOf = (value: Value): readonly string[] => itemsOf(value, separatorOf).map((url) => pictureUrl(url));

/** The first of some pictures; undefined if there is none, or they are not valid. */
export const firstPicture = (value: Value | undefined): string | undefined => {
  try {
    return isBlank(value) ? undefined : urlsOf(value as Value)[0];
  } catch {
    return undefined;
  }
};
