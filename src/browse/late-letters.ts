/*
 * Letters that Unicode had, or had another form of, after its version 10. Which of them Node and PostgreSQL know depends on their versions, and in PostgreSQL on that of ICU,
 * too: the embedded server's is of 2017. So both are told. In SQL, vitrine_fold (migration 20261128000400_late_letters) has the same: change neither without the
 * other. test/browse/words.test.ts compares them for every character there is.
 */

/** The first letter, how many, what the first one is folded to, and how far from one to the next. */
const RANGES: readonly (readonly [letter: number, count: number, fold: number, step?: number])[] = [
  [0x1c89, 1, 0x1c8a],
  [0x1c90, 43, 0x10d0],
  [0x1cbd, 3, 0x10fd],
  [0x2c2f, 1, 0x2c5f],
  [0xa7b8, 6, 0xa7b9, 2],
  [0xa7c4, 1, 0xa794],
  [0xa7c5, 1, 0x282],
  [0xa7c6, 1, 0x1d8e],
  [0xa7c7, 2, 0xa7c8, 2],
  [0xa7cb, 1, 0x264],
  [0xa7cc, 8, 0xa7cd, 2],
  [0xa7dc, 1, 0x19b],
  [0xa7f1, 1, 0x73],
  [0xa7f5, 1, 0xa7f6],
  [0x10570, 11, 0x10597],
  [0x1057c, 15, 0x105a3],
  [0x1058c, 7, 0x105b3],
  [0x10594, 2, 0x105bb],
  [0x105c9, 1, 0x105d2],
  [0x105e4, 1, 0x105da],
  [0x10d50, 22, 0x10d70],
  [0x16e40, 32, 0x16e60],
  [0x16ea0, 25, 0x16ebb],
  [0x1ccd6, 26, 0x61],
  [0x1ccf0, 10, 0x30],
  [0x1e030, 9, 0x430],
  [0x1e039, 3, 0x43a],
  [0x1e03c, 11, 0x43e],
  [0x1e047, 1, 0x44b],
  [0x1e048, 2, 0x44d],
  [0x1e04a, 1, 0xa689],
  [0x1e04b, 1, 0x4d9],
  [0x1e04c, 1, 0x456],
  [0x1e04d, 1, 0x458],
  [0x1e04e, 1, 0x4e9],
  [0x1e04f, 1, 0x4af],
  [0x1e050, 1, 0x4cf],
  [0x1e051, 9, 0x430],
  [0x1e05a, 2, 0x43a],
  [0x1e05c, 2, 0x43e],
  [0x1e05e, 1, 0x441],
  [0x1e05f, 6, 0x443],
  [0x1e065, 2, 0x44a],
  [0x1e067, 1, 0x491],
  [0x1e068, 1, 0x456],
  [0x1e069, 1, 0x455],
  [0x1e06a, 1, 0x45f],
  [0x1e06b, 1, 0x4ab],
  [0x1e06c, 1, 0xa651],
  [0x1e06d, 1, 0x4b1],
];

const folds = new Map(
  RANGES.flatMap(([letter, count, fold, step = 1]) =>
    Array.from({ length: count }, (_, index): [string, string] => [
      String.fromCodePoint(letter + index * step),
      String.fromCodePoint(fold + index * step),
    ]),
  ),
);

const LETTERS = [...folds.keys()].join('');
const LATE_LETTER = new RegExp(`[${LETTERS}]`, 'gu');

/** A text with the small ones in the place of late letters. */
export const foldLateLetters = (text: string): string =>
  text.replace(LATE_LETTER, (letter) => folds.get(letter) ?? letter);

/** The same of an expression in SQL. Most texts have none, and to look for each letter takes long. */
export const lateLettersFolded = (text: string): string =>
  `case when ${text} collate "C" ~ '[${LETTERS}]' then translate(${text}, '${LETTERS}', '${[...folds.values()].join('')}') else ${text} end`;
