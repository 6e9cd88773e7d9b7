import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { badArgument } from '../errors.ts';

/** A language that answers are given in. There is one object for each, so that equal languages are identical. */
export interface Language {
  /** BCP 47, in its canonical form: `pt-BR`. */
  readonly code: string;
  /** Whether it is the language of the tables' own columns. */
  readonly isDefault: boolean;
  /** Where a text is looked for before the table's own column: `['pt-BR', 'pt']`. Undefined for the default language. */
  readonly fallBacks: readonly string[] | undefined;
}

export const MAX_LANGUAGES = 20;

/** The language of the tables where none is configured: https://www.rfc-editor.org/rfc/rfc5646#section-4.1 */
const UNDETERMINED = 'und';

/** How many spellings of `Accept-Language` are remembered: browsers send some thousands in all, and few of them to one shop. */
const MAX_SPELLINGS = 1000;

/** No browser sends so many languages. A longer header decides nothing. */
const MAX_HEADER_CHARS = 512;

/** The languages that are configured. */
export class Languages {
  /** The first is that of the tables' own columns. */
  readonly all: readonly Language[];
  readonly default: Language;
  /** Whether a response says in which language it is. */
  readonly areConfigured: boolean;
  /** Whether there is anything to choose. */
  readonly areSeveral: boolean;
  readonly #byCode: ReadonlyMap<string, Language>;
  readonly #byHeader = new LRUCache<string, Language>({ max: MAX_SPELLINGS });

  /** @param codes canonical, each once, the default first; none where none is configured */
  constructor(codes: readonly string[]) {
    const [first = UNDETERMINED, ...others] = codes;
    this.default = { code: first, isDefault: true, fallBacks: undefined };
    this.all = [
      this.default,
      // All of its parents, as vitrine_fall_backs of the database has them.
      ...others.map((code) => ({ code, isDefault: false, fallBacks: [...rangesOf(code)] })),
    ];
    this.areConfigured = codes.length > 0;
    this.areSeveral = others.length > 0;
    this.#byCode = new Map(this.all.map((language) => [language.code, language]));
  }

  /** The language that a client names, or the default where none fits. @throws AppError BAD_USER_INPUT for what is no tag */
  ofTag(tag: string): Language {
    if (canonicalTag(tag) === undefined) throw badArgument('language', noTag(tag));
    return this.find(tag) ?? this.default;
  }

  /** By the look-up of RFC 4647; undefined where none fits, and for what is no tag. */
  find(tag: string): Language | undefined {
    for (const range of rangesOf(canonicalTag(tag) ?? '')) {
      const language = this.#byCode.get(range);
      if (language) return language;
    }
    return undefined;
  }

  /** The language that a header `Accept-Language` prefers: https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4 */
  ofHeader(header: string | undefined): Language {
    if (!this.areSeveral || header === undefined || header.length > MAX_HEADER_CHARS) return this.default;
    let language = this.#byHeader.get(header);
    if (language === undefined) {
      language = this.#negotiate(header);
      this.#byHeader.set(header, language);
    }
    return language;
  }

  #negotiate(header: string): Language {
    const negotiator = new Negotiator({ headers: { 'accept-language': header } });
    for (const range of negotiator.languages()) {
      // Any but those that the header refuses (`q=0`) or prefers.
      if (range === '*')
        return this.#byCode.get(negotiator.languages(this.all.map(({ code }) => code))[0] ?? '') ?? this.default;
      const found = this.find(range);
      if (found) return found;
    }
    return this.default;
  }
}

/** @returns undefined for what is no language tag of BCP 47 */
export const canonicalTag = (tag: string): string | undefined => {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
};

/** What is wrong with it, to end a sentence. */
export const noTag = (tag: string): string =>
  `must be a language tag of BCP 47 such as "de" or "pt-BR", but is ${JSON.stringify(tag.slice(0, 40))}`;

/** A tag and its parents, from the most to the least special: https://www.rfc-editor.org/rfc/rfc4647#section-3.4 */
function* rangesOf(code: string): Generator<string> {
  // A subtag of one character begins an extension, which means nothing without what follows.
  for (let range = code; range !== ''; range = range.replace(/(?:^|-)[^-]+$/, '').replace(/-[^-]$/, '')) yield range;
}

/** Its name in the language itself: `português (Brasil)`. The first takes 14 ms (2026-11-29), so it is made for who asks. */
export const nameOfLanguage = (code: string): string =>
  new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code;

/** What the head of a response says of its language. */
export interface ShownLanguage {
  readonly code: string;
  /** Whether the header `Accept-Language` decided, or could have. */
  readonly isNegotiated: boolean;
}

/**
 * In which language one request is answered: the one that its document names, else the one of its parameter, else the one that its header
 * prefers.
 */
export class LanguageChoice {
  readonly #languages: Languages;
  #language: Language;
  #isNegotiated: boolean;
  #shown: ShownLanguage | undefined;

  /** @param header `Accept-Language` */
  constructor(languages: Languages, header: string | undefined) {
    this.#languages = languages;
    this.#language = languages.ofHeader(header);
    this.#isNegotiated = languages.areSeveral;
  }

  /** That of an operation that names none. */
  get language(): Language {
    return this.#language;
  }

  /** Whether a parameter may name a language. */
  get isOffered(): boolean {
    return this.#languages.areConfigured;
  }

  /** A parameter names a language. @throws AppError BAD_USER_INPUT for what is no tag */
  name(tag: string): void {
    this.#language = this.#languages.ofTag(tag);
    this.#isNegotiated = false;
  }

  /** An operation is executed. @param tag that its document names @throws AppError BAD_USER_INPUT for what is no tag */
  decide(tag: string | undefined): Language {
    const language = tag === undefined ? this.#language : this.#languages.ofTag(tag);
    this.#shown = { code: language.code, isNegotiated: tag === undefined && this.#isNegotiated };
    return language;
  }

  /** Undefined where no language is configured, and before an operation is executed. */
  get shown(): ShownLanguage | undefined {
    return this.#languages.areConfigured ? this.#shown : undefined;
  }
}
