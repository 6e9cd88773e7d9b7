import type { Value } from '../record.ts';
import { withoutEntities } from './html.ts';
import { assertStorable, InvalidValueError, type Parse, textOf } from './values.ts';

/** An index entry has at most 2,704 bytes, and a character at most four. */
const MAX_CHARACTERS = 250;

/** Characters left free for `-2`, `-3` and so on behind a slug that is taken. */
const SUFFIX_CHARACTERS = 10;

/** A slug of the file's own: any text without white space. */
export const slug: Parse = (value) => {
  const text = textOf(value).trim();
  if (text === '' || /[\s\p{Cc}]/u.test(text)) throw new InvalidValueError('must be a text without white space');
  if (text.length > MAX_CHARACTERS) throw new InvalidValueError(`must have at most ${MAX_CHARACTERS} characters`);
  return assertStorable(text);
};

/** A slug made from a name, where the file has none. Empty if the name has no letter or digit. */
export const slugOfName = (name: string): string => cut(slugify(name), MAX_CHARACTERS - SUFFIX_CHARACTERS);

/** A slug made from a name and the file's own key, which is never cut. */
export const slugWithKey = (name: string, key: string): string => {
  const suffix = slugify(key);
  const prefix = cut(slugify(name), Math.max(0, MAX_CHARACTERS - 1 - suffix.length));
  return [prefix, suffix].filter(Boolean).join('-');
};

/** Between name and sku in a slug. No name has it, so the end of a slug tells the sku. */
export const SKU_SEPARATOR = '--';

/** A slug that ends with the file's own number of a product; blank if the number has no letter or digit. */
export const slugWithSku = (name: Value | undefined, sku: Value | undefined): string => {
  const end = typeof sku === 'string' ? slugify(sku) : '';
  const length = Math.max(0, MAX_CHARACTERS - SKU_SEPARATOR.length - end.length);
  return end && `${cut(slugify(typeof name === 'string' ? name : ''), length)}${SKU_SEPARATOR}${end}`;
};

/** The slug of a product whose file has none, by the column that finds it, and the name it was made from, if that alone made it. */
export const slugOf = (
  name: string,
  sku: string,
  key: 'slug' | 'sku' | 'id' = 'slug',
): { readonly slug: string; readonly slugSource: string | undefined } =>
  key === 'sku'
    ? { slug: slugWithSku(name, sku), slugSource: undefined }
    : { slug: slugOfName(name), slugSource: name };

/** Lower case letters and digits of any script, without accents, and hyphens between words. */
export const slugify = (name: string): string =>
  cut(
    withoutEntities(name)
      .normalize('NFKD')
      .replaceAll(/[\p{M}'’]/gu, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, ''),
    MAX_CHARACTERS,
  );

/** Without half of a surrogate pair, or a hyphen, at the end. */
const cut = (text: string, length: number): string =>
  text
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/-$/, '');
