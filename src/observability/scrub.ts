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
