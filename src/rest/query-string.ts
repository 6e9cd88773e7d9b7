import { AppError } from '../errors.ts';

/** @throws AppError BAD_USER_INPUT for a broken percent encoding, or one that is not UTF-8 */
export const percentDecode = (text: string): string => {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AppError('BAD_USER_INPUT', 'The request target has a percent encoding that is not valid UTF-8.');
  }
};

const NO_FIELDS: ReadonlyMap<string, string[]> = new Map();

/**
 * The fields of a query string, each with its values in order; a field without "=" has the empty value.
 * https://url.spec.whatwg.org/#urlencoded-parsing, but a broken encoding is an error, not a replacement character.
 * @throws AppError BAD_USER_INPUT
 */
export const parseQueryString = (query: string): ReadonlyMap<string, string[]> => {
  if (query === '') return NO_FIELDS;
  const fields = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    const mark = pair.indexOf('=');
    const [name, value] = mark < 0 ? [pair, ''] : [pair.slice(0, mark), pair.slice(mark + 1)];
    const key = decode(name);
    const values = fields.get(key);
    if (values) values.push(decode(value));
    else fields.set(key, [decode(value)]);
  }
  return fields;
};

const decode = (text: string): string => percentDecode(text.replaceAll('+', ' '));
