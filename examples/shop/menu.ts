import { element } from './elements.ts';
import { count } from './format.ts';
import { query } from './graphql.ts';
import { say } from './language.ts';
import { type FrameQuery, MenuBranchDocument, SuggestionsDocument } from './operations.ts';
import { categoryPath } from './view.ts';

type Entry = FrameQuery['categories'][number] & { readonly path?: string };

/** As many as are worth reading; whoever wants another types one more letter. */
const MOST_FOUND = 50;

const IDLE_MS = 150;

/**
 * The menu of categories, for catalogues of any size: a branch is asked for when it is opened, and a field finds categories by their names.
 * @returns what takes the categories at the top
 */
export const startMenu = (
  dialog: HTMLDialogElement,
  button: HTMLButtonElement,
): ((roots: readonly Entry[]) => void) => {
  /** What was shown so far, by id: found by any part of the name. */
  const known = new Map<number, Entry>();
  let roots: readonly Entry[] = [];
  let finding = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const field = element('input', {
    type: 'search',
    'aria-label': say('Find a category'),
    placeholder: say('Find a category'),
    autocomplete: 'off',
  });
  const close = element('button', { type: 'button', class: 'plain', 'aria-label': say('Close') }, '✕');
  const content = element('div', { class: 'menu-content' });
  dialog.replaceChildren(element('div', { class: 'dialog-head' }, field, close), content);

  const remember = (entries: readonly Entry[], path = ''): void => {
    for (const entry of entries) known.set(entry.id, { ...entry, path });
  };

  const row = (entry: Entry): HTMLElement => {
    const link = categoryLink(entry);
    if (entry.children.length === 0) return element('li', {}, link);
    const toggle = element('button', {
      type: 'button',
      class: 'toggle',
      'aria-expanded': 'false',
      'aria-label': say('Below {name}', { name: entry.name }),
    });
    const item = element('li', {}, toggle, link);
    toggle.addEventListener('click', async () => {
      const isOpen = toggle.getAttribute('aria-expanded') === 'true';
      toggle.setAttribute('aria-expanded', String(!isOpen));
      if (isOpen) return void item.querySelector('ul')?.remove();
      const { category } = await query(MenuBranchDocument, { id: entry.id }, AbortSignal.timeout(10_000)).catch(() => ({
        category: null,
      }));
      if (toggle.getAttribute('aria-expanded') === 'false') return;
      if (!category) return toggle.setAttribute('aria-expanded', 'false');
      remember(category.children, [known.get(entry.id)?.path, entry.name].filter(Boolean).join(' › '));
      item.querySelector('ul')?.remove();
      item.append(element('ul', {}, ...category.children.map(row)));
    });
    return item;
  };

  const showTree = (): void => content.replaceChildren(element('ul', { class: 'tree' }, ...roots.map(row)));

  const find = async (text: string): Promise<void> => {
    finding.abort();
    if (text === '') return showTree();
    finding = new AbortController();
    const { signal } = finding;
    const part = text.toLocaleLowerCase();
    const found = new Map([...known].filter(([, { name }]) => name.toLocaleLowerCase().includes(part)));
    const asked = await query(SuggestionsDocument, { prefix: text, limit: 20 }, signal).catch(() => undefined);
    if (signal.aborted) return;
    for (const { text: name, category } of asked?.searchSuggestions ?? []) {
      if (!category || found.has(category.id)) continue;
      found.set(category.id, {
        id: category.id,
        name,
        children: [],
        path: category.ancestors.map((each) => each.name).join(' › '),
      });
    }
    const some = [...found.values()].slice(0, MOST_FOUND);
    content.replaceChildren(
      element(
        'p',
        { class: 'soft', role: 'status' },
        found.size === 1 ? say('1 category') : say('{n} categories', { n: count(found.size) }),
      ),
      element('ul', { class: 'found' }, ...some.map((entry) => element('li', {}, categoryLink(entry)))),
    );
  };

  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void find(field.value.trim()), IDLE_MS);
  });
  button.addEventListener('click', () => {
    field.value = '';
    showTree();
    dialog.showModal();
    button.setAttribute('aria-expanded', 'true');
  });
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => button.setAttribute('aria-expanded', 'false'));
  dialog.addEventListener('click', ({ target }) => {
    // The backdrop counts as the dialog itself.
    if (target === dialog || (target instanceof Element && target.closest('a'))) dialog.close();
  });

  return (entries) => {
    roots = entries;
    remember(entries);
  };
};

const categoryLink = ({ id, name, path }: Entry): HTMLElement =>
  element(
    'a',
    { href: categoryPath(id), 'aria-current': location.pathname === categoryPath(id) && 'page' },
    name,
    path ? element('span', { class: 'soft' }, path) : null,
  );
