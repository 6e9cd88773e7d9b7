import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold, foldedWordsOf, piecesOfTerm, termsOf, wordsOf } from '../../src/browse/words.ts';
import { createTestDatabase } from '../support/database.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());

const MAX = 20_000;

/** The words that PostgreSQL finds in each text, in their order. */
const wordsInSql = async (texts: readonly string[]): Promise<string[][]> => {
  const rows = await database.sql<{ words: string[] }>(
    `select array(
       select lexeme from unnest(vitrine_vector(text, $2)) as word(lexeme, positions, weights), unnest(positions) as place
       order by place
     ) as words
     from unnest($1::text[]) with ordinality as t(text, n) order by n`,
    [texts, MAX],
  );
  return rows.map(({ words }) => words);
};

describe('words', () => {
  test.each([
    ['Größe GROSSE', 'grosse grosse'],
    ['Crème brûlée, L’Oréal', 'creme brulee l oreal'],
    ['ŁÓDŹ, Ærø, Þór, İzmir, ΣΊΣΥΦΟΣ', 'lodz aero thor izmir σισυφοσ'],
    ['3.5mm USB-C (x2)', '3 5mm usb c x2'],
    ['7E2B, M8x40; 1.5e3 12e34abc 7e2', '7e2b m8x40 1 5e3 12e34abc 7e2'],
    ['７Ｅ２Ｂ 7é2b', '7e2b 7e2b'],
    ['ＡＢＣ ½ ﬁne', 'abc 1⁄2 fine'],
    ['茶壶盖 pot', '茶壶 壶盖 盖 pot'],
    ['pot茶', 'pot 茶'],
    ['ｶﾞﾗｽ', 'ガラ ラス ス'],
    ['한국어', '한국 국어 어'],
    ['हिन्दी', 'हिन्दी'],
    ['ᲥᲝᲗᲐᲜᲘ', 'ქოთანი'],
    ['soft\u00adhyphen', 'softhyphen'],
    ['ᚑᚌᚐᚋ\u1680ᚉᚑᚂᚂ', 'ᚑᚌᚐᚋ ᚉᚑᚂᚂ'],
    ['', ''],
    [' \t\n!?', ''],
  ])('of %j are %j', async (text, expected) => {
    const words = expected.replace('⁄', ' ').split(' ').filter(Boolean);
    expect(foldedWordsOf(text, MAX)).toEqual(words);
    expect(wordsOf(text, MAX).map((word) => word.text)).toEqual(words);
    expect(await wordsInSql([text])).toEqual([words]);
  });

  test('are the same in JavaScript and in PostgreSQL, whatever the character', async () => {
    const texts: string[] = [];
    const ranges = [
      // Texts of ASCII alone have a way of their own.
      [0x1, 0x7f],
      [0x80, 0xd7ff],
      [0xe000, 0xffff],
      [0x10000, 0x11fff],
      [0x16000, 0x16fff],
      [0x1cc00, 0x1d7ff],
      [0x1e000, 0x1faff],
      [0x20000, 0x20100],
    ] as const;
    for (const [first, last] of ranges) {
      for (let from = first; from <= last; from += 64) {
        let text = '';
        for (let code = from; code <= Math.min(last, from + 63); code += 1) {
          text += `x${String.fromCodePoint(code)}y \n`;
        }
        texts.push(text);
      }
    }
    const inSql = await wordsInSql(texts);
    for (const [index, text] of texts.entries()) {
      expect(foldedWordsOf(text, MAX)).toEqual(inSql[index]);
      expect(wordsOf(text, MAX).map((word) => word.text)).toEqual(inSql[index]);
    }
  });

  test('are folded alike in JavaScript and in PostgreSQL, whatever the character of Unicode', async () => {
    const rows = await database.sql<{ text: string; folded: string }>(
      `select text, vitrine_fold(text) as folded
       from (
         select string_agg(chr(code), ' ' order by code) as text from generate_series(1, ${0xeffff}) code
         where not (code between ${0xd800} and ${0xdfff} or code between ${0x40000} and ${0xdffff}) group by code / 64
       ) chunk`,
    );
    const differing = rows.flatMap(({ text, folded }) => {
      const inSql = folded.split(' ');
      return fold(text)
        .split(' ')
        .flatMap((character, index) => (character === inSql[index] ? [] : [[character, inSql[index]]]));
    });
    expect(differing).toEqual([]);
    // The rest is for private use, or has no character yet.
    expect(rows).toHaveLength((0x50000 - 0x800) / 64);
  });

  const character = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(...'abZÉß茶壶盖한がカ ', ' ', ',', '\u0301', '\u3099', '\u1161', '\u11ab', '-'),
    },
    {
      weight: 1,
      arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((text) => text !== '\0'),
    },
  );

  test('are the same in JavaScript and in PostgreSQL, whatever the text', async () => {
    const samples = fc.sample(fc.string({ unit: character, maxLength: 60 }), 1000);
    // Of two marks in a row, normalization needs to know both; Node knows those of a later version of Unicode than PostgreSQL.
    const marks = [...new Set(samples.join('').match(/\p{M}/gu))];
    const late = await database.sql<{ mark: string }>(
      'select mark from unnest($1::text[]) mark where not unicode_assigned(mark)',
      [marks],
    );
    const texts = samples.filter((text) => !late.some(({ mark }) => text.includes(mark)));
    const inSql = await wordsInSql(texts);
    for (const [index, text] of texts.entries()) {
      expect(foldedWordsOf(text, MAX), JSON.stringify(text)).toEqual(inSql[index]);
      expect(
        wordsOf(text, MAX).map((word) => word.text),
        JSON.stringify(text),
      ).toEqual(inSql[index]);
    }
  });

  test('of digits and letters are never divided', async () => {
    // The parser of PostgreSQL knows numbers: 1e5, 0x1. `e` and `x` stand for themselves, `k` for every other letter.
    let words = [''];
    const texts: string[] = [];
    for (let length = 1; length <= 6; length += 1) {
      words = words.flatMap((word) => [...'01exk'].map((character) => word + character));
      for (let from = 0; from < words.length; from += 2500) texts.push(words.slice(from, from + 2500).join(' '));
    }
    const inSql = await wordsInSql(texts);
    for (const [index, text] of texts.entries()) expect(inSql[index]).toEqual(text.split(' '));
    expect(texts.map((text) => foldedWordsOf(text, MAX))).toEqual(inSql);
  });

  test('have their places in the text', () => {
    const text = 'Die „Größe“: cafe\u0301 茶壶盖!';
    expect(wordsOf(text, MAX).map(({ text: word, start, end }) => [word, text.slice(start, end)])).toEqual([
      ['die', 'Die'],
      ['grosse', 'Größe'],
      ['cafe', 'cafe\u0301'],
      ['茶壶', '茶壶'],
      ['壶盖', '壶盖'],
      ['盖', '盖'],
    ]);
  });

  test('of a huge text are cut, and no character in two', async () => {
    const texts = ['a'.repeat(100_000), '𠀀'.repeat(30_000), 'word '.repeat(30_000), 'é'.repeat(1_000_000)];
    const inSql = await wordsInSql(texts);
    expect(inSql[0]).toEqual(['a'.repeat(64)]);
    expect(foldedWordsOf(texts[0] ?? '', MAX)).toEqual(inSql[0]);
    expect(foldedWordsOf(texts[1] ?? '', MAX)).toHaveLength(20_000);
    expect(foldedWordsOf(texts[2] ?? '', MAX)).toHaveLength(4000);
    expect(foldedWordsOf(texts[3] ?? '', MAX)).toEqual(inSql[3]);
  });
});

describe('what somebody searches for', () => {
  test('is words, the last as a beginning', () => {
    expect(termsOf(' Tea,  Pöt ')).toMatchObject([
      { text: 'tea', isPrefix: false },
      { text: 'pot', isPrefix: true, start: 7, end: 10 },
    ]);
  });

  test('is one word for a run of Chinese, whose pairs must follow each other', () => {
    const terms = termsOf('茶壶盖 x');
    expect(terms).toMatchObject([
      { text: '茶壶盖', isPrefix: false },
      { text: 'x', isPrefix: true },
    ]);
    expect(terms.map(piecesOfTerm)).toEqual([['茶壶', '壶盖'], ['x']]);
    expect(termsOf('x 茶壶')).toMatchObject([{ isPrefix: false }, { text: '茶壶', isPrefix: false }]);
  });

  test('finds a single Chinese character wherever it stands', () => {
    for (const search of ['茶 x', 'x 茶'])
      expect(termsOf(search)).toContainEqual(expect.objectContaining({ text: '茶', isPrefix: true }));
  });
});
