// C0 and C1 control characters, line and paragraph separators, and what turns the direction of writing around:
// a terminal obeys them, and a reader takes a line that they break for two.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const BEYOND_JSON = /[\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text in which every control character can be seen and none does anything. */
export const visible = (text: string): string => text.replace(CONTROL, toEscape);

/** The same, in lines. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');

/** The same for a text in JSON, which has escaped most of them itself. */
export const visibleJson = (json: string): string => json.replace(BEYOND_JSON, toEscape);

/** At most so many characters of a text, and how many are left out. */
export const shortened = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars)}… (${text.length - maxChars} more)` : text;
