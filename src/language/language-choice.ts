import type { Language, Languages } from './languages.ts';

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
