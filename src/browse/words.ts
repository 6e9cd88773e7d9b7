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

const CJK =
  '\\u1100-\\u11ff\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u302f\\u3031-\\u3035\\u3038-\\u303c\\u3040-\\u309a\\u309d-\\u309f\\u30a1-\\u30fa\\u30fc-\\u31ef\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\u{1b000}-\\u{1b2ff}\\u{20000}-\\u{3ffff}';
const RUN_OR_WORD = new RegExp(`[${CJK}]+|[^${CJK}${SEPARATORS}]+`, 'gu');
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

/** A word of a folded text, or a piece of a run, with its place in it. */
interface FoldedWord {
  readonly text: string;
  readonly index: number;
  /** As it stands there, where the text may be cut. */
  readonly length: number;
}

const wordsOfFolded = (folded: string): FoldedWord[] =>
  [...folded.matchAll(RUN_OR_WORD)].flatMap(({ 0: text, index }) =>
    BEGINS_RUN.test(text) ? piecesOfRun(text, index) : { text: cut(text, MAX_WORD), index, length: text.length },
  );

/** The words of a text, folded, with runs of Chinese, Japanese and Korean as their pieces. @param maxCharacters what follows is not read */
export const foldedWordsOf = (text: string, maxCharacters: number): string[] =>
  wordsOfFolded(fold(cut(text, maxCharacters))).map((word) => word.text);

/** The words of a name, a brand or a tag, with a space before and after each. */
export const foldText = (text: string): string => ` ${foldedWordsOf(text, SEARCHED_FIELD).join(' ')} `;

const piecesOfRun = (run: string, begin = 0): FoldedWord[] => {
  let index = begin;
  return [...run].map((character, place, characters) => {
    const text = character + (characters[place + 1] ?? '');
    const piece = { text, index, length: text.length };
    index += character.length;
    return piece;
  });
};

// What `normalize` may compose: syllables of Korean, vowels of Kirat Rai, and a character with its marks.
const COMPOSED = /[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\u{16d63}\u{16d67}]\u{16d67}+|\P{M}?\p{M}+|\P{M}/gu;

interface Folded {
  readonly folded: string;
  /** Where a part of it stands in the text. */
  readonly placeOf: (index: number, length: number) => Omit<Word, 'text'>;
}

const foldWithOffsets = (text: string): Folded => {
  if (isAscii(text))
    return { folded: text.toLowerCase(), placeOf: (index, length) => ({ start: index, end: index + length }) };
  const parts = new Map<string, string>();
  let decomposed = '';
  // Where the character begins that a UTF-16 unit comes from: of what is decomposed, and of what is composed again.
  const from: number[] = [];
  const starts: number[] = [];
  let at = 0;
  for (const character of text) {
    const part = parts.get(character) ?? decompose(character);
    parts.set(character, part);
    decomposed += part;
    for (let each = 0; each < part.length; each += 1) from.push(at);
    at += character.length;
  }
  let folded = '';
  for (const { 0: unit, index } of decomposed.matchAll(COMPOSED)) {
    const composed = unit.length === 1 ? unit : unit.normalize('NFC');
    folded += composed;
    for (let each = 0; each < composed.length; each += 1) starts.push(from[index] as number);
  }
  const placeOf: Folded['placeOf'] = (index, length) => {
    // An accent in a character of its own belongs to the one before it.
    let next = index + length;
    while (next < starts.length && starts[next] === starts[next - 1]) next += 1;
    return { start: starts[index] as number, end: starts[next] ?? text.length };
  };
  return { folded, placeOf };
};

/** The same words as {@link foldedWordsOf}, with their places in the text. */
export const wordsOf = (text: string, maxCharacters: number): Word[] => {
  const { folded, placeOf } = foldWithOffsets(cut(text, maxCharacters));
  return wordsOfFolded(folded).map((word) => ({ text: word.text, ...placeOf(word.index, word.length) }));
};

export type PlacedTerm = SearchTerm & Word;

/** A run is one word. The last is a beginning, unless it is a run; a run of one character is one wherever it stands. */
export const termsOf = (search: string): PlacedTerm[] => {
  const { folded, placeOf } = foldWithOffsets(search);
  return [...folded.matchAll(RUN_OR_WORD)].map(({ 0: text, index }, at, { length }) => {
    const isRun = BEGINS_RUN.test(text);
    const isPrefix = isRun ? [...text].length === 1 : at === length - 1;
    return { text: isRun ? text : cut(text, MAX_WORD), isPrefix, ...placeOf(index, text.length) };
  });
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
