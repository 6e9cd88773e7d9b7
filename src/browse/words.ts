import type { SearchTerm } from './browse-engine.ts';

/*
 * How text becomes words, for products and for searches alike. In SQL, the migration `words` says the same (vitrine_fold, with a list of the letters
 * that Node knows and an older ICU does not, vitrine_split, vitrine_search): change neither without the other. test/browse/words.test.ts compares
 * them.
 */

/** A word of a text, or a piece of a run of Chinese, Japanese or Korean: two characters, and the last one alone. */
export interface Word {
  readonly text: string;
  /** Where it stands in the original text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** How many characters of a description are searched: no text is then too long for PostgreSQL's `tsvector`. */
export const SEARCHED_DESCRIPTION = 20_000;

/** Of every other field, the tags of a product taken together. */
export const SEARCHED_FIELD = 2000;

/** Longer words are cut: a lexeme may have 2 kB. */
const MAX_WORD = 64;

// Accents, and characters that are not seen: soft hyphens, joiners and marks of direction.
const IGNORED_CHARACTERS =
  '\\u00ad\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u20d0-\\u20ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufeff';
const IGNORED = new RegExp(`[${IGNORED_CHARACTERS}]`, 'gu');

const REPLACED = /[ßæœøłđðþħıς]/g;
const REPLACEMENTS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
};

// What stands between words, listed rather than asked of a version of Unicode, so that JavaScript and PostgreSQL agree.
const SEPARATORS =
  '\\u0000-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf\\u00d7\\u00f7\\u02c2-\\u02c5\\u02d2-\\u02df\\u037e\\u0387\\u055a-\\u055f\\u0589\\u058a\\u05be\\u05c0\\u05c3\\u05c6\\u05f3\\u05f4\\u0600-\\u060f\\u061b-\\u061f\\u066a-\\u066d\\u06d4\\u0964\\u0965\\u0970\\u0e3f\\u0e4f\\u0e5a\\u0e5b\\u0f04-\\u0f14\\u104a-\\u104f\\u10fb\\u1360-\\u1368\\u1680\\u17d4-\\u17d6\\u17d8-\\u17db\\u2000-\\u206f\\u20a0-\\u20cf\\u2100-\\u2101\\u2103-\\u2106\\u2108\\u2109\\u2114\\u2116-\\u2118\\u211e-\\u2123\\u2190-\\u2bff\\u2e00-\\u2e7f\\u2ff0-\\u3004\\u3008-\\u3020\\u3030\\u3036\\u3037\\u303d-\\u303f\\u309b\\u309c\\u30a0\\u30fb\\ufe10-\\ufe1f\\ufe30-\\ufe6f\\uff00-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65\\uffe0-\\uffff\\ue000-\\uf8ff\\u{1f000}-\\u{1faff}\\u{e0000}-\\u{10ffff}';
const NOT_SEPARATORS = new RegExp(`[^${SEPARATORS}]+`, 'gu');

const CJK =
  '\\u1100-\\u11ff\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u302f\\u3031-\\u3035\\u3038-\\u303c\\u3040-\\u309a\\u309d-\\u309f\\u30a1-\\u30fa\\u30fc-\\u31ef\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\u{1b000}-\\u{1b2ff}\\u{20000}-\\u{3ffff}';
const RUN_OR_WORD = new RegExp(`[${CJK}]+|[^${CJK}]+`, 'gu');
const BEGINS_RUN = new RegExp(`^[${CJK}]`, 'u');

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Without the last step, which composes what is left of what the first took apart: Korean syllables, Japanese voicing. */
const decompose = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(IGNORED, '')
    .replace(REPLACED, (letter) => REPLACEMENTS[letter] ?? letter);

/** A text without case, accents and differences of width: `Größe` and `GROSSE` become `grosse`. */
export const fold = (text: string): string => (isAscii(text) ? text.toLowerCase() : decompose(text).normalize('NFC'));

/** The first characters of a text; no character is cut in two. */
const cut = (text: string, maxCharacters: number): string =>
  text.length <= maxCharacters ? text : [...text.slice(0, maxCharacters * 2)].slice(0, maxCharacters).join('');

/** How many characters of a code count: as many as a search may have. */
const MAX_CODE = 200;

/**
 * What two codes (sku, barcode) are compared by. In SQL, `codeOf` of text.sql.ts says the same; where {@link fold} changes, a migration rebuilds its
 * indexes.
 */
export const foldCode = (code: string): string => cut(fold(code), MAX_CODE);

/** The words and runs of a folded text, with their place in it. */
const splitFolded = function* (folded: string): Generator<{ readonly text: string; readonly index: number }> {
  for (const { 0: part, index } of folded.matchAll(NOT_SEPARATORS)) {
    if (isAscii(part)) yield { text: part, index };
    else for (const inner of part.matchAll(RUN_OR_WORD)) yield { text: inner[0], index: index + inner.index };
  }
};

/** The words of a text, folded, with runs of Chinese, Japanese and Korean as their pieces. @param maxCharacters what follows is not read */
export const foldedWordsOf = (text: string, maxCharacters: number): string[] =>
  [...splitFolded(fold(cut(text, maxCharacters)))].flatMap(({ text: word }) =>
    BEGINS_RUN.test(word) ? piecesOfRun(word).map((piece) => piece.text) : [cut(word, MAX_WORD)],
  );

/** The words of a name, a brand or a tag, with a space before and after each. */
export const foldText = (text: string): string => ` ${foldedWordsOf(text, SEARCHED_FIELD).join(' ')} `;

const piecesOfRun = (run: string): { readonly text: string; readonly offset: number }[] => {
  let offset = 0;
  return [...run].map((character, index, characters) => {
    const piece = { text: character + (characters[index + 1] ?? ''), offset };
    offset += character.length;
    return piece;
  });
};

// What `normalize` may compose: syllables of Korean, vowels of Kirat Rai, and a character with its marks.
const COMPOSED = /[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\u{16d63}\u{16d67}]\u{16d67}+|\P{M}?\p{M}+|\P{M}/gu;

interface Folded {
  readonly folded: string;
  /** Where the character in the text begins that a UTF-16 unit of `folded` comes from. */
  readonly startOf: (index: number) => number;
  readonly endOf: (index: number) => number;
}

const foldWithOffsets = (text: string): Folded => {
  if (isAscii(text)) return { folded: text.toLowerCase(), startOf: (index) => index, endOf: (index) => index + 1 };
  const parts = new Map<string, string>();
  let decomposed = '';
  const from: number[] = [];
  const to: number[] = [];
  let at = 0;
  for (const character of text) {
    const end = at + character.length;
    const part = parts.get(character) ?? decompose(character);
    parts.set(character, part);
    // An accent in a character of its own belongs to the one before it.
    if (part === '' && to.at(-1) === at) to[to.length - 1] = end;
    decomposed += part;
    for (let index = 0; index < part.length; index += 1) {
      from.push(at);
      to.push(end);
    }
    at = end;
  }
  let folded = '';
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { 0: unit, index } of decomposed.matchAll(COMPOSED)) {
    const composed = unit.length === 1 ? unit : unit.normalize('NFC');
    folded += composed;
    for (let each = 0; each < composed.length; each += 1) {
      starts.push(from[index] ?? 0);
      ends.push(to[index + unit.length - 1] ?? text.length);
    }
  }
  return { folded, startOf: (index) => starts[index] ?? text.length, endOf: (index) => ends[index] ?? text.length };
};

/** The same words as {@link foldedWordsOf}, with their places in the text. */
export const wordsOf = (text: string, maxCharacters: number): Word[] => {
  const { folded, startOf, endOf } = foldWithOffsets(cut(text, maxCharacters));
  const words: Word[] = [];
  const add = (word: string, index: number, length: number): void => {
    words.push({ text: word, start: startOf(index), end: endOf(index + length - 1) });
  };
  for (const { text: word, index } of splitFolded(folded)) {
    if (!BEGINS_RUN.test(word)) add(cut(word, MAX_WORD), index, word.length);
    else for (const { text: piece, offset } of piecesOfRun(word)) add(piece, index + offset, piece.length);
  }
  return words;
};

export type PlacedTerm = SearchTerm & Word;

/** The last is a beginning, a run is one word, and a single character of a run is a beginning wherever it stands. */
export const termsOf = (search: string): PlacedTerm[] => {
  const { folded, startOf, endOf } = foldWithOffsets(search);
  const words = [...splitFolded(folded)];
  return words.map(({ text, index }, place) => ({
    text: BEGINS_RUN.test(text) ? text : cut(text, MAX_WORD),
    isPrefix: place === words.length - 1 || (BEGINS_RUN.test(text) && [...text].length === 1),
    start: startOf(index),
    end: endOf(index + text.length - 1),
  }));
};

/** What a product must have for a term: one word, or the pairs of a run, which follow each other, whole ones. */
export const piecesOfTerm = ({ text }: Pick<SearchTerm, 'text'>): string[] => {
  if (!BEGINS_RUN.test(text)) return [text];
  const pieces = piecesOfRun(text).map((piece) => piece.text);
  return pieces.length === 1 ? pieces : pieces.slice(0, -1);
};

// A tag begins with a letter: "3 < 4" is none.
const TAG = /<\/?[a-zA-Z!][^<>]*>/g;
const ENTITY = /&(#?[a-zA-Z0-9]{1,31});/g;

/** The part of a description that is searched, without HTML. @param ofEntity what stands for `amp` of `&amp;`; by default a space */
export const searchedDescription = (description: string, ofEntity = (_: string): string => ' '): string =>
  cut(description, SEARCHED_DESCRIPTION)
    .replace(TAG, ' ')
    .replace(ENTITY, (_, name: string) => ofEntity(name));
