import { availableParallelism } from 'node:os';
import * as v from 'valibot';
import { type Exposure, isKeySetUrl } from '../access/access.ts';
import { isToken, TOKEN_RULE } from '../access/tokens.ts';
import {
  asksForWrites,
  hasReadableFiles,
  isPostgresUrl,
  isWholeUrl,
  namesOneServer,
  splitUrls,
  urlsOf,
} from '../database/connection-url.ts';

/** A kind of value that a variable may have. */
export interface Value<T> {
  /** Reads the text of the environment; its issues continue the sentence "PORT must be …". */
  readonly schema: v.GenericSchema<string, T>;
  /** What is accepted, in a few words. */
  readonly accepts: string;
  /** The TypeScript type of the library's option. */
  readonly optionType: string;
  /** The secret parts of a value, which no log may contain. Faults do not repeat a value of a kind that may have them. */
  secretsIn?(value: T): readonly string[];
}

export const text: Value<string> = { schema: v.string(), accepts: 'text', optionType: 'string' };

export const path: Value<string> = { ...text, accepts: 'a path' };

export const integer = (min: number, max: number): Value<number> => {
  const accepts = `a whole number from ${min} to ${max}`;
  const rule = `must be ${accepts}`;
  const schema = v.pipe(
    v.string(),
    v.regex(/^\d{1,10}$/, rule),
    v.transform(Number),
    v.minValue(min, rule),
    v.maxValue(max, rule),
  );
  return { schema, accepts, optionType: 'number' };
};

/** The longest delay of a timer in Node. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export const milliseconds = (min: number): Value<number> => ({
  ...integer(min, MAX_DELAY_MS),
  accepts: `a whole number, ${min} or more`,
});

export const positiveInteger: Value<number> = {
  schema: v.pipe(v.string(), v.regex(/^[1-9]\d{0,8}$/, 'must be a whole number above 0'), v.transform(Number)),
  accepts: 'a whole number above 0',
  optionType: 'number',
};

/** A share of a whole. */
export const fraction: Value<number> = {
  schema: v.pipe(
    v.string(),
    v.regex(/^(0|1|0?\.\d+|[01]\.\d*)$/, 'must be a number from 0 to 1'),
    v.transform(Number),
    v.maxValue(1, 'must be a number from 0 to 1'),
  ),
  accepts: 'a number from 0 to 1',
  optionType: 'number',
};

/** One of a few words. */
export const choice = <const Word extends string>(words: readonly Word[]): Value<Word> => ({
  schema: v.picklist(words, `must be ${listed(words)}`),
  accepts: listed(words),
  optionType: words.map((word) => `'${word}'`).join(' | '),
});

const listed = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ');

const SWITCH: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  on: true,
  off: false,
  1: true,
  0: false,
  yes: true,
  no: false,
};

const isSwitch = (value: string): boolean => value in SWITCH;

export const toggle: Value<boolean> = {
  schema: v.pipe(
    v.string(),
    v.toLowerCase(),
    v.check(isSwitch, 'must be true or false'),
    v.transform((value) => SWITCH[value] === true),
  ),
  accepts: 'true or false',
  optionType: 'boolean',
};

/** A switch with a third position, `token`: only for callers with an access token. */
export const exposure: Value<Exposure> = {
  schema: v.pipe(
    v.string(),
    v.toLowerCase(),
    v.check((value) => value === 'token' || isSwitch(value), 'must be on, off or token'),
    v.transform((value): Exposure => (value === 'token' ? 'token' : SWITCH[value] ? 'on' : 'off')),
  ),
  accepts: 'on, off or token',
  optionType: 'Exposed',
};

const MAX_WORKERS = 256;
const WORKERS_ACCEPT = `a whole number from 1 to ${MAX_WORKERS}, or auto`;

/** A number of processes; `auto` is the number of cores that this process may use. */
export const workers: Value<number> = {
  schema: v.pipe(
    v.string(),
    v.toLowerCase(),
    v.check(
      (value) => value === 'auto' || (/^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_WORKERS),
      `must be ${WORKERS_ACCEPT}`,
    ),
    v.transform((value) => (value === 'auto' ? Math.min(availableParallelism(), MAX_WORKERS) : Number(value))),
  ),
  accepts: WORKERS_ACCEPT,
  optionType: "number | 'auto'",
};

export const hostName: Value<string> = {
  schema: v.pipe(v.string(), v.regex(/^[\w.:-]+$/, 'must be a host name or an address')),
  accepts: 'a host name or an address',
  optionType: 'string',
};

const commaList = v.pipe(
  v.string(),
  v.transform((value): readonly string[] =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  ),
);

export const list: Value<readonly string[]> = {
  schema: commaList,
  accepts: 'a list with commas between',
  optionType: 'readonly string[]',
};

export const tokenList: Value<readonly string[]> = {
  schema: v.pipe(
    commaList,
    v.check((tokens) => tokens.every(isToken), `must be ${TOKEN_RULE}, with commas between`),
  ),
  accepts: `${TOKEN_RULE}, with commas between`,
  optionType: 'readonly string[]',
  secretsIn: (tokens) => tokens.filter((token) => !token.startsWith('sha256:')),
};

// The spelling of a browser's `Origin` header: no other spelling would ever match.
const isOrigin = (value: string): boolean =>
  value === '*' || (/^https?:\/\/[^*]+$/.test(value) && URL.parse(value)?.origin === value);

const ORIGINS_ACCEPT = '* or origins such as https://shop.example with commas between';

export const originList: Value<readonly string[]> = {
  schema: v.pipe(
    commaList,
    v.check((origins) => origins.every(isOrigin), `must be ${ORIGINS_ACCEPT}`),
  ),
  accepts: ORIGINS_ACCEPT,
  optionType: 'readonly string[]',
};

// https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2
const isHeaderName = (value: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(value);

export const headerNames: Value<readonly string[]> = {
  schema: v.pipe(
    commaList,
    v.check((names) => names.every(isHeaderName), 'must be names of headers with commas between'),
  ),
  accepts: 'names of headers with commas between',
  optionType: 'readonly string[]',
};

export const keySetUrl: Value<string> = {
  schema: v.pipe(v.string(), v.check(isKeySetUrl, 'must be an https:// or http:// URL without a password')),
  accepts: 'an https:// or http:// URL without a password',
  optionType: 'string',
  // A refused URL may have a password; an accepted one has none.
  secretsIn: () => [],
};

const isHttpUrl = (value: string): boolean => /^https?:\/\//.test(value) && URL.canParse(value);

export const httpUrl: Value<string> = {
  schema: v.pipe(v.string(), v.check(isHttpUrl, 'must begin with http:// or https://')),
  accepts: 'an http:// or https:// URL',
  optionType: 'string',
};

export const databaseUrl: Value<string> = {
  schema: v.pipe(
    v.string(),
    v.check(isPostgresUrl, 'must begin with postgresql://'),
    v.check(isWholeUrl, 'must be a whole URL, in which special characters are written as %23 for #'),
    v.check(hasReadableFiles, 'must name certificates and keys that can be read'),
    v.check(asksForWrites, 'must ask for target_session_attrs read-write, primary or any, as views are counted'),
  ),
  accepts: 'a postgresql:// URL',
  optionType: 'string',
  secretsIn: (url) => passwordsIn(url),
};

export const replicaUrls: Value<readonly string[]> = {
  schema: v.pipe(
    v.string(),
    v.transform(splitUrls),
    v.check((urls) => urls.every(isPostgresUrl), 'must be URLs that begin with postgresql://, with commas between'),
    v.check(
      (urls) => urls.every(isWholeUrl),
      'must be whole URLs, in which special characters are written as %23 for #',
    ),
    v.check((urls) => urls.every(namesOneServer), 'must name one server each, and no target_session_attrs'),
    v.check((urls) => urls.every(hasReadableFiles), 'must name certificates and keys that can be read'),
  ),
  accepts: 'postgresql:// URLs with commas between',
  optionType: 'readonly string[]',
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
