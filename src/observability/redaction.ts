/** Takes secrets out of a text. */
export type Scrub = (text: string) => string;

const HIDDEN = '[secret]';

/** Shorter ones are words that occur by chance, and guessed rather than read in a log. */
const MIN_SECRET_CHARS = 8;

// What is secret by its form, whoever wrote it: the password in a URL, the credentials of a header, a JSON Web Token. Most lines hold no
// mark of any, and to look for marks costs a tenth of what the patterns cost.
const FORMS: readonly { readonly mark: string; readonly pattern: RegExp }[] = [
  { mark: '://', pattern: /(?<=:\/\/[^\s/:@"'\\]*:)[^\s"'\\]+(?=@)/g },
  { mark: 'earer', pattern: /(?<=\b[Bb]earer\s)\s*[\w.~+/-]{16,}=*/g },
  { mark: 'asic', pattern: /(?<=\b[Bb]asic\s)\s*[\w.~+/-]{16,}=*/g },
  { mark: 'eyJ', pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g },
];

/** @param secrets texts that are hidden wherever they stand, as they are and as they are written in JSON and in a URL */
export const createScrub = (secrets: readonly string[] = []): Scrub => {
  const spellings = secrets
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  const known = [...new Set(spellings)];
  return (text) => {
    let clean = text;
    for (const secret of known) if (clean.includes(secret)) clean = clean.replaceAll(secret, HIDDEN);
    for (const { mark, pattern } of FORMS) if (clean.includes(mark)) clean = clean.replace(pattern, HIDDEN);
    return clean;
  };
};

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
