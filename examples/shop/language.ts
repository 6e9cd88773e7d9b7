import { dictionaries } from './words.ts';

/** What the gateway's paths begin with: nothing, or the prefix that a proxy strips. This file is at `/demo/assets/<hash>/language.ts`. */
export const PREFIX = new URL('../../..', import.meta.url).pathname.slice(0, -1);

const HOME = `${PREFIX}/demo`;

/** The languages of the catalogue, the default first; none where the gateway has one that it does not name. */
const LANGUAGES: readonly string[] = document.body.getAttribute('data-languages')?.split(' ').filter(Boolean) ?? [];

/** `/demo/de/product/1` */
const [, inAddress] = /^\/([a-z]{2,3}(?:-\w+)*)(?:\/|$)/i.exec(location.pathname.slice(HOME.length)) ?? [];

const named = LANGUAGES.find((code) => code.toLowerCase() === inAddress?.toLowerCase());

/** That of this page. Another one is another page: the switch loads it. */
export const LANGUAGE = named ?? LANGUAGES[0];

/** What the addresses of the shop begin with in this language. */
export const BASE = named === undefined ? HOME : `${HOME}/${named}`;

/** An address of the shop that the page came with, in the language of the page; any other address as it is. */
export const inLanguage = (address: string): string => {
  const { origin, pathname, search } = new URL(address);
  const isOfShop = origin === location.origin && (pathname === HOME || pathname.startsWith(`${HOME}/`));
  return isOfShop ? `${BASE}${pathname.slice(HOME.length)}${search}` : address;
};

const words = dictionaries[LANGUAGE ?? 'en'] ?? dictionaries[LANGUAGE?.split('-')[0] ?? 'en'] ?? {};

/** A text of the shop itself in the language of the page, with its English in the code. @param values of `{name}` in the text */
export const say = (english: string, values: Readonly<Record<string, string | number>> = {}): string =>
  (words[english] ?? english).replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''));

/** Translates the texts that the page came with. */
const translatePage = (): void => {
  document.documentElement.lang = LANGUAGE ?? 'en';
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const english = text.textContent?.trim() ?? '';
    if (english !== '') text.textContent = text.textContent?.replace(english, () => say(english)) ?? '';
  }
  for (const name of ['aria-label', 'placeholder'])
    for (const each of document.querySelectorAll(`[${name}]`))
      each.setAttribute(name, say(each.getAttribute(name) ?? ''));
};

/** The address of this page in another language. */
const addressIn = (code: string): string => {
  const path = location.pathname.slice(BASE.length);
  return `${code === LANGUAGES[0] ? HOME : `${HOME}/${code}`}${path}${location.search}`;
};

const nameOf = (code: string): string => new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code;

/**
 * Tells search engines, and visitors, of this page in other languages: https://html.spec.whatwg.org/#attr-hyperlink-hreflang
 * @param list takes the links
 * @param available the languages that the page is in. @default all
 */
export const showLanguages = (list: HTMLElement, available: readonly string[] = LANGUAGES): void => {
  const codes = LANGUAGES.length > 1 ? LANGUAGES : [];
  list.replaceChildren(
    ...codes.map((code) => {
      const link = Object.assign(document.createElement('a'), { href: addressIn(code), hreflang: code, lang: code });
      link.textContent = nameOf(code);
      if (code === LANGUAGE) link.setAttribute('aria-current', 'true');
      const item = document.createElement('li');
      item.append(link);
      return item;
    }),
  );
  for (const link of document.head.querySelectorAll('link[hreflang]')) link.remove();
  const alternates = codes.filter((code) => available.includes(code)).map((code): [string, string] => [code, code]);
  for (const [hreflang, code] of [...alternates, ['x-default', codes[0]] as const]) {
    if (code === undefined) continue;
    const href = new URL(addressIn(code), location.origin).href;
    document.head.append(Object.assign(document.createElement('link'), { rel: 'alternate', hreflang, href }));
  }
};

translatePage();
