import type { Value } from '../record.ts';

/** Why a value cannot be stored, as the end of a sentence that begins with its column. */
export class InvalidValueError extends Error {
  override readonly name = 'InvalidValueError';
}

/** Reads a value that is not blank. Returns it in PostgreSQL's notation. @throws InvalidValueError */
export type Parse = (value: Value) => string;

const textOf = (value: Value): string => {
  if (typeof value !== 'string') throw new InvalidValueError('must be a text');
  return value;
};

/** Empty if the value is no text, for parsers that refuse an empty text anyway. */
const trimmedOf = (value: Value): string => (typeof value === 'string' ? value.trim() : '');

/** The text itself. @throws InvalidValueError if it holds what PostgreSQL or UTF-8 cannot store */
export const assertStorable = (text: string): string => {
  if (text.includes('\0')) throw new InvalidValueError('must not contain a NUL character');
  if (!text.isWellFormed()) throw new InvalidValueError('must not contain half of a surrogate pair');
  return text;
};

/** Any text, with its white space and line breaks. */
export const longText: Parse = (value) => assertStorable(textOf(value));

/** Text without white space around it. */
export const shortText =
  (maxCharacters: number): Parse =>
  (value) => {
    const text = textOf(value).trim();
    if (text.length > maxCharacters) {
      throw new InvalidValueError(`must have at most ${maxCharacters} characters, but has ${text.length}`);
    }
    return assertStorable(text);
  };

export const INT32_MAX = 2 ** 31 - 1;

export const integer =
  (min: number, max: number): Parse =>
  (value) => {
    const text = trimmedOf(value);
    const number = /^[+-]?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= min && number <= max)) {
      throw new InvalidValueError(`must be a whole number from ${min} to ${max}`);
    }
    return String(number);
  };

export const boolean: Parse = (value) => {
  const text = typeof value === 'boolean' ? String(value) : trimmedOf(value).toLowerCase();
  if (['true', 'yes', 'on', '1'].includes(text)) return 'true';
  if (['false', 'no', 'off', '0'].includes(text)) return 'false';
  throw new InvalidValueError('must be true or false');
};

/** One of the names of an enum, in any case, with spaces or hyphens for underscores. */
export const oneOf =
  (...names: string[]): Parse =>
  (value) => {
    const name = trimmedOf(value)
      .toUpperCase()
      .replaceAll(/[\s-]+/g, '_');
    if (!names.includes(name)) throw new InvalidValueError(`must be one of ${names.join(', ')}`);
    return name;
  };

/** A list of texts, without blank or repeated ones: a JSON array, or one text that a pattern splits. */
export const textList =
  (separatorOf: (text: string) => RegExp): Parse =>
  (value) => {
    const items = typeof value === 'string' ? value.split(separatorOf(value)) : value;
    if (!Array.isArray(items)) throw new InvalidValueError('must be a list of texts');
    const texts = new Set(items.map((item) => longText(item).trim()).filter(Boolean));
    return `{${[...texts].map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
  };

const MAX_INTEGER_DIGITS = 12;

/** An amount of money as numeric(14,2) stores it: exact decimals, never rounded. */
export const amount: Parse = (value) => {
  const text = trimmedOf(value);
  const [match, sign, whole = '', fraction = ''] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (match === undefined) throw new InvalidValueError(`must be an amount such as 19.90${amountHint(text)}`);
  const digits = whole.replace(/^0+(?=\d)/, '');
  const decimals = fraction.replace(/0+$/, '');
  if (sign === '-' && Number(digits + decimals) !== 0) throw new InvalidValueError('must not be negative');
  if (decimals.length > 2) throw new InvalidValueError('must have at most two decimals');
  if (digits.length > MAX_INTEGER_DIGITS) {
    throw new InvalidValueError(`must have at most ${MAX_INTEGER_DIGITS} digits before the point`);
  }
  return `${digits}.${decimals.padEnd(2, '0')}`;
};

const amountHint = (text: string): string => {
  if (/^\d[\d.]*,\d{1,2}$/.test(text)) return ', with a point before the decimals';
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)) return ', without thousands separators';
  if (/^\d+(\.\d+)?e/i.test(text)) return ', without an exponent';
  return /\d/.test(text) && /[^\d.,\s]/.test(text) ? ', only the number: the currency has its own column' : '';
};

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

export const currency: Parse = (value) => {
  const code = trimmedOf(value).toUpperCase();
  if (!CURRENCIES.has(code)) throw new InvalidValueError('must be a currency code of ISO 4217, such as EUR');
  return code;
};

// PostgreSQL accepts offsets below 16 hours.
const TIMESTAMP =
  /^(?!0000)(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d{1,9})?)?\s*(Z|UTC|[+-](?:0\d|1[0-5])(?::?[0-5]\d)?)?)?$/i;

/** A date and time in ISO 8601. Without an offset it is UTC; a date alone is midnight. */
export const timestamp: Parse = (value) => {
  const [match, date = '', minutes = '00:00', seconds = ':00', offset = 'Z'] = TIMESTAMP.exec(trimmedOf(value)) ?? [];
  if (match === undefined || !isDate(date)) {
    throw new InvalidValueError('must be an ISO 8601 date or time such as 2026-11-20T09:00:00Z');
  }
  // PostgreSQL would round more than six decimals of a second up.
  return `${date} ${minutes}${seconds.slice(0, 10)}${/^(Z|UTC)$/i.test(offset) ? 'Z' : offset}`;
};

/** JavaScript reads 30 February as 2 March. */
const isDate = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
};
