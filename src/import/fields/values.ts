import { compile } from 'html-to-text';
import { Parser } from 'htmlparser2';
import { isDay } from '../../parse-time.ts';
import type { Value } from '../record.ts';
import { looksLikeList } from './lists.ts';

/** Why a value cannot be stored, as the end of a sentence that begins with its column. */
export class InvalidValueError extends Error {
  override readonly name = 'InvalidValueError';
}

/** Which column of the file finds an existing row: `sku` is the shop's own number, `id` is Vitrine's. */
export type Key = 'slug' | 'sku' | 'id';

/** Which column of the file stands for which column of a format: `{ target: 'name', source: 'title' }`. */
export interface MappedColumn {
  readonly target: string;
  /** Empty: none, also not one that is named like the target. */
  readonly source: string;
}

/** How the operator wants a file to be read. */
export interface ReadOptions {
  /** The name of a format. @default the one that recognises the columns */
  readonly format?: string | undefined;
  /** Columns that the file names in another way than the named format or, by default, than a native one. */
  readonly map?: readonly MappedColumn[] | undefined;
  /** @default slug */
  readonly key?: Key | undefined;
  /** The line of a CSV that names the columns, from 1: the lines before it are not read. @default the first that is not blank */
  readonly headerLine?: number | undefined;
  /** The currency of prices without one. @default the database's */
  readonly currency?: string | undefined;
  /** What stands before the decimals of an amount. @default a point, with no separators of thousands */
  readonly decimal?: '.' | ',' | undefined;
  /** What becomes of HTML in descriptions. @default text */
  readonly html?: 'text' | 'keep' | undefined;
  /** The category of new products whose file names none. */
  readonly category?: string | undefined;
  /** What stands between the items of a list in a text. @default by kind: bars, and for tags and pictures also commas and semicolons */
  readonly listSeparator?: string | undefined;
  /** What stands between the names of a way to a category. @default > */
  readonly pathSeparator?: string | undefined;
  /** The pieces of a product that is in stock in an unknown number. @default 1 */
  readonly stock?: number | undefined;
}

/** Reads a value that is not blank. Returns what JSON has for a value of the column, often its text. @throws InvalidValueError */
export type Parse<Stored = unknown> = (value: Value, options?: ReadOptions) => Stored;

/** A value that stands for one text. @throws InvalidValueError for a list, which would be stored with its brackets */
export const textOf = (value: Value): string => {
  if (typeof value !== 'string') throw new InvalidValueError('must be a text');
  if (looksLikeList(value)) throw new InvalidValueError('must be one text, but is a list');
  return value;
};

/** Empty if the value is no text, for parsers that refuse an empty text anyway. */
export const trimmedOf = (value: Value): string => (typeof value === 'string' ? value.trim() : '');

/** The same in lower case, also of a boolean. */
export const wordIn = (value: Value): string =>
  typeof value === 'boolean' ? String(value) : trimmedOf(value).toLowerCase();

/** The text itself. @throws InvalidValueError if it holds what PostgreSQL or UTF-8 cannot store */
export const assertStorable = (text: string): string => {
  if (text.includes('\0')) throw new InvalidValueError('must not contain a NUL character');
  if (!text.isWellFormed()) throw new InvalidValueError('must not contain half of a surrogate pair');
  return text;
};

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

/** A number by which people know something, such as a sku. */
export const code: Parse<string> = (value) => {
  const text = shortText(600)(value);
  if (SHORTENED.test(text))
    throw new InvalidValueError('has lost its last digits in a spreadsheet: format the column as text there');
  return text;
};

/** An EAN, UPC or ISBN, also as programs write it that take it for a number, or must not: `4006381333931.0`, `'0012`, `="0012"`. */
export const barcode: Parse<string> = (value) => code(value).replace(/^(?:'|=")?(\d+)(?:\.0+)?"?$/, '$1');

export const INT32_MAX = 2 ** 31 - 1;

export const integer =
  (min: number, max: number): Parse<string> =>
  (value) => {
    const text = trimmedOf(value);
    // Programs that know only floating-point numbers print 12 as `12.0` or `1.2e+01`.
    const number = /^[+-]?\d{1,16}(?:\.\d{1,16})?(?:e[+-]?\d{1,2})?$/i.test(text) ? Number(text) : Number.NaN;
    if (!(Number.isInteger(number) && number >= min && number <= max)) {
      throw new InvalidValueError(`must be a whole number from ${min} to ${max}`);
    }
    return String(number);
  };

/** The pieces of a product that is in stock in an unknown number: enough to show it as such. */
export const SOME = 1;

/** What exports write where they do not count; without separators, in lower case. */
const AVAILABLE =
  /^(?:true|yes|instock|available|availablefororder|preorder|backorder|onbackorder|limitedavailability)$/;
const SOLD_OUT = /^(?:false|no|outofstock|soldout|unavailable|discontinued|pending|markassold)$/;

/** A number from 0 that fits into an int. */
export const count: Parse<string> = integer(0, INT32_MAX);

/** A number of pieces, or only whether there are any: some are a negative number, which {@link mergeStock} reads. */
export const stock: Parse<string> = (value, options = {}) => {
  if (AVAILABLE.test(wordOf(value))) return String(-(options.stock ?? SOME));
  if (isSoldOut(value)) return '0';
  return count(value);
};

/** Whether the value is a word for no pieces. */
export const isSoldOut = (value: Value): boolean => SOLD_OUT.test(wordOf(value));

const wordOf = (value: Value): string => wordIn(value).replaceAll(/[\s_-]/g, '');

/** Where the file says only that there are some pieces, a product that has some keeps their number. */
export const mergeStock = (staged: string, current: string): string =>
  `case when ${staged} >= 0 then ${staged} when ${current} > 0 then ${current} else -${staged} end`;

/** Words for true and false, in lower case. */
export const TRUE = ['true', 'yes', 'on', '1'];
export const FALSE = ['false', 'no', 'off', '0'];

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
export const withoutEntities = (text: string): string => text.replaceAll(ENTITIES, decoded);

const decoded = (entity: string): string => {
  let text = '';
  const parser = new Parser({ ontext: (part) => (text += part) });
  parser.end(entity);
  return text;
};

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
