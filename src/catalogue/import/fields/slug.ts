import { Problem, type Value } from '../value.ts';
import { asText, checkText, type Parsed } from './field.ts';

/** A unique index holds it, which takes 2,704 bytes at most: four bytes a character. */
const MAX_CHARACTERS = 250;

/** What identifies a product or a category: any text without blanks. */
export const slug = (value: Value): Parsed => {
  const text = asText(value);
  if (text instanceof Problem) return text;
  const trimmed = text.trim();
  if (trimmed === '' || /[\s\p{Cc}]/u.test(trimmed)) return new Problem('must be a text without blanks');
  if (trimmed.length > MAX_CHARACTERS) return new Problem(`must be at most ${MAX_CHARACTERS} characters`);
  return checkText(trimmed);
};

/** A slug for a name: lower case, letters and digits of any script, no accents. Empty where the name has neither. */
export const slugify = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, MAX_CHARACTERS);
