import { Problem, type Value } from '../value.ts';

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

export const asText = (value: Value): string | Problem =>
  typeof value === 'string' ? value : new Problem('must be a text');

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
