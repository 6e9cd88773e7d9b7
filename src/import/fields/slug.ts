import { assertStorable, InvalidValueError, type Parse, textOf } from './parse.ts';
import { withoutEntities } from './values.ts';

/** An index entry has at most 2,704 bytes, and a character at most four. */
const MAX_CHARACTERS = 250;

/** Characters left free for `-2`, `-3` and so on behind a slug that is taken. */
const SUFFIX_CHARACTERS = 10;

/** A slug of the file's own: any text without white space. */
export const slug: Parse<string> = (value) => {
  const text = textOf(value).trim();
  if (text === '' || /[\s\p{Cc}]/u.test(text)) throw new InvalidValueError('must be a text without white space');
  if (text.length > MAX_CHARACTERS) throw new InvalidValueError(`must have at most ${MAX_CHARACTERS} characters`);
  return assertStorable(text);
};

/** A slug made from a name, where the file has none. Empty if the name has no letter or digit. */
export const slugOfName = (name: string): string => cut(slugify(name), MAX_CHARACTERS - SUFFIX_CHARACTERS);

/** The slug of a product whose file has none, and the name it was made from; nothing without a name. */
export const slugOf = (name: string): { readonly slug?: string; readonly slugSource?: string } =>
  name === '' ? {} : { slug: slugOfName(name), slugSource: name };

/**
 * Lower case letters and digits of any script, and hyphens between words. Accents of Latin and Greek letters go; in other scripts a mark makes
 * another letter (か and が, и and й) or is a vowel. The result is composed (NFC), as people type it.
 */
export const slugify = (name: string): string =>
  cut(
    (
      withoutEntities(name)
        .replaceAll(COMPATIBLE, (part) => part.normalize('NFKD'))
        .replaceAll(/(?<=[\p{Script=Latin}\p{Script=Greek}\p{N}]\p{M}*)\p{M}|[\p{Variation_Selector}\p{Me}'’]/gu, '')
        .normalize('NFC')
        .toLowerCase()
        .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
    ).join('-'),
    MAX_CHARACTERS,
  );

/**
 * What may be written in other letters that look alike, such as `ﬁ` and `Ａ`. Not so the vowels of Thai, Lao and Tibetan, and single letters of
 * Korean: their compatible letters are not composed again, and nobody types them.
 */
const COMPATIBLE = /[^\p{Script=Thai}\p{Script=Lao}\p{Script=Tibetan}\u3131-\u318e]+/gu;

/** Without half of a surrogate pair, or a hyphen, at the end. */
const cut = (text: string, length: number): string =>
  text
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/-$/, '');
