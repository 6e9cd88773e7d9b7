import type { Value } from '../record.ts';
import { parseJson } from '../source/json.ts';
import { InvalidValueError, longText, type Parse, type ReadOptions } from './values.ts';

/** `["a"]`, `[{"name": "a"}]` or `{"name": "a"}`, which exports write into the cell of a CSV. `[NEW] Mug` and `[1984]` are texts. */
const JSON_START = /^\s*(?:\[\s*(?:["[{]|\]\s*$)|\{\s*")/;

/** A list as Python prints it. */
const PYTHON_LIST = /^\s*\[\s*'.*'\s*\]\s*$/s;

/** Whether a text is a list or an object in the notation of another program. */
export const looksLikeList = (text: string): boolean => PYTHON_LIST.test(text) || jsonIn(text) !== undefined;

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

/** What separates the items of a text. */
type SeparatorOf = (text: string, options: ReadOptions) => RegExp | string;

/** The items of a list: a JSON list, also in a text, or one text that a separator splits. @throws InvalidValueError */
export const itemsOf = (value: Value, options: ReadOptions, separatorOf: SeparatorOf): readonly string[] => {
  const list = unpacked(value);
  const items = typeof list === 'string' ? list.split(separatorOf(list, options)) : list;
  if (!Array.isArray(items)) throw new InvalidValueError('must be a list of texts');
  return [...new Set(items.map((item) => longText(item).trim()).filter(Boolean))];
};

/** A list of texts in PostgreSQL's notation. */
export const toArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;

/** A list of texts, without blank or repeated ones. */
export const textList =
  (separatorOf: SeparatorOf): Parse =>
  (value, options = {}) =>
    toArray(itemsOf(value, options, separatorOf));
