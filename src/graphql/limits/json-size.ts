import { readable, tooComplex } from './query-limits.ts';

const MAX_NESTING = 64;
const MAX_PARTS = 10_000;

/** A shorter text takes the parser a few milliseconds at most; 1 MiB of brackets takes more than a hundred. */
const MIN_CHARS = 65_536;

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const OPEN_BRACKET = '['.charCodeAt(0);
const CLOSE_BRACKET = ']'.charCodeAt(0);
const OPEN_BRACE = '{'.charCodeAt(0);
const CLOSE_BRACE = '}'.charCodeAt(0);

/**
 * Checks a long JSON text before it is parsed: deeply nested values and many small objects take the parser far longer than long lists and
 * strings do.
 * @throws AppError QUERY_TOO_COMPLEX
 */
export const checkJson = (text: string): void => {
  if (text.length < MIN_CHARS) return;
  let nesting = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === COLON) parts += 1;
    else if (char === OPEN_BRACKET || char === OPEN_BRACE) {
      parts += 1;
      nesting += 1;
      if (nesting > MAX_NESTING) throw excess('nests values', 'deep', MAX_NESTING, nesting);
    } else if (char === CLOSE_BRACKET || char === CLOSE_BRACE) nesting -= 1;
    if (parts > MAX_PARTS) throw excess('is made of', 'lists, objects and keys', MAX_PARTS, parts);
  }
};

const excess = (what: string, unit: string, maximum: number, actual: number) =>
  tooComplex(`The JSON of the request ${what} more than ${readable(maximum)} ${unit}.`, {
    limit: 'JSON',
    maximum,
    actual,
  });

/** Where a JSON string ends whose first quote is here: its other quote, or the end of the text or behind. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
};
