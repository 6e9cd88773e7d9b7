import { compile } from 'html-to-text';
import { isDay } from '../../parse-time.ts';
import type { ReadOptions } from '../options.ts';
import type { Value } from '../record.ts';
import { assertStorable, InvalidValueError, type Parse, textOf, trimmedOf, wordIn } from './parse.ts';
import { numberOf } from './price.ts';

/** Any text, with its white space and line breaks. */
export const longText: Parse<string> = (value) => assertStorable(textOf(value));

/** Text without white space around it. */
export const shortText =
  (maxCharacters: number): Parse<string> =>
  (value) => {
    const text = textOf(value).trim();
    if (text.length > maxCharacters) {
      throw new InvalidValueError(`must have at most ${maxCharacters} characters, but has ${text.length}`);
    }
    return assertStorable(text);
  };

/** How a spreadsheet shows a long number, whose last digits are lost then: `4.00638E+12`. */
const SHORTENED = /^\d(?:[.,]\d+)?E\+\d+$/i;

/** Before a number that programs must not take for one: `'0012`, `="0012"`. */
const MARKED = /^(?:'(?=[^']*$)|="(?=[^"]*"$))/;

/** A number by which people know something, such as a sku. */
export const code: Parse<string> = (value) => {
  const text = shortText(600)(value);
  if (SHORTENED.test(text))
    throw new InvalidValueError('has lost its last digits in a spreadsheet: format the column as text there');
  const [mark = ''] = MARKED.exec(text) ?? [];
  return text.slice(mark.length, mark === '="' ? -1 : undefined).trim();
};

/** An EAN, UPC or ISBN, also as programs write it that take it for a number: `4006381333931.0`. */
export const barcode: Parse<string> = (value) => code(value).replace(/^(\d+)\.0+$/, '$1');

export const INT32_MAX = 2 ** 31 - 1;

/** A whole number, also as programs print it that know only floating-point numbers: `12.0`, `1.2e+01`. */
export const integer =
  (min: number, max: number): Parse<string> =>
  (value, { decimal } = {}) => {
    const number = numberOf(value, decimal) ?? Number.NaN;
    if (!(Number.isInteger(number) && number >= min && number <= max))
      throw new InvalidValueError(`must be a whole number from ${min} to ${max}`);
    return String(number);
  };

/** The pieces of a product that is in stock in an unknown number: enough to show it as such. */
export const SOME = 1;

/** What exports write where they do not count, and schema.org's words; without separators, in lower case. */
const AVAILABLE =
  /^(?:true|yes|y|unlimited|instock|instoreonly|onlineonly|available|availablefororder|madetoorder|preorder|presale|backorder|onbackorder|limitedavailability)$/;
const SOLD_OUT = /^(?:false|no|n|outofstock|soldout|unavailable|reserved|discontinued|pending|markassold)$/;

/** A number from 0 that fits into an int. */
export const count: Parse<string> = integer(0, INT32_MAX);

const signedCount = integer(-INT32_MAX, INT32_MAX);

/**
 * A number of pieces, or only whether there are any: some are a negative number, which {@link mergeStock} reads. Fewer than none, as shops count
 * what is sold on back order, are none.
 */
export const stock: Parse<string> = (value, options = {}) => {
  if (AVAILABLE.test(wordOf(value))) return String(-(options.stock ?? SOME));
  if (isSoldOut(value)) return '0';
  return /^-/.test(trimmedOf(value)) && Number(signedCount(value, options)) <= 0 ? '0' : count(value, options);
};

/** Whether the value is a word for no pieces. */
export const isSoldOut = (value: Value): boolean => SOLD_OUT.test(wordOf(value));

const wordOf = (value: Value): string =>
  wordIn(value)
    .replace(/^https?:\/\/(?:www\.)?schema\.org\//, '')
    .replaceAll(/[\s_-]/g, '');

/** Where the file says only that there are some pieces, a product that has some keeps their number. */
export const mergeStock = (staged: string, current: string): string =>
  `case when ${staged} >= 0 then ${staged} when ${current} > 0 then ${current} else -${staged} end`;

/** Words for true and false, in lower case. */
export const TRUE = ['true', 'yes', 'y', 'on', '1'];
export const FALSE = ['false', 'no', 'n', 'off', '0'];

export const boolean: Parse<string> = (value) => {
  const text = wordIn(value);
  // As PostgreSQL prints them.
  if (text === 't' || TRUE.includes(text)) return 'true';
  if (text === 'f' || FALSE.includes(text)) return 'false';
  throw new InvalidValueError('must be true or false');
};

/** One of the names of an enum, in any case, with spaces or hyphens for underscores. */
export const oneOf =
  (...names: string[]): Parse<string> =>
  (value) => {
    const name = trimmedOf(value)
      .toUpperCase()
      .replaceAll(/[\s-]+/g, '_');
    if (!names.includes(name)) throw new InvalidValueError(`must be one of ${names.join(', ')}`);
    return name;
  };

// PostgreSQL accepts offsets below 16 hours.
const TIMESTAMP =
  /^(?!0000)(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d{1,9})?)?\s*(Z|UTC|[+-](?:0\d|1[0-5])(?::?[0-5]\d)?)?)?$/i;

/** A date and time in ISO 8601. Without an offset it is UTC; a date alone is midnight. */
export const timestamp: Parse<string> = (value) => {
  const [match, date = '', minutes = '00:00', seconds = ':00', offset = 'Z'] = TIMESTAMP.exec(trimmedOf(value)) ?? [];
  if (match === undefined || !isDay(date)) {
    throw new InvalidValueError('must be an ISO 8601 date or time such as 2026-11-20T09:00:00Z');
  }
  // PostgreSQL would round more than six decimals of a second up.
  return `${date} ${minutes}${seconds.slice(0, 10)}${/^(Z|UTC)$/i.test(offset) ? 'Z' : offset}`;
};

/** Elements that descriptions have. Other text in angle brackets, such as `<stdin>`, is no HTML. */
const ELEMENT =
  /<\/?(?:a|abbr|article|b|big|blockquote|body|br|center|code|dd|div|dl|dt|em|embed|figure|font|footer|form|h[1-6]|header|hr|html|i|iframe|img|input|label|li|link|main|mark|meta|object|ol|p|picture|pre|s|script|section|small|source|span|strike|strong|style|sub|sup|svg|table|tbody|td|tfoot|th|thead|title|tr|u|ul|video)(?:\s[^>]{0,2000})?\/?>/i;
const BLOCK = /<(?:p|div|br|li|tr|h[1-6]|table|section|article)[\s/>]/i;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/i;
const ENTITIES = new RegExp(ENTITY, 'gi');

const compiled = (preserveNewlines: boolean): ReturnType<typeof compile> =>
  compile({
    wordwrap: false,
    preserveNewlines,
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      { selector: 'ul', options: { itemPrefix: '- ' } },
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
const toText = compiled(false);
// Without paragraphs, the line ends of the text are all it has.
const toTextWithLines = compiled(true);

/** A text that may be HTML: by default it becomes plain text, with its paragraphs, lists and tables as lines. */
export const richText: Parse<string> = (value, { html = 'text' } = {}) => {
  const text = longText(value);
  if (html === 'keep' || !(ELEMENT.test(text) || ENTITY.test(text))) return text;
  return (BLOCK.test(text) ? toText : toTextWithLines)(text).trim();
};

/** A text that is no HTML, but in which shops store some letters as entities: `Salt &amp; Pepper`. */
const withoutEntities = (text: string): string => text.replaceAll(ENTITIES, (entity) => decoded(entity));

/** One that is white space stays. */
const decoded = compile({ wordwrap: false, preserveNewlines: true, whitespaceCharacters: '\0' });

/** What a parser of texts reads, or of lists of texts, without entities; with `--html keep`, as it is. */
export const plain =
  <Stored>(parse: Parse<Stored>): Parse<Stored> =>
  (value, options = {}) =>
    parse(plainValue(value, options), options);

/** The text without entities, or each text of a list; with `--html keep`, and other values, as they are. */
export const plainValue = (value: Value, { html }: ReadOptions): Value => {
  if (html === 'keep') return value;
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? withoutEntities(item) : item));
  return typeof value === 'string' ? withoutEntities(value) : value;
};

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
