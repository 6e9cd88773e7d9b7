import { element, picture } from './elements.ts';
import { query } from './graphql.ts';
import { say } from './language.ts';
import { SuggestionsDocument, type SuggestionsQuery } from './operations.ts';
import { categoryPath, productPath, SEARCH_PATH } from './view.ts';

type Suggestion = SuggestionsQuery['searchSuggestions'][number];

const KIND_NAMES: Readonly<Record<Suggestion['kind'], string>> = {
  PRODUCT: 'Product',
  CATEGORY: 'Category',
  BRAND: 'Brand',
  TAG: 'Tag',
};

const LIMIT = 8;

/** Typing goes on within this time. */
const IDLE_MS = 120;

/** The address that a suggestion leads to. */
const targetOf = ({ kind, text, product, category }: Suggestion): string => {
  if (product) return productPath(product.id);
  if (category) return categoryPath(category.id);
  return `${SEARCH_PATH}?${new URLSearchParams({ [kind === 'BRAND' ? 'brand' : kind === 'TAG' ? 'tag' : 'q']: text })}`;
};

/**
 * Suggestions as one types, by the pattern of a combobox with a list: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 * @param goTo shows an address of the shop
 */
export const startSearchBox = (field: HTMLInputElement, list: HTMLElement, goTo: (href: string) => void): void => {
  let asking = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let active = -1;

  const options = (): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('[role=option]')];

  const close = (): void => {
    clearTimeout(timer);
    asking.abort();
    activate(-1);
    list.hidden = true;
    field.setAttribute('aria-expanded', 'false');
  };

  const activate = (index: number): void => {
    active = index;
    for (const [at, option] of options().entries()) option.setAttribute('aria-selected', String(at === index));
    const option = options()[index];
    if (option) {
      field.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest' });
    } else field.removeAttribute('aria-activedescendant');
  };

  const show = (suggestions: readonly Suggestion[]): void => {
    list.replaceChildren(
      ...suggestions.map((suggestion, index) => {
        const { text, kind, product, category } = suggestion;
        const path = category?.ancestors.map(({ name }) => name).join(' › ');
        const option = element(
          'li',
          { role: 'option', id: `suggestion-${index}`, 'aria-selected': 'false', 'data-href': targetOf(suggestion) },
          product
            ? picture(product.imageUrl, text)
            : element('span', { class: 'kind-mark', 'aria-hidden': 'true' }, say(KIND_NAMES[kind]).charAt(0)),
          element('span', { class: 'suggestion' }, text),
          element('span', { class: 'soft' }, path ? `${say(KIND_NAMES[kind])} · ${path}` : say(KIND_NAMES[kind])),
        );
        return option;
      }),
    );
    active = -1;
    list.hidden = suggestions.length === 0;
    field.setAttribute('aria-expanded', String(suggestions.length > 0));
  };

  const ask = async (): Promise<void> => {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    const prefix = field.value.trim();
    if (prefix === '') return close();
    const answer = await query(SuggestionsDocument, { prefix, limit: LIMIT }, signal).catch(() => undefined);
    if (signal.aborted || document.activeElement !== field) return;
    show(answer?.searchSuggestions ?? []);
  };

  const follow = (option: HTMLElement): void => {
    const href = option.getAttribute('data-href');
    close();
    field.value = '';
    if (href) goTo(href);
  };

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), IDLE_MS);
  });
  field.addEventListener('keydown', (event) => {
    const all = options();
    const isOpen = !list.hidden;
    const chosen = all[active];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) return void ask();
      // One position more than there are options: none, where the typed text counts.
      const step = event.key === 'ArrowDown' ? 1 : -1;
      activate(((active + 1 + step + all.length + 1) % (all.length + 1)) - 1);
    } else if (event.key === 'Enter' && isOpen && chosen) {
      event.preventDefault();
      follow(chosen);
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      close();
    }
  });
  field.addEventListener('blur', close);
  field.form?.addEventListener('submit', close);
  // Before the field loses the focus, which closes the list.
  list.addEventListener('pointerdown', (event) => event.preventDefault());
  list.addEventListener('click', ({ target }) => {
    const option = target instanceof Element ? target.closest<HTMLElement>('[role=option]') : null;
    if (option) follow(option);
  });
};
