/** Takes secrets out of a text. */
export type Scrub = (text: string) => string;

const HIDDEN = '[secret]';

/** Shorter ones are words that occur by chance, and guessed rather than read in a log. */
const MIN_SECRET_CHARS = 8;

// What is secret by its form, whoever wrote it: the password in a URL, the credentials of a header, a JSON Web Token.
const FORMS = [
  String.raw`(?<=:\/\/[^\s\/:@"'\\]*:)[^\s"'\\]+(?=@)`,
  String.raw`(?<=\b(?:bearer|basic)\s)\s*[\w.~+\/-]{16,}=*`,
  String.raw`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`,
];

/** @param secrets texts that are hidden wherever they stand, as they are and as they are written in JSON and in a URL */
export const createScrub = (secrets: readonly string[] = []): Scrub => {
  const spellings = secrets
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  const known = [...new Set(spellings)].map((spelling) => RegExp.escape(spelling));
  const pattern = new RegExp([...known, ...FORMS].join('|'), 'gi');
  return (text) => text.replace(pattern, HIDDEN);
};
