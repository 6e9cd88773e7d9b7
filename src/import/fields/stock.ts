import type { Value } from '../record.ts';
import { INT32_MAX, integer, type Parse, trimmedOf } from './values.ts';

/** The pieces of a product that is in stock in an unknown number: enough to show it as such. */
export const SOME = 1;

const COUNT = integer(0, INT32_MAX);

/** What exports write where they do not count; without separators, in lower case. */
const AVAILABLE = new Set([
  'true',
  'yes',
  'instock',
  'available',
  'availablefororder',
  'preorder',
  'backorder',
  'onbackorder',
  'limitedavailability',
]);
const SOLD_OUT = new Set([
  'false',
  'no',
  'outofstock',
  'soldout',
  'unavailable',
  'discontinued',
  'pending',
  'markassold',
]);

/** A number of pieces, or only whether there are any: some are a negative number, which {@link mergeStock} reads. */
export const stock: Parse = (value, options = {}) => {
  if (AVAILABLE.has(wordOf(value))) return String(-(options.stock ?? SOME));
  if (isSoldOut(value)) return '0';
  return COUNT(value);
};

/** Whether the value is a word for no pieces. */
export const isSoldOut = (value: Value): boolean => SOLD_OUT.has(wordOf(value));

const wordOf = (value: Value): string =>
  (typeof value === 'boolean' ? String(value) : trimmedOf(value)).toLowerCase().replaceAll(/[\s_-]/g, '');

/** Where the file says only that there are some pieces, a product that has some keeps their number. */
export const mergeStock = (staged: string, current: string): string =>
  `case when ${staged} >= 0 then ${staged} when ${current} > 0 then ${current} else -${staged} end`;
