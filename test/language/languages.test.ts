import { expect, test } from 'vitest';
import { Languages, nameOfLanguage } from '../../src/language/languages.ts';

const languages = new Languages(['en', 'de', 'pt-BR', 'zh-Hant', 'de-CH']);

test.for([
  ['de', 'de'],
  ['DE', 'de'],
  ['de-AT', 'de'],
  ['de-CH-1996', 'de-CH'],
  ['pt-BR', 'pt-BR'],
  ['zh-Hant-TW', 'zh-Hant'],
  ['zh-Hant-x-hakka', 'zh-Hant'],
  // RFC 4647, section 3.4: a look-up gives what is as special as what was asked for, or less.
  ['pt', 'en'],
  ['fr', 'en'],
])('%s is answered in %s', ([tag = '', code]) => {
  expect(languages.ofTag(tag).code).toBe(code);
  expect(languages.ofHeader(tag).code).toBe(code);
});

test.for(['', 'de_DE', '*', 'd', 'de-', 'de;q=1', 'Deutsch, bitte'])('%j is no tag', (tag) => {
  expect(() => languages.ofTag(tag)).toThrow(
    expect.objectContaining({
      code: 'BAD_USER_INPUT',
      argument: 'language',
      message: expect.stringContaining(JSON.stringify(tag)),
    }),
  );
});

test.for([
  ['fr, de-AT;q=0.8, en;q=0.5', 'de'],
  ['en;q=0.5, de;q=0.9', 'de'],
  ['de;q=0', 'en'],
  ['*', 'en'],
  ['fr, *;q=0.5', 'en'],
  ['en;q=0, *', 'de'],
  ['*;q=0.1, de;q=0.5', 'de'],
  ['de_DE', 'en'],
  ['', 'en'],
  [undefined, 'en'],
  [`de, ${'x-'.repeat(300)}`, 'en'],
])('Accept-Language: %s prefers %s', ([header, code]) => {
  expect(languages.ofHeader(header).code).toBe(code);
});

test('equal languages are one object, however they were asked for', () => {
  expect(languages.ofHeader('de-AT,de;q=0.9')).toBe(languages.ofTag('de'));
});

test('a language falls back to its parents, also to the default one, as the database does', () => {
  const fallBacks = (...codes: string[]) => new Languages(codes).all.map((language) => language.fallBacks);
  expect(fallBacks('en', 'pt-BR', 'zh-Hant-TW')).toEqual([undefined, ['pt-BR', 'pt'], ['zh-Hant-TW', 'zh-Hant', 'zh']]);
  expect(fallBacks('en', 'en-GB')).toEqual([undefined, ['en-GB', 'en']]);
});

test('a language has its name in itself', () => {
  expect(languages.all.map(({ code }) => nameOfLanguage(code))).toEqual([
    'English',
    'Deutsch',
    'português (Brasil)',
    '繁體中文',
    'Schweizer Hochdeutsch',
  ]);
});

test('without a configuration there is one language, which is not named', () => {
  const none = new Languages([]);
  expect(none.all.map(({ code, isDefault }) => [code, isDefault])).toEqual([['und', true]]);
  expect([none.areConfigured, none.areSeveral]).toEqual([false, false]);
  expect(none.ofTag('de')).toBe(none.default);
});
