/** Replaces the secrets in a text. */
export type Scrub = (text: string) => string;

const HIDDEN = '[secret]';

/** Shorter secrets are not replaced: they occur in texts by chance, and are easier to guess than to find in a log. */
const MIN_SECRET_CHARS = 8;

// Secrets by form: the password in a URL, the credentials of a header, a JSON Web Token. The quick test for their marks costs a tenth of
// the patterns, and most lines have none.
const FORMS: readonly { readonly mark: string; readonly pattern: RegExp }[] = [
  { mark: '://', pattern: /(?<=:\/\/[^\s/:@"'\\]*:)[^\s"'\\]+(?=@)/g },
  { mark: 'earer', pattern: /(?<=\b[Bb]earer\s)\s*[\w.~+/-]{16,}=*/g },
  { mark: 'asic', pattern: /(?<=\b[Bb]asic\s)\s*[\w.~+/-]{16,}=*/g },
  { mark: 'eyJ', pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g },
];

/** @param secrets texts to replace everywhere, also in their JSON and URL spellings */
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

// C0 and C1 control characters, line and paragraph separators, and marks of text direction:
// they act on a terminal, and can make one line look like two.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is about control characters
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const BEYOND_JSON = /[\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text with every control character escaped. */
export const visible = (text: string): string => text.replace(CONTROL, toEscape);

/** The same, but line feeds stay. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');

/** The same for JSON, which has escaped most of them already. */
export const visibleJson = (json: string): string => json.replace(BEYOND_JSON, toEscape);

/** The first `max` characters of a text, and how many were cut. */
export const shortened = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars)}… (${text.length - maxChars} more)` : text;
