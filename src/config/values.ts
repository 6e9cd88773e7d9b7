import { availableParallelism } from 'node:os';
import type { Exposure } from '../access/access.ts';
import { isToken, TOKEN_RULE } from '../access/tokens.ts';
import { asksForWrites, hasReadableFiles, isPostgresUrl, isWholeUrl, urlsOf } from '../database/connection.ts';
import { canonicalTag, MAX_LANGUAGES } from '../language/languages.ts';

/** A kind of value that a variable may have. */
export interface Value<T> {
  /** Reads a text of the environment. @returns undefined for one that is not accepted */
  read(text: string): T | undefined;
  /** What is accepted, in a few words. */
  readonly accepts: string;
  /** What is wrong with a text that is not accepted, to end the sentence "PORT must …". @default that it must be what is accepted */
  faultOf?(text: string): string | undefined;
  /** The TypeScript type of the library's option. */
  readonly optionType: string;
  readonly unit?: 'MB' | 'ms' | 's';
  /** The secret parts of a value, which no log may contain. Faults do not repeat a value of a kind that may have them. */
  secretsIn?(value: T): readonly string[];
}

const kindOf = <T>(accepts: string, optionType: string, read: (text: string) => T | undefined): Value<T> => ({
  accepts,
  optionType,
  read,
});

const textWith = (accepts: string, isAccepted = (_text: string) => true): Value<string> =>
  kindOf(accepts, 'string', (text) => (isAccepted(text) ? text : undefined));

const number = (accepts: string, isAccepted: (text: string) => boolean): Value<number> =>
  kindOf(accepts, 'number', (text) => (isAccepted(text) ? Number(text) : undefined));

const listOf = (accepts: string, isItem = (_item: string) => true): Value<readonly string[]> =>
  kindOf(accepts, 'readonly string[]', (text) => {
    const items = itemsOf(text);
    return items.every(isItem) ? items : undefined;
  });

/** What a text must fulfil, and the end of the sentence "DATABASE_URL must …" for one that does not. */
type Rule = readonly [holds: (text: string) => boolean, otherwise: string];

/** The same for texts that fulfil some rules. */
const checked = <T>(value: Value<T>, ...rules: readonly Rule[]): Value<T> => {
  const faultOf = (text: string): string | undefined => rules.find(([holds]) => !holds(text))?.[1];
  return { ...value, faultOf, read: (text) => (faultOf(text) === undefined ? value.read(text) : undefined) };
};

const itemsOf = (value: string): readonly string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

export const text = textWith('text');

export const path = textWith('a path');

export const integer = (min: number, max: number): Value<number> =>
  number(
    `a whole number from ${min} to ${max}`,
    (value) => /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max,
  );

export const megabytes: Value<number> = { ...integer(0, 65_536), unit: 'MB' };

/** The longest delay of a timer in Node. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export const milliseconds = (min: number): Value<number> => ({
  ...integer(min, MAX_DELAY_MS),
  accepts: `a whole number, ${min} or more`,
  unit: 'ms',
});

export const positiveInteger = number('a whole number above 0', (value) => /^[1-9]\d{0,8}$/.test(value));

/** A share of a whole. */
export const fraction = number(
  'a number from 0 to 1',
  (value) => /^(0|1|0?\.\d+|[01]\.\d*)$/.test(value) && Number(value) <= 1,
);

/** One of a few words. */
export const choice = <const Word extends string>(words: readonly Word[]): Value<Word> => {
  const accepts = `${words.slice(0, -1).join(', ')}${words.length > 1 ? ' or ' : ''}${words.at(-1)}`;
  return kindOf(accepts, words.map((word) => `'${word}'`).join(' | '), (text) => words.find((word) => word === text));
};

const ON = ['true', 'on', '1', 'yes'];
const OFF = ['false', 'off', '0', 'no'];

const switchOf = (word: string): boolean | undefined =>
  ON.includes(word) ? true : OFF.includes(word) ? false : undefined;

/** Words, in any case. */
const wordOf = <T>(accepts: string, optionType: string, read: (word: string) => T | undefined): Value<T> =>
  kindOf(accepts, optionType, (text) => read(text.toLowerCase()));

export const toggle = wordOf('true or false', 'boolean', switchOf);

/** A switch with a third position, `token`: only for callers with an access token. */
export const exposure = wordOf<Exposure>('on, off or token', 'Exposed', (word) => {
  const isOn = switchOf(word);
  return word === 'token' ? word : isOn ? 'on' : isOn === false ? 'off' : undefined;
});

const MAX_WORKERS = 256;

/** A number of processes; `auto` is the number of cores that this process may use. */
export const workers = wordOf(`a whole number from 1 to ${MAX_WORKERS}, or auto`, "number | 'auto'", (word) =>
  word === 'auto' ? Math.min(availableParallelism(), MAX_WORKERS) : integer(1, MAX_WORKERS).read(word),
);

export const hostName = textWith('a host name or an address', (value) => /^[\w.:-]+$/.test(value));

export const list = listOf('a list with commas between');

const canonicalTags = (value: string): readonly string[] => itemsOf(value).map((tag) => canonicalTag(tag) ?? tag);

export const languageTags = checked(
  kindOf(`language tags such as en,de,pt-BR, ${MAX_LANGUAGES} at most`, 'readonly string[]', canonicalTags),
  [
    (value) => itemsOf(value).every((tag) => canonicalTag(tag) !== undefined),
    'be language tags of BCP 47 such as en,de,pt-BR',
  ],
  [(value) => itemsOf(value).length <= MAX_LANGUAGES, `name ${MAX_LANGUAGES} languages at most`],
  [(value) => new Set(canonicalTags(value)).size === itemsOf(value).length, 'name each language once'],
);

export const tokenList: Value<readonly string[]> = {
  ...listOf(`${TOKEN_RULE}, with commas between`, isToken),
  secretsIn: (tokens) => tokens.filter((token) => !token.startsWith('sha256:')),
};

// The spelling of a browser's `Origin` header: no other spelling would ever match.
const isOrigin = (value: string): boolean =>
  value === '*' || (/^https?:\/\/[^*]+$/.test(value) && URL.parse(value)?.origin === value);

export const originList = listOf('* or origins such as https://shop.example with commas between', isOrigin);

const isKeySetUrl = (value: string): boolean => {
  const { protocol, username, password } = URL.parse(value) ?? {};
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
};

export const keySetUrl: Value<string> = {
  ...textWith('an https:// or http:// URL without a password', isKeySetUrl),
  // A refused URL may have a password; an accepted one has none.
  secretsIn: () => [],
};

export const httpUrl = textWith(
  'an http:// or https:// URL',
  (value) => /^https?:\/\//.test(value) && URL.canParse(value),
);

const WHOLE_URL = 'be a whole URL, in which special characters are written as %23 for #';
const READABLE_FILES = 'name certificates and keys that can be read';

export const databaseUrl: Value<string> = {
  ...checked(
    textWith('a postgresql:// URL'),
    [isPostgresUrl, 'begin with postgresql://'],
    [isWholeUrl, WHOLE_URL],
    [hasReadableFiles, READABLE_FILES],
    [asksForWrites, 'ask for target_session_attrs read-write or primary, as views are counted'],
  ),
  secretsIn: (url) => passwordsIn(url),
};

const ofEach =
  (holds: (url: string) => boolean) =>
  (urls: string): boolean =>
    itemsOf(urls).every(holds);

export const replicaUrls: Value<readonly string[]> = {
  ...checked(
    listOf('postgresql:// URLs with commas between'),
    [ofEach(isPostgresUrl), 'be URLs that begin with postgresql://, with commas between'],
    [ofEach(isWholeUrl), WHOLE_URL],
    [ofEach(hasReadableFiles), READABLE_FILES],
  ),
  secretsIn: (urls) => urls.flatMap(passwordsIn),
};

const passwordsIn = (url: string): readonly string[] => {
  const { username, pathname, password } = URL.parse(urlsOf(url)[0] ?? '') ?? {};
  // A password equal to the name of the user or the database is no secret, and hiding it would hide the name.
  const isName = password === username || `/${password}` === pathname;
  return password && !isName ? [password, decoded(password)] : [];
};

const decoded = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
};
