import type { ReadOptions } from '../options.ts';
import { isObject, parseJson, textIn, type Value } from '../record.ts';

/** Why a value cannot be stored, as the end of a sentence that begins with its column. */
export class InvalidValueError extends Error {
  override readonly name = 'InvalidValueError';
}

/** Why a part of a value cannot be stored, which files may have in a column of its own, as `name:de`. */
export class InvalidPartError extends InvalidValueError {
  readonly part: string;
  readonly value: Value;

  constructor(part: string, value: Value, reason: string) {
    super(reason);
    this.part = part;
    this.value = value;
  }
}

/** Reads a value that is not blank. Returns what JSON has for a value of the column, often its text. @throws InvalidValueError */
export type Parse<Stored = unknown> = (value: Value, options?: ReadOptions) => Stored;

/** The only item of a list, or member of an object, as `<brand><name>Acme</name></brand>` has one; any other value as it is. */
export const onlyIn = (value: Value): Value => {
  const items = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return items.length === 1 ? (items[0] as Value) : value;
};

/** A value that stands for one text. @throws InvalidValueError for a list, which would be stored with its brackets */
export const textOf = (value: Value): string => {
  const text = textIn(onlyIn(value));
  if (text === undefined) throw new InvalidValueError('must be a text');
  if (looksLikeList(text)) throw new InvalidValueError('must be one text, but is a list');
  return text;
};

/** The text of a value without white space around it, also of a boolean; empty if there is none. */
export const trimmedOf = (value: Value | undefined): string => {
  const only = value === undefined ? '' : onlyIn(value);
  return (typeof only === 'boolean' ? String(only) : (textIn(only) ?? '')).trim();
};

/** The same in lower case. */
export const wordIn = (value: Value): string => trimmedOf(value).toLowerCase();

/** The text itself. @throws InvalidValueError if it holds what PostgreSQL or UTF-8 cannot store */
export const assertStorable = (text: string): string => {
  if (text.includes('\0')) throw new InvalidValueError('must not contain a NUL character');
  if (!text.isWellFormed()) throw new InvalidValueError('must not contain half of a surrogate pair');
  return text;
};

/** `["a"]`, `[{"name": "a"}]` or `{"name": "a"}`, which exports write into the cell of a CSV. `[NEW] Mug` and `[1984]` are texts. */
const JSON_START = /^\s*(?:\[\s*(?:["[{]|\]\s*$)|\{\s*")/;

/** A list as Python prints it. */
const PYTHON_LIST = /^\s*\[\s*'.*'\s*\]\s*$/s;

/** Whether a text is a list or an object in the notation of another program. */
const looksLikeList = (text: string): boolean => PYTHON_LIST.test(text) || jsonIn(text) !== undefined;

/**
 * The value with a JSON list or object in a text read; any other value as it is.
 * @throws InvalidValueError for a list in another notation, which would be split at the wrong places
 */
export const unpacked = (value: Value): Value => {
  if (typeof value !== 'string') return value;
  if (PYTHON_LIST.test(value)) throw new InvalidValueError('is a list that is no JSON: write it as ["a", "b"]');
  return jsonIn(value) ?? value;
};

/** The JSON list or object that a text is; undefined if it is none. */
export const jsonIn = (text: string): Value | undefined => {
  if (!JSON_START.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};
