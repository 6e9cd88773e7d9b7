import { isObject, Problem, type Value } from './record.ts';

/** What a table is given of a field: text in PostgreSQL's own notation, null, or why not. */
export type Parsed = string | null | Problem;

export interface Field {
  /** Of the staging table; the same in the catalogue's own, but for references. */
  readonly column: string;
  readonly type: string;
  /** Gets a value that is neither null nor empty. */
  readonly parse: (value: Value) => Parsed;
  /** Whether an empty value means none, rather than the default. */
  readonly isNullable?: boolean;
  /** Whether a new row cannot do without. */
  readonly isRequired?: boolean;
  /** Whether rows that are there already keep theirs. */
  readonly isInsertOnly?: boolean;
}

/** The fields of a table by the names that formats give them. */
export type Fields = Readonly<Record<string, Field>>;

const asText = (value: Value): string | Problem => (typeof value === 'string' ? value : new Problem('must be a text'));

/** A text without what PostgreSQL and UTF-8 cannot hold. */
export const checkText = (text: string): string | Problem => {
  if (text.includes('\0')) return new Problem('holds a NUL character');
  return text.isWellFormed() ? text : new Problem('holds half of a surrogate pair');
};

/** Any text, with its blanks and lines. */
export const longText = (value: Value): Parsed => {
  const text = asText(value);
  return text instanceof Problem ? text : checkText(text);
};

/** Without blanks around it. An index holds it, which takes 2,704 bytes at most. */
export const shortText =
  (maxCharacters: number) =>
  (value: Value): Parsed => {
    const text = asText(value);
    if (text instanceof Problem) return text;
    const line = text.trim();
    if (line.length > maxCharacters)
      return new Problem(`must be at most ${maxCharacters} characters, and has ${line.length}`);
    return checkText(line);
  };

export const integer =
  (min: number, max: number) =>
  (value: Value): Parsed => {
    const text = typeof value === 'string' ? value.trim() : '';
    const isInteger = /^[+-]?\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max;
    return isInteger ? String(Number(text)) : new Problem(`must be a whole number from ${min} to ${max}`);
  };

export const INT32_MAX = 2 ** 31 - 1;

export const boolean = (value: Value): Parsed => {
  if (typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (['true', 'yes', 'on', '1'].includes(text)) return 'true';
  return ['false', 'no', 'off', '0'].includes(text) ? 'false' : new Problem('must be true or false');
};

export const oneOf =
  (...names: string[]) =>
  (value: Value): Parsed => {
    const name =
      typeof value === 'string'
        ? value
            .trim()
            .toUpperCase()
            .replaceAll(/[\s-]+/g, '_')
        : '';
    return names.includes(name) ? name : new Problem(`must be one of ${names.join(', ')}`);
  };

/** A list of texts: a JSON array, or a text that a pattern separates. */
export const textList =
  (separatorOf: (text: string) => RegExp) =>
  (value: Value): Parsed => {
    const items = Array.isArray(value)
      ? value
      : typeof value === 'string'
        ? value.split(separatorOf(value))
        : undefined;
    if (!items) return new Problem('must be a list of texts');
    const texts: string[] = [];
    for (const item of items) {
      const text = longText(item);
      if (text instanceof Problem) return text;
      const trimmed = text?.trim();
      if (trimmed && !texts.includes(trimmed)) texts.push(trimmed);
    }
    return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
  };

const MAX_WHOLE_DIGITS = 12;

/** An amount of money in exact decimals, as numeric(14,2) holds it. Never a float, never rounded. */
export const amount = (value: Value): Parsed => {
  const text = typeof value === 'string' ? value.trim() : '';
  const [, sign, whole = '', fraction = ''] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') return new Problem(`must be an amount such as 19.90${reasonOf(text)}`);
  const digits = whole.replace(/^0+(?=\d)/, '');
  const cents = fraction.replace(/0+$/, '');
  if (sign === '-' && Number(digits + cents) !== 0) return new Problem('must not be negative');
  if (cents.length > 2) return new Problem('must have at most two decimals');
  if (digits.length > MAX_WHOLE_DIGITS) {
    return new Problem(`must have at most ${MAX_WHOLE_DIGITS} digits before the point`);
  }
  return `${digits}.${cents.padEnd(2, '0')}`;
};

const reasonOf = (text: string): string => {
  if (/^\d[\d.]*,\d{1,2}$/.test(text)) return ', with a point before the decimals';
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)) return ', without separators of thousands';
  if (/^\d+(\.\d+)?e/i.test(text)) return ', without an exponent';
  return /\d/.test(text) && /[^\d.,\s]/.test(text) ? ', a number alone: the currency has a column of its own' : '';
};

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

/** A code of ISO 4217. */
export const currency = (value: Value): Parsed => {
  const code = typeof value === 'string' ? value.trim().toUpperCase() : '';
  return CURRENCIES.has(code) ? code : new Problem('must be a currency code of ISO 4217, such as EUR');
};

const MOMENT = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** A moment in ISO 8601; without an offset it is UTC, and a date alone is its midnight. */
export const moment = (value: Value): Parsed => {
  const text = typeof value === 'string' ? value.trim() : '';
  const [match, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] =
    MOMENT.exec(text) ?? [];
  const isClockTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  if (!match || !isClockTime || !isDate(Number(year), Number(month), Number(day)) || !isOffset(offset)) {
    return new Problem('must be a date or a moment of ISO 8601, such as 2026-11-20T09:00:00Z');
  }
  const zone = /^(Z|UTC)$/i.test(offset) ? 'Z' : offset;
  return `${year}-${month}-${day} ${hour}:${minute}:${second}${fraction.slice(0, 7)}${zone}`;
};

const isDate = (year: number, month: number, day: number): boolean => {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31);
};

/** PostgreSQL takes offsets below 16 hours. */
const isOffset = (offset: string): boolean => {
  const [, hours = '0', minutes = '0'] = /^[+-](\d\d):?(\d\d)?$/.exec(offset) ?? [];
  return Number(hours) < 16 && Number(minutes) < 60;
};

/** A unique index holds it, which takes 2,704 bytes at most: four bytes a character. */
const MAX_CHARACTERS = 250;

/** What identifies a product or a category: any text without blanks. */
const slug = (value: Value): Parsed => {
  const text = asText(value);
  if (text instanceof Problem) return text;
  const trimmed = text.trim();
  if (trimmed === '' || /[\s\p{Cc}]/u.test(trimmed)) return new Problem('must be a text without blanks');
  if (trimmed.length > MAX_CHARACTERS) return new Problem(`must be at most ${MAX_CHARACTERS} characters`);
  return checkText(trimmed);
};

/** What a number is added to where it is taken: room is left for it. */
export const slugOfName = (name: string): string => withoutHalf(slugify(name).slice(0, MAX_CHARACTERS - 10));

/** For formats whose things have names and keys: the key stays whole, however long the name is. */
export const slugWithKey = (name: string, key: string): string => {
  const end = slugify(key);
  return [withoutHalf(slugify(name).slice(0, Math.max(0, MAX_CHARACTERS - 1 - end.length))), end]
    .filter(Boolean)
    .join('-');
};

/** Without half a surrogate pair, or a dash, that a cut leaves at the end. */
const withoutHalf = (slug: string): string => slug.replace(/[\ud800-\udbff]$/, '').replace(/-$/, '');

/** A slug for a name: lower case, letters and digits of any script, no accents. Empty where the name has neither. */
export const slugify = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, MAX_CHARACTERS);

/**
 * A step on the way from a root to a category. Without a name, the category must be there already, or in the same file.
 * `isByName`: the step means the category of this name at this place, and the slug is only what a new one would like to have.
 */
export type CategoryStep = readonly [slug: string, name: string | null, isByName?: true];

const MAX_DEPTH = 20;

/**
 * A way to a category: names with `>` between (`Kitchen > Pans`, a text or a list), or `{ "slug": "pans", "name": "Pans" }`, or a list of such.
 * A new category's slug is made of the names up to it: `kitchen-pans`, or `kitchen-pans-2` where that is another category's.
 */
const categoryPath = (value: Value): Parsed => {
  const parts = typeof value === 'string' ? value.split('>') : Array.isArray(value) ? value : [value];
  const path: CategoryStep[] = [];
  const names: string[] = [];
  for (const part of parts) {
    const step = isObject(part) ? namedStep(part) : toStep(part, names);
    if (step instanceof Problem) return step;
    path.push(step);
  }
  if (path.length === 0 || path.length > MAX_DEPTH) return new Problem(`must have 1 to ${MAX_DEPTH} steps`);
  return JSON.stringify(path);
};

/** A field of the stage that stands for two of a file: the path of names, and the slug alone. */
export const eitherCategory = (value: Value): Parsed =>
  isObject(value) && Object.keys(value).length === 1 && 'slug' in value
    ? categorySlug(value.slug ?? '')
    : categoryPath(value);

/** A category that must be there already, or in the same file. */
const categorySlug = (value: Value): Parsed => {
  const parsed = slug(value);
  return typeof parsed === 'string' ? JSON.stringify([[parsed, null]]) : parsed;
};

const namedStep = (part: { readonly [key: string]: Value }): CategoryStep | Problem => {
  const parsed = slug(part.slug ?? '');
  if (parsed instanceof Problem) return parsed;
  return [parsed ?? '', typeof part.name === 'string' && part.name.trim() ? part.name.trim() : null];
};

const toStep = (part: Value, names: string[]): CategoryStep | Problem => {
  const text = longText(part);
  if (text instanceof Problem) return text;
  const name = text?.trim() ?? '';
  if (slugify(name) === '') return new Problem('must be names of categories, with > between');
  names.push(name);
  return [slugOfName(names.join('-')), name, true];
};

export const nullable = { isNullable: true };
export const required = { isRequired: true };

export const field = (column: string, type: string, parse: Field['parse'], options: Partial<Field> = {}): Field => ({
  column,
  type,
  parse,
  ...options,
});

// Of several kinds.
export const NAME = field('name', 'text', shortText(500), required);
export const SLUG = field('slug', 'text', slug, required);
export const CREATED_AT = field('created_at', 'timestamptz', moment, { isInsertOnly: true });
export const UPDATED_AT = field('updated_at', 'timestamptz', moment);
